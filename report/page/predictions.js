// SPDX-License-Identifier: Apache-2.0
// What is predicted.
function predictedClasses(parent) {
  const list = order
    .slice()
    .sort((a, b) => D.predictions.expected[b] - D.predictions.expected[a])
    .slice(0, 30);
  const rows = list.map((c) => ({ name: className(c), c: c })),
    p = D.predictions;
  const most = Math.max(1, ...list.map((c) => Math.max(p.predicted[c], p.expected[c])));
  barList(parent, {
    id: "predicted",
    title: "Predicted classes",
    note:
      "Bars: rows " +
      (LABELS ? "in which the label is more probable than not" : "whose most probable class it is") +
      ". Ticks: expected number, the sum of all probabilities." +
      (D.classes.length > 30 ? " The 30 most frequent of " + D.classes.length + "." : ""),
    alt:
      rows
        .slice(0, 8)
        .map((r) => r.name + ": " + count(p.predicted[r.c]) + " rows, " + number(p.expected[r.c]) + " expected")
        .join("; ") + ".",
    rows: rows,
    x: [0, most],
    xTitle: "rows",
    row(svg, r, a, y, tall) {
      mark(
        draw(svg, "rect", {
          x: a.x(0),
          y: y,
          height: tall,
          width: Math.max(1, a.x(p.predicted[r.c]) - a.x(0)),
          fill: colour(r.c),
          "fill-opacity": 0.85,
          rx: 2,
        }),
        r.name + "\npredicted of " + plural(p.predicted[r.c], "row") + "\nexpected number " + number(p.expected[r.c]),
      );
      draw(svg, "line", {
        x1: a.x(p.expected[r.c]),
        x2: a.x(p.expected[r.c]),
        y1: y - 2,
        y2: y + tall + 2,
        stroke: "var(--ink)",
        "stroke-width": 2,
      });
    },
    data: () => [
      [LABELS ? "label" : "class", "rows predicted", "expected number"],
      order.map((c) => [className(c), p.predicted[c], p.expected[c]]),
    ],
  });
}

function confidence(parent) {
  const bins = D.predictions.confidence,
    n = bins.length,
    most = Math.max(...bins) / D.rows;
  figure(parent, {
    id: "confidence",
    title: "Confidence",
    note: "Rows by the probability of " + (LABELS ? "the most probable label" : "the predicted class") + ".",
    alt:
      "Histogram of the highest probability; " +
      percent(bins.slice(18).reduce((a, b) => a + b, 0) / D.rows) +
      " of rows are above 90 %.",
    height: () => 250,
    draw(svg, w, h) {
      const a = axes(svg, w, h, {
        x: [0, 1],
        y: [0, most * 1.05],
        xFormat: percentTick,
        yFormat: (v) => number(100 * v, 2) + " %",
        yTitle: "rows",
        xTitle: "highest probability",
      });
      bins.forEach((b, i) =>
        mark(
          draw(svg, "rect", {
            x: a.x(i / n) + 1,
            width: Math.max(1, a.x(1 / n) - a.x(0) - 2),
            y: a.y(b / D.rows),
            height: a.y(0) - a.y(b / D.rows),
            fill: "var(--accent)",
            "fill-opacity": 0.75,
          }),
          percentTick(i / n) + " to " + percentTick((i + 1) / n) + "\n" + plural(b, "row"),
        ),
      );
    },
    data: () => [["from", "to", "rows"], bins.map((b, i) => [i / n, (i + 1) / n, b])],
  });
}

