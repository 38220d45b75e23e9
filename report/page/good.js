// SPDX-License-Identifier: Apache-2.0
// How good the predictions are.
function confusion(parent) {
  const n = D.classes.length,
    counts = E.confusion.counts,
    shares = E.confusion.shares,
    few = n <= 12;
  const longest = Math.min(16, Math.max(...D.classes.map((c) => c.length)));
  const size = (w) => {
    const left = few ? Math.min(w * 0.3, 14 + longest * 7) : 90,
      cell = (w - left - (few ? 58 : 4)) / n;
    return {
      left,
      top: few ? 42 : 8,
      cell,
      tall: few ? Math.max(24, Math.min(cell, 320 / n, 96)) : Math.min(cell, 18),
    };
  };
  figure(parent, {
    id: "confusion",
    title: "Confusion matrix",
    wide: n > 12,
    note: "Rows of each true class, and the class predicted. Shade: share of the true class.",
    alt: "Confusion matrix of " + n + " classes; " + percent(E.error.value) + " of rows are off the diagonal.",
    height: (w) => size(w).top + n * size(w).tall + 6,
    draw(svg, w) {
      const { left, top, cell, tall: rowH } = size(w);
      const label = (c, most) => cut(className(c), most);
      if (few) draw(svg, "text", { class: "muted small", x: left, y: 12 }, "predicted");
      if (few) draw(svg, "text", { class: "muted small", x: left - 8, y: top - 10, "text-anchor": "end" }, "true");
      const nameEvery = Math.ceil(13 / rowH);
      for (let c = 0; c < n; c++) {
        const total = sum(counts[c]),
          y = top + c * rowH;
        if (c % nameEvery === 0)
          draw(
            svg,
            "text",
            { class: "small", x: left - 8, y: y + rowH / 2 + 4, "text-anchor": "end" },
            label(c, Math.max(3, Math.floor((left - 12) / 6.6))),
          );
        if (few)
          draw(
            svg,
            "text",
            { class: "small", x: left + (c + 0.5) * cell, y: top - 10, "text-anchor": "middle" },
            label(c, Math.max(1, Math.floor(cell / 7))),
          );
        for (let k = 0; k < n; k++) {
          const share = shares[c][k] || 0;
          mark(
            draw(svg, "rect", {
              x: left + k * cell + 1,
              y: y + 1,
              width: Math.max(1, cell - (few ? 2 : 0.5)),
              height: Math.max(1, rowH - (few ? 2 : 0.5)),
              rx: few ? 3 : 0,
              fill: total ? (c === k ? "var(--accent)" : "var(--warm)") : "var(--faint)",
              "fill-opacity": total ? (share ? 0.1 + 0.85 * share : 0.04) : 1,
            }),
            className(c) +
              " taken for " +
              className(k) +
              "\n" +
              count(counts[c][k]) +
              " of " +
              plural(total, "row") +
              (total
                ? ", " + withErrorPercent({ value: shares[c][k], standard_error: E.confusion.standard_errors[c][k] })
                : ""),
          );
          if (few && cell > 26)
            draw(
              svg,
              "text",
              {
                class: share > 0.5 ? "small light" : "small",
                x: left + (k + 0.5) * cell,
                y: y + rowH / 2 + 4,
                "text-anchor": "middle",
                "pointer-events": "none",
              },
              count(counts[c][k]),
            );
        }
        if (few)
          draw(
            svg,
            "text",
            { class: "small muted", x: left + n * cell + 8, y: y + rowH / 2 + 4 },
            total ? percent(shares[c][c]) : "no rows",
          );
      }
    },
    data: () => [
      ["true \\ predicted", ...D.classes, "right"],
      counts.map((row, c) => [className(c), ...row, sum(row) ? shares[c][c] : null]),
    ],
  });
}

