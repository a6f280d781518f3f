"""The scatter plot, as SVG: real slowdowns against those that were measured by kernels and those that were predicted, on
logarithmic axes, with the band in which they differ by less than a factor of two. Light and dark follow the reader."""

import html
import math

SIZE, LEFT, TOP, RIGHT, BOTTOM = 520, 62, 46, 18, 58
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #222 }
  .frame, .grid { stroke: #bbb; fill: none } .grid { stroke: #ddd }
  .band { fill: #888; opacity: .15 } .even { stroke: #888; stroke-dasharray: 4 4 }
  .measured { fill: #0b62a4 } .predicted { fill: none; stroke: #b3450a; stroke-width: 1.6 }
  .back { fill: #fff }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .back { fill: #16181c } .frame { stroke: #555 } .grid { stroke: #333 }
    .measured { fill: #6db3f2 } .predicted { stroke: #f2a36d }
  }
"""
NAMES = {"measured": "measured by the rule's kernel", "predicted": "predicted from the machine profile"}


def ticks(low, high):
    steps = [step * 10.0 ** power for power in range(-1, 5) for step in (1, 2, 5)]
    return [step for step in steps if low <= step <= high]


class Axes:
    """Both axes run over the same range, so that equality is the diagonal."""

    def __init__(self, values):
        self.low, self.high = min(values) / 1.15, max(values) * 1.15

    def part(self, value):
        return math.log(value / self.low) / math.log(self.high / self.low)

    def x(self, value):
        return LEFT + self.part(value) * SIZE

    def y(self, value):
        return TOP + (1 - self.part(value)) * SIZE


def band(axes):
    """The area in which y is between x / 2 and 2 x."""
    low, high = axes.low, axes.high
    corners = [(low, low), (low, 2 * low), (high / 2, high), (high, high), (high, high / 2), (2 * low, low)]
    points = " ".join(f"{axes.x(x):.1f},{axes.y(y):.1f}" for x, y in corners)
    return f'<polygon class="band" points="{points}"/>'


def grid(axes):
    for step in ticks(axes.low, axes.high):
        x, y = axes.x(step), axes.y(step)
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{TOP + SIZE}M{LEFT} {y:.1f}H{LEFT + SIZE}"/>'
        yield f'<text x="{x:.1f}" y="{TOP + SIZE + 18}" text-anchor="middle">{step:g}</text>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{step:g}</text>'


def marks(axes, records, kind):
    for record in records:
        if record[kind] is None:
            continue
        x, y = axes.x(record["real"]), axes.y(record[kind])
        title = html.escape(f"{record['name']} ({record['rule']}): real {record['real']:.2f}, {kind} {record[kind]:.2f}")
        shape = (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"' if kind == "measured" else
                 f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"')
        yield f'{shape} class="{kind}"><title>{title}</title></{shape[1:].split()[0]}>'


def legend():
    yield f'<circle cx="{LEFT + 8}" cy="20" r="4" class="measured"/>'
    yield f'<text x="{LEFT + 18}" y="24">{NAMES["measured"]}</text>'
    yield f'<rect x="{LEFT + 234}" y="16" width="8" height="8" class="predicted"/>'
    yield f'<text x="{LEFT + 248}" y="24">{NAMES["predicted"]}</text>'


def svg(records, machine):
    """The whole picture as text."""
    values = [record[kind] for record in records for kind in ("real", "measured", "predicted") if record[kind]]
    axes = Axes(values + [1])
    width, height = LEFT + SIZE + RIGHT, TOP + SIZE + BOTTOM
    diagonal = (f'<path class="even" d="M{axes.x(axes.low):.1f} {axes.y(axes.low):.1f}L{axes.x(axes.high):.1f} '
                f'{axes.y(axes.high):.1f}"/>')
    label = f"Real slowdowns of {len(records)} pairs of programs against measured and predicted ones; {machine}"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
             f'aria-label="{html.escape(label)}">', f"<style>{STYLE}</style>",
             f'<rect class="back" width="{width}" height="{height}"/>', band(axes), *grid(axes), diagonal,
             f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{SIZE}" height="{SIZE}"/>',
             *marks(axes, records, "measured"), *marks(axes, records, "predicted"), *legend(),
             f'<text x="{LEFT + SIZE / 2}" y="{height - 14}" text-anchor="middle">real slowdown: slow over fixed '
             f"program</text>",
             f'<text transform="translate(16 {TOP + SIZE / 2}) rotate(-90)" text-anchor="middle">what ponglint '
             f"says</text>", "</svg>"]
    return "\n".join(parts) + "\n"