function predictedNumbers(parent) {
  const values = D.sample.map((r) => r.mean).filter(known),
    n = 20;
  const low = Math.min(...values),
    high = Math.max(...values),
    bins = new Array(n).fill(0),
    step = (high - low) / n || 1;
  for (const v of values) bins[Math.min(n - 1, Math.floor((v - low) / step))]++;
  figure(parent, {
    id: "predicted",
    title: "Predicted means",
    note:
      "Predicted means of a sample of " +
      plural(values.length, "row") +
      ". Over all rows: mean " +
      withError(D.predictions.mean) +
      ", mean predicted deviation " +
      withError(D.predictions.sd) +
      ".",
    alt: "Histogram of predicted means from " + number(low) + " to " + number(high) + ".",
    height: () => 250,
    draw(svg, w, h) {
      const a = axes(svg, w, h, {
        x: [low, low + n * step],
        y: [0, Math.max(...bins) * 1.05],
        xTitle: "predicted mean",
        yTitle: "rows of the sample",
      });
      bins.forEach((b, i) =>
        mark(
          draw(svg, "rect", {
            x: a.x(low + i * step) + 1,
            width: Math.max(1, a.x(low + step) - a.x(low) - 2),
            y: a.y(b),
            height: a.y(0) - a.y(b),
            fill: "var(--accent)",
            "fill-opacity": 0.75,
          }),
          number(low + i * step) + " to " + number(low + (i + 1) * step) + "\n" + plural(b, "row"),
        ),
      );
    },
    data: () => [["from", "to", "rows of the sample"], bins.map((b, i) => [low + i * step, low + (i + 1) * step, b])],
  });
}

function classSets(parent) {
  const sizes = D.sets.sizes,
    rows = sizes
      .map((n, size) => ({ name: size ? size + (size === 1 ? " class" : " classes") : "no class", n: n }))
      .slice(0, 12);
  barList(parent, {
    id: "sets",
    title: "Sets of classes",
    note:
      "Rows by the number of plausible classes, for sets that contain the true class in " +
      percentTick(D.sets.coverage) +
      " of rows" +
      (D.sets.held ? "; here they do in " + withErrorPercent(D.sets.held) : "") +
      ". A set with one class is a clear prediction; an empty set means that no class is plausible.",
    alt: rows.map((r) => r.name + ": " + plural(r.n, "row")).join("; ") + ".",
    rows: rows,
    x: [0, Math.max(1, ...sizes)],
    xTitle: "rows",
    row(svg, r, a, y, tall) {
      mark(
        draw(svg, "rect", {
          x: a.x(0),
          y: y,
          height: tall,
          width: Math.max(1, a.x(r.n) - a.x(0)),
          fill: "var(--accent)",
          "fill-opacity": 0.75,
          rx: 2,
        }),
        r.name + "\n" + plural(r.n, "row"),
      );
    },
    data: () => [["classes in the set", "rows"], sizes.map((n, size) => [size, n])],
  });
}

function novelties(parent) {
  const bins = D.novelty.rows,
    n = bins.length,
    wide = D.novelty.bin,
    most = Math.max(...bins) / D.rows;
  const above = (z) => sum(bins.slice(Math.round(z / wide))) / D.rows;
  figure(parent, {
    id: "novelty",
    title: "Novelty",
    note:
      "How unusual the rows are compared with the training rows" + (NUMBERS ? "" : ", for any class") + ": 1 is as unusual as one training row in 10, " +
      "2 as one in 100. Above 1: " +
      percent(above(1)) +
      " of rows, above 2: " +
      percent(above(2)) +
      ". The last bar contains all larger values.",
    alt: "Histogram of the novelty; " + percent(above(2)) + " of the rows are above 2; of the training rows it is 1 %.",
    height: () => 250,
    draw(svg, w, h) {
      const a = axes(svg, w, h, {
        x: [0, n * wide],
        y: [0, most * 1.05],
        yFormat: (v) => number(100 * v, 2) + " %",
        yTitle: "rows",
        xTitle: "novelty",
      });
      bins.forEach((b, i) =>
        mark(
          draw(svg, "rect", {
            x: a.x(i * wide) + 1,
            width: Math.max(1, a.x(wide) - a.x(0) - 2),
            y: a.y(b / D.rows),
            height: a.y(0) - a.y(b / D.rows),
            fill: "var(--accent)",
            "fill-opacity": 0.75,
          }),
          number(i * wide) + (i + 1 < n ? " to " + number((i + 1) * wide) : " and more") + "\n" + plural(b, "row"),
        ),
      );
    },
    data: () => [["from", "rows"], bins.map((b, i) => [i * wide, b])],
  });
}

const said = section(
  "predictions",
  "Predictions",
  "Over all " + plural(D.rows, "row") + ", with or without a known target.",
);
if (NUMBERS) predictedNumbers(said.figures);
else {
  predictedClasses(said.figures);
  confidence(said.figures);
}
if (D.sets) classSets(said.figures);
if (D.novelty) novelties(said.figures);
