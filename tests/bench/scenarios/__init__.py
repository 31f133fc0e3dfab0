"""One file each: NAME, WHAT, SMOKE (names that its JSON has, whatever the effort), and measure(),
which fills a report."""

from scenarios import (
    busy_tap,
    idle_ports,
    idle_taps,
    looking,
    nothing_to_do,
    port_pairs,
    tap_offloads,
    trigger_modes,
    xdp_receive,
    xdp_transmit,
)

ALL = {
    scenario.NAME.lower(): scenario
    for scenario in (
        idle_taps, busy_tap, trigger_modes, tap_offloads, xdp_transmit, xdp_receive, port_pairs,
        nothing_to_do, looking, idle_ports,
    )
}
