"""Measures Wakegate beside its peers on this machine. `tools/dev bench` runs it, optimised."""

import argparse
import json
import pathlib

import scenarios
from harness.cpu import on_other_cpu
from harness.figures import Report
from harness.plot import to_svg
from harness.rounds import Effort
from harness.table import to_table


def parse(arguments: list[str] | None) -> argparse.Namespace:
    names = [scenario.NAME for scenario in scenarios.ALL.values()]
    parser = argparse.ArgumentParser(prog="tools/dev bench", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", default=names, type=str.lower,
        help=f"{', '.join(names)}; all where none is named",
    )
    parser.add_argument("--rounds", type=int, help="how often each thing is measured")
    parser.add_argument(
        "--short", action="store_true",
        help="as little of everything as shows that it runs; the figures mean nothing",
    )
    parser.add_argument("--json", type=pathlib.Path, help="where to write the figures")
    parser.add_argument("--plots", type=pathlib.Path, help="folder for an SVG plot of each")
    flags = parser.parse_args(arguments)
    for name in flags.names:
        if name.lower() not in scenarios.ALL:
            parser.error(f"there is no scenario {name}; there are {', '.join(names)}")
    if flags.rounds is not None and flags.rounds < 1:
        parser.error("--rounds is at least 1")
    return flags


def write_json(path: pathlib.Path, reports: list[Report]) -> None:
    """One scenario: its object; several: an array of them."""
    found = [report.to_json() for report in reports]
    path.write_text(json.dumps(found if len(found) > 1 else found[0], indent=1) + "\n")


def main(arguments: list[str] | None = None) -> None:
    flags = parse(arguments)
    reports = []
    for name in flags.names:
        scenario = scenarios.ALL[name.lower()]
        report = Report(scenario.NAME, scenario.WHAT)
        with on_other_cpu():
            scenario.measure(report, Effort(flags.rounds, flags.short))
        reports.append(report)
        print(to_table(report), flush=True)
        # After each scenario: what was measured is kept if a later one fails.
        if flags.json:
            write_json(flags.json, reports)
        if flags.plots:
            (flags.plots / f"{scenario.NAME}.svg").write_text(to_svg(report), encoding="utf-8")


if __name__ == "__main__":
    main()