function reliability(parent) {
  const bins = E.reliability,
    most = Math.max(...bins.map((b) => b.rows));
  figure(parent, {
    id: "reliability",
    title: "Reliability diagram",
    note: "Share of correct predictions by predicted probability. On the dashed line the probabilities are calibrated; below it they are too high. Bars: one standard error; where all or none are right, what 68 % allow.",
    alt:
      "Reliability diagram of " +
      bins.length +
      " bins of the highest probability. Expected calibration error " +
      withError(E.ece) +
      ".",
    height: (w) => Math.min(w, 420),
    draw(svg, w, h) {
      const under = 46,
        a = axes(svg, w, h - under, {
          x: [0, 1],
          y: [0, 1],
          xFormat: percentTick,
          yFormat: percentTick,
          yTitle: "right",
          bottom: 22,
        });
      draw(svg, "line", { class: "ideal", x1: a.x(0), y1: a.y(0), x2: a.x(1), y2: a.y(1) });
      draw(svg, "polyline", {
        fill: "none",
        stroke: "var(--accent)",
        "stroke-width": 1.5,
        "stroke-opacity": 0.5,
        points: bins.map((b) => a.x(b.confidence) + "," + a.y(b.right.value)).join(" "),
      });
      const base = h - 22;
      for (const b of bins) {
        const [low, high] = reach(b.right, b.rows);
        bars(svg, a.x(b.confidence), (low + high) / 2, (high - low) / 2, a);
        mark(
          draw(svg, "circle", {
            cx: a.x(b.confidence),
            cy: a.y(b.right.value),
            r: 3 + 3 * Math.sqrt(b.rows / most),
            fill: "var(--accent)",
          }),
          "sure by " + percent(b.confidence) + "\nright " + withErrorPercent(b.right) + "\n" + plural(b.rows, "row"),
        );
        const tall = (30 * b.rows) / most;
        draw(svg, "rect", {
          x: a.x(b.least) + 1,
          width: Math.max(1, a.x(b.most) - a.x(b.least) - 2),
          y: base - tall,
          height: tall,
          fill: "var(--other)",
          "fill-opacity": 0.55,
        });
      }
      draw(svg, "line", { class: "axis", x1: a.left, x2: a.right, y1: base, y2: base });
      draw(
        svg,
        "text",
        { class: "muted small", x: (a.left + a.right) / 2, y: h - 6, "text-anchor": "middle" },
        "highest probability, and how many rows have it",
      );
    },
    data: () => [
      ["from", "to", "rows", "mean probability", "share right", "standard error"],
      bins.map((b) => [b.least, b.most, b.rows, b.confidence, b.right.value, b.right.standard_error]),
    ],
  });
}

function byNoise(parent) {
  const groups = E.by_noise,
    key = NUMBERS ? "rmse" : "error",
    share = !NUMBERS;
  if (groups.length < 2) return;
  const name = NUMBERS ? "RMSE" : "Error",
    expected = groups[0].expected_error;
  const range = (g) => number(g.least, 3) + (g.most > g.least ? " to " + number(g.most, 3) : "");
  const text = share ? withErrorPercent : withError;
  const verdict = !expected
    ? ""
    : " Hollow marks: the error that the probabilities imply. The two agree if the probabilities are calibrated.";
  figure(parent, {
    id: "by-noise",
    title: "Scores by noise level",
    wide: true,
    note:
      "Thirds of the rows by noise level: the mean over attributes of error / standard deviation of the attribute." +
      verdict,
    alt: name + " and NLL by noise level: " + groups.map((g) => range(g) + ": " + text(g[key])).join("; ") + ".",
    height: (w) => (w < 560 ? 470 : 250),
    legend: expected
      ? (at) =>
          legend(at, [
            [
              "observed, with its standard error",
              (s) => draw(s, "circle", { cx: 7, cy: 7, r: 5, fill: "var(--accent)" }),
            ],
            [
              "implied by the probabilities",
              (s) =>
                draw(s, "circle", {
                  cx: 7,
                  cy: 7,
                  r: 4.5,
                  fill: "var(--surface)",
                  stroke: "var(--warm)",
                  "stroke-width": 2,
                }),
            ],
          ])
      : null,
    draw(svg, w, h) {
      const stacked = w < 560,
        half = stacked ? w : w / 2 - 12,
        tall = stacked ? h / 2 - 10 : h;
      [
        [key, name, share, true],
        ["nll", "NLL, nats", false, false],
      ].forEach(([k, title, asShare, first], n) => {
        const panel = draw(svg, "g", {
          transform: stacked ? "translate(0 " + n * (tall + 20) + ")" : "translate(" + n * (half + 24) + " 0)",
        });
        const values = groups.flatMap((g) => [
          g[k].value - (g[k].standard_error || 0),
          g[k].value + (g[k].standard_error || 0),
          first && expected ? g.expected_error.value : g[k].value,
        ]);
        const least = Math.min(0, ...values),
          high = Math.max(...values),
          low = least < 0 ? least - 0.1 * (high - least) : 0;
        const a = axes(panel, half, tall, {
          x: [0, groups.length],
          y: [low, (high - low || 1) * 1.1 + low],
          xTicks: false,
          yFormat: asShare ? percentTick : undefined,
          yTitle: title,
          xTitle: "noise level",
        });
        groups.forEach((g, i) => {
          const x = a.x(i + 0.5);
          draw(panel, "text", { class: "tick small", x: x, y: a.bottom + 16, "text-anchor": "middle" }, range(g));
          bars(panel, x, g[k].value, g[k].standard_error, a);
          mark(
            draw(panel, "circle", { cx: x, cy: a.y(g[k].value), r: 6, fill: "var(--accent)" }),
            "noise level " +
              range(g) +
              "\n" +
              title +
              " " +
              (asShare ? withErrorPercent : withError)(g[k]) +
              "\n" +
              plural(g.rows, "row"),
          );
          if (first && expected)
            mark(
              draw(panel, "circle", {
                cx: x + 16,
                cy: a.y(g.expected_error.value),
                r: 5,
                fill: "var(--surface)",
                stroke: "var(--warm)",
                "stroke-width": 2,
              }),
              "noise level " + range(g) + "\nexpected error " + withErrorPercent(g.expected_error),
            );
        });
      });
    },
    data: () => [
      ["noise from", "to", "rows", name, "± ", "NLL", "±", ...(expected ? ["expected error"] : [])],
      groups.map((g) => [
        g.least,
        g.most,
        g.rows,
        g[key].value,
        g[key].standard_error,
        g.nll.value,
        g.nll.standard_error,
        ...(expected ? [g.expected_error.value] : []),
      ]),
    ],
  });
}

