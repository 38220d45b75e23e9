// SPDX-License-Identifier: Apache-2.0
// How well classes are set apart: precision and recall, ROC and precision-recall curves.
function share(part, all) {
  const value = all ? part / all : null;
  return { value, rows: all, standard_error: all > 1 ? Math.sqrt((value * (1 - value)) / (all - 1)) : null };
}

function precisionRecall(parent) {
  const counts = E.confusion.counts;
  const rows = order.slice(0, 20).map((c) => {
    const taken = sum(counts.map((row) => row[c]));
    return {
      name: className(c),
      recall: share(counts[c][c], sum(counts[c])),
      precision: share(counts[c][c], taken),
      area: D.ranking ? D.ranking[c].area : null,
    };
  });
  const marks = [
    ["recall: share of the class's rows that are found", "recall", "var(--accent)"],
    ["precision: share right of the rows so predicted", "precision", "var(--surface)"],
  ];
  const dot = (svg, x, y, fill) => draw(svg, "circle", { cx: x, cy: y, r: 5, fill, stroke: "var(--accent)", "stroke-width": 2 });
  barList(parent, {
    id: "precision-recall",
    title: "Precision and recall",
    wide: true,
    note: "Of the most probable class. Bars: one standard error; where all or none are right, what 68 % allow.",
    alt: rows.map((r) => r.name + ": precision " + percent(r.precision.value) + ", recall " + percent(r.recall.value)).join("; "),
    rows: rows,
    x: [0, 1],
    xFormat: percentTick,
    legend: (at) => legend(at, marks.map(([text, , fill]) => [text, (s) => dot(s, 7, 7, fill)])),
    row(svg, r, a, y, tall) {
      marks.forEach(([, key, fill], k) => {
        const s = r[key],
          at = y + tall * (0.3 + 0.4 * k);
        if (!known(s.value)) return;
        const [low, high] = reach(s, s.rows);
        draw(svg, "line", { x1: a.x(low), x2: a.x(high), y1: at, y2: at, stroke: "var(--ink)" });
        mark(dot(svg, a.x(s.value), at, fill), r.name + "\n" + key + " " + withErrorPercent(s));
      });
    },
    data: () => [
      ["class", "precision", "standard error", "recall", "standard error", "area under the ROC curve"],
      rows.map((r) => [r.name, r.precision.value, r.precision.standard_error, r.recall.value, r.recall.standard_error, r.area]),
    ],
  });
}

// The shares found, of false alarms and right at each threshold, from the highest on.
function thresholds(r) {
  const all = sum(r.with),
    others = sum(r.without),
    points = [{ found: 0, alarms: 0, right: null }];
  let found = 0,
    alarms = 0;
  for (let b = r.with.length - 1; b >= 0; b--) {
    if (!r.with[b] && !r.without[b]) continue;
    found += r.with[b];
    alarms += r.without[b];
    points.push({ found: found / all, alarms: alarms / others, right: found / (found + alarms) });
  }
  points[0].right = points[1].right;
  return points;
}

function rankingCurves(parent) {
  const classes = featured.filter((c) => known(D.ranking[c].area));
  const curves = classes.map((c) => thresholds(D.ranking[c]));
  const kinds = [
    ["roc", "ROC curves", "alarms", "found", "other rows taken for the class", "found", "Area: "],
    ["recall-curve", "Precision-recall curves", "found", "right", "rows of the class that are found", "right", ""],
  ];
  for (const [id, title, across, up, xTitle, yTitle, areas] of kinds)
    figure(parent, {
      id: id,
      title: title,
      note:
        "Each class against all others, at every threshold of its probability." +
        (areas ? " " + areas + classes.map((c) => className(c) + " " + number(D.ranking[c].area, 3)).join(", ") + "." : ""),
      alt: title + " of " + plural(classes.length, "curve") + ".",
      height: (w) => Math.min(w, 360),
      legend: (at) => classLegend(at, classes, true),
      draw(svg, w, h) {
        const a = axes(svg, w, h, { x: [0, 1], y: [0, 1], xFormat: percentTick, yFormat: percentTick, xTitle, yTitle });
        if (areas) draw(svg, "line", { class: "ideal", x1: a.x(0), y1: a.y(0), x2: a.x(1), y2: a.y(1) });
        curves.forEach((points, k) =>
          mark(
            draw(svg, "polyline", {
              fill: "none",
              stroke: colour(classes[k]),
              "stroke-width": 2,
              "stroke-dasharray": dash(classes[k]),
              points: points.map((p) => a.x(p[across]).toFixed(1) + "," + a.y(p[up]).toFixed(1)).join(" "),
            }),
            className(classes[k]) + "\narea under the ROC curve " + number(D.ranking[classes[k]].area, 3),
          ),
        );
      },
      data: () => [
        ["class", xTitle, yTitle],
        curves.flatMap((points, k) => points.map((p) => [className(classes[k]), p[across], p[up]])),
      ],
    });
}
