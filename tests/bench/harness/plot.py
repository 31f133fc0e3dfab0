"""A report as an SVG picture: for each figure a line from least to greatest and a dot at the
median, those of one unit on one scale that begins at 0."""

import html

from harness.figures import Figure, Report

_NAME_WIDTH = 430
_SCALE_WIDTH = 420
_ROW = 20
_COLORS = {None: "#36648b", True: "#2e8b57", False: "#b22222"}


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{html.escape(text)}</text>'


def _group(title: str, rows: list[Figure], top: int) -> list[str]:
    """The rows of one unit, below their title."""
    greatest = max([max(figure.rounds) for figure in rows] + [1e-9])
    least = min([min(figure.rounds) for figure in rows] + [0])
    scale = _SCALE_WIDTH / (greatest - least)
    parts = [_text(10, top, title, 'font-weight="bold"')]
    for index, figure in enumerate(rows, 1):
        y = top + index * _ROW
        color = _COLORS[getattr(figure, "is_met", None)]
        left, middle, right = (
            _NAME_WIDTH + (value - least) * scale
            for value in (min(figure.rounds), figure.median, max(figure.rounds))
        )
        parts += [
            _text(20, y, figure.name),
            f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y - 4}" y2="{y - 4}" stroke="{color}"'
            ' stroke-width="3"/>',
            f'<circle cx="{middle:.1f}" cy="{y - 4}" r="5" fill="{color}"/>',
            _text(_NAME_WIDTH + _SCALE_WIDTH + 15, y, f"{figure.median:.4g} {figure.unit}"),
        ]
    return parts


def to_svg(report: Report) -> str:
    groups: dict[str, list[Figure]] = {}
    for figure in report.figures.values():
        groups.setdefault(figure.unit, []).append(figure)
    for ratio in report.ratios:
        title = f"compared, {ratio.unit}" if ratio.unit else "compared"
        groups.setdefault(title, []).append(ratio)
    parts, top = [_text(10, 24, f"{report.scenario}: {report.what}", 'font-size="15"')], 56
    for title, rows in groups.items():
        parts += _group(title, rows, top)
        top += (len(rows) + 2) * _ROW
    width = _NAME_WIDTH + _SCALE_WIDTH + 130
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}"'
        ' font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="white"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