function seenAgainstPredicted(parent) {
  const rows = D.sample.filter((r) => known(r.y));
  // The observed values set the scale; predictions and intervals beyond are cut.
  const least = Math.min(...rows.map((r) => r.y)),
    most = Math.max(...rows.map((r) => r.y)),
    margin = 0.08 * (most - least || 1),
    low = least - margin,
    high = most + margin;
  const cut = (value) => Math.min(Math.max(value, low), high);
  figure(parent, {
    id: "seen",
    title: "Predicted against observed",
    note:
      "A sample of " +
      plural(rows.length, "row") +
      ": predicted mean with the central 90 % interval, against the observed value. Orange: the observed value is outside the interval. What lies beyond the observed values is cut.",
    alt: "Scatter of predictions against targets with 90 % intervals; RMSE " + withError(E.rmse) + ".",
    height: (w) => Math.min(w, 420),
    draw(svg, w, h) {
      const a = axes(svg, w, h, { x: [low, high], y: [low, high], xTitle: "observed", yTitle: "predicted" });
      draw(svg, "line", { class: "ideal", x1: a.x(low), y1: a.y(low), x2: a.x(high), y2: a.y(high) });
      for (const r of rows)
        draw(svg, "line", {
          x1: a.x(r.y),
          x2: a.x(r.y),
          y1: a.y(cut(r.low)),
          y2: a.y(cut(r.high)),
          stroke: "var(--accent)",
          "stroke-opacity": 0.25,
        });
      for (const r of rows)
        mark(
          draw(svg, "circle", {
            cx: a.x(r.y),
            cy: a.y(cut(r.mean)),
            r: 3,
            fill: r.y < r.low || r.y > r.high ? "var(--warm)" : "var(--accent)",
          }),
          "row " +
            r.row +
            "\nobserved " +
            number(r.y) +
            "\npredicted " +
            number(r.mean) +
            "\n90 %: " +
            number(r.low) +
            " to " +
            number(r.high),
        );
    },
    data: () => [["row", "observed", "predicted", "5 %", "95 %"], rows.map((r) => [r.row, r.y, r.mean, r.low, r.high])],
  });
}

function coverage(parent) {
  const levels = [
    [0.5, E.coverage_50],
    [0.9, E.coverage_90],
    [0.95, E.coverage_95],
  ];
  figure(parent, {
    id: "coverage",
    title: "Coverage of intervals",
    note:
      "Share of rows within the central intervals, with one standard error. Dashed: the nominal share." +
      (D.target === "count" ? " Intervals of counts contain a little more than their nominal share." : ""),
    alt:
      "Coverage: " +
      levels.map(([l, s]) => percent(l, 0) + " interval holds " + withErrorPercent(s)).join("; ") +
      ".",
    height: () => 250,
    draw(svg, w, h) {
      const a = axes(svg, w, h, {
        x: [0, 3],
        y: [0, 1],
        xTicks: false,
        yFormat: percentTick,
        yTitle: "rows inside",
        xTitle: "interval",
      });
      levels.forEach(([level, s], i) => {
        const x = a.x(i + 0.5),
          half = Math.min(42, w / 9);
        mark(
          draw(svg, "rect", {
            x: x - half,
            width: 2 * half,
            y: a.y(s.value),
            height: a.y(0) - a.y(s.value),
            fill: "var(--accent)",
            "fill-opacity": 0.75,
            rx: 2,
          }),
          percent(level, 0) + " interval\nholds " + withErrorPercent(s),
        );
        bars(svg, x, s.value, s.standard_error, a);
        draw(svg, "line", { x1: x - half - 6, x2: x + half + 6, y1: a.y(level), y2: a.y(level), class: "ideal" });
        draw(
          svg,
          "text",
          { class: "tick small", x: x, y: a.bottom + 16, "text-anchor": "middle" },
          percent(level, 0),
        );
      });
    },
    data: () => [
      ["interval", "rows inside", "standard error"],
      levels.map(([l, s]) => [l, s.value, s.standard_error]),
    ],
  });
}

