"""The plots of bench/report: SVG files, drawn by gnuplot.

Three kinds: bars, a row a measurement; intervals, a row a program, with a
point and its interval for each configuration; curves.  The caller chooses the
data and their colours, so that a runtime has one colour on all plots.
"""

import subprocess

import common
from figures import figure

# Distinct for colour-blind readers too (Okabe and Ito).
BLUE, ORANGE, GREEN, PURPLE, SKY, GREY = (
    "#0072b2", "#d55e00", "#009e73", "#aa4499", "#56b4e9", "#777777")

WIDTH = 860             # in pixels
EDGES = 110             # what title, legend and axis take of the height
LETTER = 7.2            # and a letter of a label of the width, generously


def words(text):
    return '"' + text.replace("\\", "/").replace('"', "'") + '"'


def draw(path, height, lines, pieces):
    """Run gnuplot on these lines and plot the pieces; leave the picture in
    PATH.  False when there is nothing to plot."""
    if not pieces:
        return False
    start = [f'set terminal svg size {WIDTH},{height} background "white" '
             'font "DejaVu Sans,Arial,sans-serif,12" noenhanced',
             f"set output {words(str(path))}",
             "set border 3 linecolor '#444444'",
             "set tics nomirror out",
             "set grid linecolor '#dddddd' linetype 1 linewidth 1",
             "set encoding utf8"]
    done = subprocess.run(["gnuplot"], input="\n".join(
        [*start, *lines, "plot " + ", ".join(pieces)]) + "\n",
                          text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0 or not path.exists():
        common.fail(f"gnuplot could not draw {path.name}: "
                    f"{done.stdout.strip()}")
    return True


def rows_axis(labels, sizes):
    """Make the labels down the left side, the first on top, and room for them;
    a row is as high as its size.  Return the lines, and the middles of the
    rows."""
    middles, top = [], 0
    for size in sizes:
        middles.append(top - size / 2)
        top -= size
    ticks = ", ".join(f"{words(label)} {middle}"
                      for label, middle in zip(labels, middles))
    lines = [f"set ytics ({ticks}) scale 0", f"set yrange [{top}:0]",
             "set grid noytics",
             f"set lmargin at screen "
             f"{min(0.45, (max(map(len, labels)) * LETTER + 14) / WIDTH):.4f}",
             "set rmargin 4"]
    return lines, middles


def block(name, points):
    """Named data, a line a point."""
    return [f"${name} << END",
            *("\t".join(value if isinstance(value, str) else f"{value:.6g}"
                        for value in point) for point in points), "END"]


def key(count):
    """The legend, above the plot."""
    return [f"set key outside top center horizontal Left reverse "
            f"samplen 2 maxrows {1 if count <= 4 else 2}"]


def bars(path, title, axis, labels, series):
    """SERIES are (name, colour, a value or None for each label)."""
    given = [[s for s, (_, _, values) in enumerate(series)
              if values[i] is not None] for i in range(len(labels))]
    sizes = [len(here) + 0.6 for here in given]
    axis_lines, middles = rows_axis(labels, sizes)
    most = max((v for _, _, values in series for v in values
                if v is not None), default=1)
    lines = [*axis_lines, *key(len(series)), f"set title {words(title)}",
             f"set xlabel {words(axis)}", f"set xrange [0:{most * 1.12:.6g}]"]
    pieces = []
    for s, (name, colour, values) in enumerate(series):
        points = [(values[i],
                   middles[i] + (len(here) - 1) / 2 - here.index(s),
                   words(figure(values[i])))
                  for i, here in enumerate(given) if s in here]
        if not points:
            continue
        lines += block(f"s{s}", points)
        pieces += [f"$s{s} using ($1/2):2:($1/2):(0.42) with boxxyerror "
                   f"fillstyle solid noborder linecolor '{colour}' "
                   f"title {words(name)}",
                   f"$s{s} using 1:2:3 with labels left "
                   "offset 0.6,0 notitle"]
    return draw(path, int(EDGES + 17 * sum(sizes)), lines, pieces)


def intervals(path, title, axis, labels, series):
    """SERIES are (name, colour, (middle, low, high) or None for each label);
    low and high may be the middle.  A line marks 1."""
    size = len(series) + 1
    axis_lines, middles = rows_axis(labels, [size] * len(labels))
    # A band behind every other program, so that the eye keeps the row.
    lines = [*axis_lines, *key(len(series)), f"set title {words(title)}",
             f"set xlabel {words(axis)}",
             "set arrow from 1, graph 0 to 1, graph 1 nohead "
             "linecolor '#222222' linewidth 1.5 back",
             *(f"set object rectangle from graph 0, first {middle - size / 2} "
               f"to graph 1, first {middle + size / 2} behind "
               "fillcolor '#f3f3f3' fillstyle solid noborder"
               for middle in middles[::2])]
    pieces = []
    for s, (name, colour, values) in enumerate(series):
        points = [(*value, middle + (len(series) - 1) / 2 - s)
                  for value, middle in zip(values, middles)
                  if value is not None]
        if not points:
            continue
        lines += block(f"s{s}", points)
        pieces.append(f"$s{s} using 1:4:2:3 with xerrorbars pointtype 7 "
                      f"pointsize 0.6 linewidth 1.6 linecolor '{colour}' "
                      f"title {words(name)}")
    return draw(path, int(EDGES + 9 * len(labels) * size), lines, pieces)


def curves(path, title, across, up, series, log="", marks=(), most="*"):
    """SERIES are (name, colour, dash, [(x, y)]); LOG names the axes with a
    logarithmic scale.  Figures have the letters k, M, G where they are long.
    MARKS are where the axis across has figures, MOST the end of the other."""
    series = [one for one in series if one[3]]
    pieces = []
    lines = [f"set title {words(title)}", f"set xlabel {words(across)}",
             f"set ylabel {words(up)}",
             "set key outside right center vertical Left reverse samplen 3 "
             "spacing 1.3",
             "set xrange [*:*]",
             "set offsets graph 0.03, graph 0.03, graph 0.05, 0"]
    if log:
        lines += [f"set logscale {log}"]
    for name, place in (("x", 0), ("y", 1)):
        largest = max((point[place] for one in series for point in one[3]),
                      default=0)
        digits = 0 if name in log else 1
        lines.append(f"set format {name} '%.{digits}s%c'" if largest >= 10000
                     else f"set format {name} '%g'")
    if marks:
        lines.append(f"set xtics ({', '.join(map(str, marks))})")
    if "y" not in log:
        lines.append(f"set yrange [0:{most}]")
    for s, (name, colour, dash, points) in enumerate(series):
        lines += block(f"s{s}", sorted(points))
        pieces.append(f"$s{s} using 1:2 with linespoints pointtype {7 - s % 3} "
                      f"pointsize 0.6 linewidth 2 dashtype {dash} "
                      f"linecolor '{colour}' title {words(name)}")
    return draw(path, 380, lines, pieces)
