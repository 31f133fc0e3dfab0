"""One file each: NAME, WHAT, SMOKE (names that its JSON has, whatever the effort), and measure(),
which fills a report."""

from scenarios import idle_ports, tap_offloads

ALL = {scenario.NAME.lower(): scenario for scenario in (tap_offloads, idle_ports)}