function pit(parent) {
  const n = E.pit.length,
    most = Math.max(2 / n, ...E.pit.map((b) => b.value)) * 1.08,
    se = Math.sqrt(((1 / n) * (1 - 1 / n)) / Math.max(1, E.rows));
  figure(parent, {
    id: "pit",
    title: "PIT histogram",
    note: "Cumulative probabilities of the targets in their predicted distributions (PIT): flat if the distributions are right, U-shaped if they are too narrow, hump-shaped if they are too wide. Band: two standard errors.",
    alt:
      "PIT histogram of " +
      n +
      " bins, shares from " +
      percent(Math.min(...E.pit.map((b) => b.value))) +
      " to " +
      percent(Math.max(...E.pit.map((b) => b.value))) +
      "; flat would be " +
      percent(1 / n) +
      ".",
    height: () => 250,
    draw(svg, w, h) {
      const a = axes(svg, w, h, {
        x: [0, 1],
        y: [0, most],
        yFormat: percentTick,
        yTitle: "rows",
        xTitle: "P(Y ≤ y)",
      });
      draw(svg, "rect", {
        x: a.left,
        width: a.right - a.left,
        y: a.y(1 / n + 2 * se),
        height: Math.max(0, a.y(Math.max(0, 1 / n - 2 * se)) - a.y(1 / n + 2 * se)),
        fill: "var(--faint)",
      });
      E.pit.forEach((b, i) =>
        mark(
          draw(svg, "rect", {
            x: a.x(i / n) + 1,
            width: Math.max(1, a.x(1 / n) - a.x(0) - 2),
            y: a.y(b.value),
            height: a.y(0) - a.y(b.value),
            fill: "var(--accent)",
            "fill-opacity": 0.75,
            rx: 1,
          }),
          "from " + number(i / n) + " to " + number((i + 1) / n) + "\n" + withErrorPercent(b) + " of rows",
        ),
      );
      draw(svg, "line", { class: "ideal", x1: a.left, x2: a.right, y1: a.y(1 / n), y2: a.y(1 / n) });
    },
    data: () => [
      ["from", "to", "share of rows", "standard error"],
      E.pit.map((b, i) => [i / n, (i + 1) / n, b.value, b.standard_error]),
    ],
  });
}

function labelErrors(parent) {
  const rows = E.labels.map((l) => ({ name: l.name, l: l }));
  const most = Math.max(0.01, ...rows.map((r) => r.l.error.value + (r.l.error.standard_error || 0)));
  barList(parent, {
    id: "labels",
    title: "Which labels are wrong",
    note: "Share of rows in which each label is predicted wrong, with its standard error.",
    alt:
      rows
        .slice(0, 8)
        .map((r) => r.name + " " + withErrorPercent(r.l.error))
        .join("; ") + ".",
    rows: rows,
    x: [0, most],
    xFormat: percentTick,
    xTitle: "rows with this label wrong",
    row(svg, r, a, y, tall) {
      mark(
        draw(svg, "rect", {
          x: a.x(0),
          y: y,
          height: tall,
          width: Math.max(1, a.x(r.l.error.value) - a.x(0)),
          fill: "var(--accent)",
          "fill-opacity": 0.8,
          rx: 2,
        }),
        r.name + "\nwrong in " + withErrorPercent(r.l.error) + "\n" + plural(r.l.rows, "row") + " have it",
      );
    },
    data: () => [
      ["label", "rows that have it", "wrong", "standard error"],
      rows.map((r) => [r.name, r.l.rows, r.l.error.value, r.l.error.standard_error]),
    ],
  });
}

if (E) {
  const good = section(
    "how-good",
    "How good it is",
    "On " +
      plural(E.rows, "row") +
      " with a known target. Means and shares have their standard errors." +
      (facts.own_lesson ? " These look like rows of the training: the scores are then too good." : ""),
  );
  cards(good);
  if (E.confusion && D.classes.length <= 100) confusion(good.figures);
  if (E.reliability) reliability(good.figures);
  if (E.confusion) precisionRecall(good.figures);
  if (D.ranking && D.ranking.some((r) => known(r.area))) rankingCurves(good.figures);
  if (E.labels) labelErrors(good.figures);
  if (NUMBERS) {
    seenAgainstPredicted(good.figures);
    pit(good.figures);
    coverage(good.figures);
  }
  byNoise(good.figures);
}
