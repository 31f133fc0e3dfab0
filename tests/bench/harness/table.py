"""A report as text, for people."""

from harness.figures import Figure, Report

_WIDTH = 58


def _row(figure: Figure) -> str:
    numbers = (figure.median, min(figure.rounds), max(figure.rounds))
    digits = 4 if not figure.unit else 3 if abs(figure.median) < 10 else 1
    cells = "".join(f" {number:10.{digits}f}" for number in numbers)
    return f"  {figure.name:{_WIDTH}}{cells} {figure.unit}"


def to_table(report: Report) -> str:
    heading = "".join(f" {word:>10}" for word in ("median", "least", "greatest"))
    lines = [f"{report.scenario}: {report.what}", f"  {'':{_WIDTH}}{heading}"]
    lines += [_row(figure) for figure in report.figures.values()]
    if report.ratios:
        lines.append("  compared, round by round")
    for ratio in report.ratios:
        verdict = {None: "", True: f"  {ratio.target}: met", False: f"  {ratio.target}: NOT MET"}
        lines.append(_row(ratio) + verdict[ratio.is_met])
    lines += [f"  peer: {peer}" for peer in report.peers]
    return "\n".join(lines)
