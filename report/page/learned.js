// SPDX-License-Identifier: Apache-2.0
// What the model learned.
const A = D.attributes;
const unitOf = (a) => (a.unit ? " " + (a.name.startsWith("log(") ? "ln " : "") + a.unit : "");
const axisTitle = (a) => nameOf(a.name) + (a.unit ? " " + a.unit : "");

function bound(parent) {
  const t = D.training.trace || [];
  if (t.length < 2) return;
  const points = t.slice();
  if (D.training.epochs > points[points.length - 1][0] && known(D.training.bound))
    points.push([D.training.epochs, D.training.bound]);
  // The first steps are far below; the picture is about the rest.
  const values = points.map((p) => p[1]).sort((a, b) => a - b),
    high = values[values.length - 1];
  const low = Math.max(values[0], high - 4 * (high - values[Math.floor(values.length * 0.25)]) || values[0]);
  figure(parent, {
    id: "bound",
    title: "The bound over training",
    note:
      "The quantity that training maximises, averaged over each pass. It ended at " +
      number(D.training.bound, 6) +
      " after " +
      plural(D.training.epochs, "pass").replace("passs", "passes") +
      " over " +
      plural(D.training.rows, "row") +
      "." +
      (Math.max(...values) > points[points.length - 1][1] + 0.02 * Math.abs(high - low)
        ? " It falls when the warm-up ends, during which errors of the inputs count less, and rare classes more, than later."
        : ""),
    alt: "The bound rises from " + number(points[0][1], 4) + " to " + number(D.training.bound, 6) + ".",
    height: () => 270,
    draw(svg, w, h) {
      const a = axes(svg, w, h, {
        left: 66,
        x: [0, points[points.length - 1][0]],
        y: [low, high + 0.04 * (high - low || 1)],
        xTitle: "passes over the data",
        yFormat: (v) => number(v, 4),
      });
      const inside = points.filter((p) => p[1] >= low);
      draw(svg, "polyline", {
        fill: "none",
        stroke: "var(--accent)",
        "stroke-width": 2,
        "stroke-linejoin": "round",
        points: inside.map((p) => a.x(p[0]).toFixed(1) + "," + a.y(p[1]).toFixed(1)).join(" "),
      });
      for (const p of inside)
        mark(
          draw(svg, "circle", { cx: a.x(p[0]), cy: a.y(p[1]), r: 4, fill: "var(--accent)", "fill-opacity": 0 }),
          "pass " + p[0] + "\nbound " + number(p[1], 6),
        );
    },
    data: () => [["pass", "bound"], points],
  });
}

function relevance(parent) {
  const rows = A.slice(0, 24).map((a) => ({ name: a.name, a: a })),
    each =
      D.functions.length > 1 &&
      D.functions.length <= 10 &&
      !NUMBERS &&
      !LABELS &&
      D.functions.length === D.classes.length;
  barList(parent, {
    id: "relevance",
    title: "Relevance of attributes",
    note:
      "Relevance: how quickly the latent functions change along an attribute, 1/λ² in standard units, scaled so that the largest is 1." +
      (each ? " Divided by class." : "") +
      (D.attribute_count > 24 ? " The first 24 of " + D.attribute_count + "." : ""),
    alt:
      rows
        .slice(0, 6)
        .map((r) => r.name + " " + number(r.a.relevance, 3))
        .join("; ") + ".",
    rows: rows,
    x: [0, 1],
    xTitle: "relevance",
    legend: each ? (at) => classLegend(at, featured) : null,
    row(svg, r, a, y, tall) {
      let from = 0;
      const parts = each ? r.a.by_function : [r.a.relevance];
      parts.forEach((p, f) => {
        mark(
          draw(svg, "rect", {
            x: a.x(from),
            y: y,
            height: tall,
            width: Math.max(0.5, a.x(from + p) - a.x(from) - 0.5),
            fill: each ? colour(f) : "var(--accent)",
            "fill-opacity": 0.85,
          }),
          r.name +
            (each ? "\n" + className(f) : "") +
            "\n" +
            number(p, 3) +
            (each ? " of " + number(r.a.relevance, 3) : ""),
        );
        from += p;
      });
    },
    data: () => [
      ["attribute", "relevance", ...(D.functions.length <= 20 ? D.functions : [])],
      A.map((a) => [a.name, a.relevance, ...(D.functions.length <= 20 ? a.by_function : [])]),
    ],
  });
}

// What a lengthscale does not say: an attribute along which functions change slowly can tell much, and the reverse.
function exchanged(parent) {
  const rows = (D.exchanged || [])
    .map(([value, standard_error], k) => ({ name: A[k].name, rise: { value, standard_error } }))
    .filter((r) => known(r.rise.value))
    .sort((a, b) => b.rise.value - a.rise.value);
  if (!rows.length) return;
  barList(parent, {
    id: "exchanged",
    title: "What attributes tell",
    note: "By how much the NLL rises if the values of an attribute, with their errors, are exchanged among rows. Bars: one standard error. Attributes that tell the same can replace each other.",
    alt: rows.map((r) => r.name + " " + withError(r.rise)).join("; ") + ".",
    rows: rows,
    x: [Math.min(0, ...rows.map((r) => r.rise.value)), Math.max(1e-3, ...rows.map((r) => r.rise.value + (r.rise.standard_error || 0)))],
    xTitle: "rise of the NLL, nats a row",
    row(svg, r, a, y, tall) {
      const from = Math.min(a.x(0), a.x(r.rise.value)),
        to = Math.max(a.x(0), a.x(r.rise.value)),
        se = r.rise.standard_error || 0;
      mark(
        draw(svg, "rect", { x: from, y: y, height: tall, width: Math.max(0.5, to - from), fill: "var(--accent)", "fill-opacity": 0.8 }),
        r.name + "\nrise of the NLL " + withError(r.rise),
      );
      draw(svg, "line", {
        x1: Math.max(a.left, a.x(r.rise.value - se)),
        x2: Math.min(a.right, a.x(r.rise.value + se)),
        y1: y + tall / 2,
        y2: y + tall / 2,
        stroke: "var(--ink)",
      });
    },
    data: () => [
      ["attribute", "rise of the NLL", "standard error"],
      rows.map((r) => [r.name, r.rise.value, r.rise.standard_error]),
    ],
  });
}

function noise(parent) {
  const learned = A.some((a) => a.learned_noise > 0);
  const rows = A.slice(0, 24)
    .filter((a) => a.deviation > 0 && ((a.errors.length && a.errors[4] > 0) || a.learned_noise > 0))
    .map((a) => ({ name: a.name, a: a }));
  if (!rows.length || !rows.some((r) => r.a.learned_noise > 0 || (r.a.errors.length && r.a.errors[4] > 0))) return;
  const most =
    Math.max(...rows.map((r) => Math.max(r.a.learned_noise, r.a.errors.length ? r.a.errors[3] : 0) / r.a.deviation)) *
    1.1;
  barList(parent, {
    id: "noise",
    title: learned ? "Noise, given and learned" : "Errors given",
    note:
      "Bars: the middle half of the given 1-sigma errors, tick at the median" +
      (learned ? "; diamond: learned noise" : "; no noise was learned") +
      ". In units of the standard deviation of each attribute in this table; the pointer and the data show its own units.",
    alt:
      rows
        .slice(0, 6)
        .map(
          (r) =>
            r.name +
            ": median error " +
            number(r.a.errors[2], 3) +
            unitOf(r.a) +
            (learned ? ", learned " + number(r.a.learned_noise, 3) : ""),
        )
        .join("; ") + ".",
    rows: rows,
    x: [0, most || 1],
    xTitle: "noise / standard deviation of the attribute",
    row(svg, r, a, y, tall) {
      const e = r.a.errors,
        d = r.a.deviation,
        u = unitOf(r.a);
      if (e.length) {
        mark(
          draw(svg, "rect", {
            x: a.x(e[1] / d),
            y: y + 2,
            height: tall - 4,
            width: Math.max(2, a.x(e[3] / d) - a.x(e[1] / d)),
            fill: "var(--accent)",
            "fill-opacity": 0.55,
            rx: 2,
          }),
          r.name +
            "\ngiven errors: median " +
            number(e[2], 3) +
            u +
            "\nmiddle half " +
            number(e[1], 3) +
            " to " +
            number(e[3], 3) +
            u +
            "\nspread of the attribute " +
            number(d, 3) +
            u,
        );
        draw(svg, "line", {
          x1: a.x(e[2] / d),
          x2: a.x(e[2] / d),
          y1: y,
          y2: y + tall,
          stroke: "var(--accent)",
          "stroke-width": 2,
        });
      }
      if (r.a.learned_noise > 0) {
        const x = a.x(r.a.learned_noise / d),
          m = y + tall / 2;
        mark(
          draw(svg, "polygon", {
            points: [
              [x, m - 7],
              [x + 7, m],
              [x, m + 7],
              [x - 7, m],
            ]
              .map((p) => p.join(","))
              .join(" "),
            fill: "var(--warm)",
          }),
          r.name + "\nlearned noise " + number(r.a.learned_noise, 3) + u,
        );
      }
    },
    data: () => [
      [
        "attribute",
        "unit",
        "error column",
        "least error",
        "quarter",
        "median",
        "three quarters",
        "largest",
        "learned noise",
        "spread",
        "cells missing",
      ],
      A.map((a) => [
        a.name,
        a.unit || "",
        a.error_column || "",
        ...(a.errors.length ? a.errors : [null, null, null, null, null]),
        a.learned_noise || null,
        a.deviation,
        a.missing,
      ]),
    ],
  });
}

// Rows at the foot of a curve, with their error bars: where there are data to go by.
function rug(svg, a, k, bottom) {
  for (const r of D.sample.slice(0, 120)) {
    const x = r.x[k];
    if (!known(x) || a.x(x) < a.left || a.x(x) > a.right) continue;
    const c = known(r.y) && !NUMBERS ? r.y : r.best,
      paint = NUMBERS ? "var(--accent)" : colour(c),
      lane = NUMBERS ? 0 : Math.min(place[c], 4);
    const y = bottom - 4 - lane * 5,
      e = known(r.e[k]) ? r.e[k] : 0;
    if (e > 0)
      draw(svg, "line", {
        x1: Math.max(a.left, a.x(x - e)),
        x2: Math.min(a.right, a.x(x + e)),
        y1: y,
        y2: y,
        stroke: paint,
        "stroke-opacity": 0.3,
      });
    draw(svg, "circle", { cx: a.x(x), cy: y, r: 1.8, fill: paint, "fill-opacity": 0.8 });
  }
}

const topOf = (p) => (p > 0.5 ? 1 : Math.ceil(22 * p) / 20);
const highest = NUMBERS ? 0 : topOf(Math.max(0, ...D.curves.flatMap((c) => c.values.flat())));
const spread = (list) => Math.max(...list) - Math.min(...list);

function curve(parent, c, k, rank) {
  const n = c.values.length,
    at = (i) => c.low + ((c.high - c.low) * i) / (n - 1);
  const shown = NUMBERS
    ? []
    : featured
        .slice()
        .sort((a, b) => Math.max(...c.values.map((v) => v[b])) - Math.max(...c.values.map((v) => v[a])));
  const attribute = A.find((x) => x.name === c.name) || { name: c.name };
  const lows = NUMBERS ? Math.min(...c.values.map((v) => v[0] - v[1])) : 0,
    highs = NUMBERS
      ? Math.max(...c.values.map((v) => v[0] + v[1]))
      : highest; // one scale for all curves
  const say = (v) =>
    NUMBERS
      ? number(v[0]) + " ± " + number(v[1], 2)
      : shown
          .slice(0, 5)
          .map((cl) => cut(className(cl), 24) + " " + percent(v[cl]))
          .join(", ");
  figure(parent, {
    id: "curve-" + k,
    title: "Along " + cut(nameOf(c.name), 60),
    note:
      rank === 0
        ? (NUMBERS ? "Predicted mean and one standard deviation" : "Mean probability of each class") +
          " where this attribute has the value below" +
          (D.attribute_count > 1
            ? " and all else is as measured in " + plural(D.curve_rows, "row") + " of the sample, averaged"
            : "") +
          ". Dots at the bottom: rows with their error bars."
        : null,
    alt:
      "At " +
      valueOf(c.name, c.low, 3) +
      ": " +
      say(c.values[0]) +
      ". At " +
      valueOf(c.name, c.high, 3) +
      ": " +
      say(c.values[n - 1]) +
      ".",
    height: () => (NUMBERS ? 260 : 270),
    legend: NUMBERS ? null : (p) => classLegend(p, featured, true),
    draw(svg, w, h) {
      const foot = NUMBERS ? 12 : 8 + 5 * Math.min(5, D.classes.length);
      const a = axes(svg, w, h, {
        x: [c.low, c.high],
        y: [lows, highs],
        yFormat: NUMBERS ? undefined : percentTick,
        xTitle: axisTitle(attribute),
        xLog: c.name,
        bottom: 40,
      });
      const inner = Object.assign({}, a, { y: scale(lows, highs, a.bottom - foot, a.top) });
      rug(svg, a, k, a.bottom);
      if (NUMBERS) {
        const up = c.values.map((v, i) => a.x(at(i)) + "," + inner.y(v[0] + v[1])),
          down = c.values.map((v, i) => a.x(at(i)) + "," + inner.y(v[0] - v[1])).reverse();
        draw(svg, "polygon", { points: up.concat(down).join(" "), fill: "var(--accent)", "fill-opacity": 0.15 });
        draw(svg, "polyline", {
          points: c.values.map((v, i) => a.x(at(i)) + "," + inner.y(v[0])).join(" "),
          fill: "none",
          stroke: "var(--accent)",
          "stroke-width": 2.2,
        });
      } else {
        for (let cl = 0; cl < D.classes.length; cl++)
          if (place[cl] >= 10 && Math.max(...c.values.map((v) => v[cl])) > 0.02)
            draw(svg, "polyline", {
              points: c.values.map((v, i) => a.x(at(i)) + "," + a.y(v[cl])).join(" "),
              fill: "none",
              stroke: "var(--other)",
              "stroke-width": 1,
              "stroke-opacity": 0.6,
            });
        for (const cl of featured.slice().reverse())
          draw(svg, "polyline", {
            class: "line",
            points: c.values.map((v, i) => a.x(at(i)) + "," + a.y(v[cl])).join(" "),
            fill: "none",
            stroke: colour(cl),
            "stroke-width": 2.2,
            "stroke-dasharray": dash(cl),
            "stroke-linejoin": "round",
          });
      }
      const slot = (a.right - a.left) / (n - 1);
      c.values.forEach((v, i) =>
        mark(
          draw(svg, "rect", {
            x: Math.max(a.left, a.x(at(i)) - slot / 2),
            width: slot,
            y: a.top,
            height: a.bottom - a.top,
            fill: "var(--ink)",
            "fill-opacity": 0,
            "stroke-opacity": 0.15,
          }),
          nameOf(c.name) +
            " = " +
            valueOf(c.name, at(i), 4) +
            "\n" +
            (NUMBERS
              ? say(v)
              : shown
                  .filter((cl) => v[cl] >= 0.005)
                  .slice(0, 8)
                  .map((cl) => className(cl) + "  " + percent(v[cl]))
                  .join("\n")),
        ),
      );
    },
    data: () => [
      [c.name, ...(NUMBERS ? ["mean", "standard deviation"] : D.classes)],
      c.values.map((v, i) => [at(i), ...v]),
    ],
  });
}

function map(parent) {
  const m = D.map,
    n = m.places,
    i = m.across.shown,
    j = m.up.shown,
    base = NUMBERS ? 0 : 1 / D.classes.length;
  const means = m.values.map((v) => v[0]),
    low = Math.min(...means),
    high = Math.max(...means);
  const rows = D.sample
    .slice(0, 150)
    .filter(
      (r) =>
        known(r.x[i]) &&
        known(r.x[j]) &&
        r.x[i] >= m.across.low &&
        r.x[i] <= m.across.high &&
        r.x[j] >= m.up.low &&
        r.x[j] <= m.up.high,
    );
  figure(parent, {
    id: "map",
    title: "Over two attributes",
    wide: true,
    note:
      (D.attribute_count > 2 ? "The two along which predictions change most. " : "") +
      (NUMBERS
        ? "Predicted mean, darker where larger"
        : "The most probable class; stronger colours mean higher probabilities") +
      (D.attribute_count > 2 ? "; all else as in " + plural(m.rows, "row") + " of the sample, averaged" : "") +
      ". Points: " +
      plural(rows.length, "row") +
      " with error bars" +
      (NUMBERS
        ? "."
        : rows.some((r) => known(r.y))
          ? ", in the colour of the true class."
          : ", in the colour of the predicted class."),
    alt: "Map of predictions over " + cut(m.across.name, 60) + " and " + cut(m.up.name, 60) + ".",
    height: (w) => Math.min(560, Math.max(320, w * 0.62)),
    legend: NUMBERS ? null : (p) => classLegend(p, featured),
    draw(svg, w, h) {
      const a = axes(svg, w, h, {
        left: 62,
        x: [m.across.low, m.across.high],
        y: [m.up.low, m.up.high],
        xTitle: axisTitle(A[i]),
        yTitle: axisTitle(A[j]),
        xLog: m.across.name,
        yLog: m.up.name,
      });
      const cw = (a.right - a.left) / n,
        ch = (a.bottom - a.top) / n,
        ground = draw(svg, "g", { "shape-rendering": "crispEdges" });
      m.values.forEach((v, k) => {
        const col = k % n,
          row = Math.floor(k / n),
          strength = NUMBERS ? (v[0] - low) / (high - low || 1) : Math.max(0, (v[1] - base) / (1 - base));
        const x = m.across.low + ((m.across.high - m.across.low) * (col + 0.5)) / n,
          y = m.up.low + ((m.up.high - m.up.low) * (row + 0.5)) / n;
        mark(
          draw(ground, "rect", {
            x: (a.left + col * cw).toFixed(2),
            y: (a.bottom - (row + 1) * ch).toFixed(2),
            width: cw.toFixed(2),
            height: ch.toFixed(2),
            fill: NUMBERS ? "var(--accent)" : colour(v[0]),
            "fill-opacity": (0.04 + 0.5 * strength).toFixed(3),
          }),
          (NUMBERS ? number(v[0]) + " ± " + number(v[1], 2) : className(v[0]) + "  " + percent(v[1])) +
            "\n" +
            nameOf(m.across.name) +
            " = " +
            valueOf(m.across.name, x, 3) +
            "\n" +
            nameOf(m.up.name) +
            " = " +
            valueOf(m.up.name, y, 3),
        );
      });
      const clampX = (v) => Math.max(a.left, Math.min(a.right, a.x(v))),
        clampY = (v) => Math.max(a.top, Math.min(a.bottom, a.y(v)));
      for (const r of rows) {
        const c = NUMBERS ? 0 : known(r.y) ? r.y : r.best,
          paint = NUMBERS ? "var(--ink)" : colour(c);
        const [ex, ey] = [r.e[i] || 0, r.e[j] || 0],
          [x, y] = [r.x[i], r.x[j]];
        if (ex > 0)
          draw(svg, "line", {
            x1: clampX(x - ex),
            x2: clampX(x + ex),
            y1: a.y(y),
            y2: a.y(y),
            stroke: paint,
            "stroke-opacity": 0.4,
            "pointer-events": "none",
          });
        if (ey > 0)
          draw(svg, "line", {
            x1: a.x(x),
            x2: a.x(x),
            y1: clampY(y - ey),
            y2: clampY(y + ey),
            stroke: paint,
            "stroke-opacity": 0.4,
            "pointer-events": "none",
          });
        const text =
          "row " +
          r.row +
          (NUMBERS
            ? "\npredicted " + number(r.mean)
            : "\n" +
              (known(r.y) ? className(r.y) + ", " : "") +
              "predicted " +
              className(r.best) +
              " " +
              percent(r.p)) +
          "\n" +
          m.across.name +
          " = " +
          number(x, 3) +
          (ex ? " ± " + number(ex, 2) : "") +
          "\n" +
          m.up.name +
          " = " +
          number(y, 3) +
          (ey ? " ± " + number(ey, 2) : "");
        mark(
          NUMBERS
            ? draw(svg, "circle", { cx: a.x(x), cy: a.y(y), r: 2.6, fill: paint, "fill-opacity": 0.7 })
            : shape(svg, c, a.x(x), a.y(y), 3.4, { stroke: "var(--surface)", "stroke-width": 1 }),
          text,
        );
      }
    },
    data: () => [
      [m.across.name, m.up.name, NUMBERS ? "mean" : "class", NUMBERS ? "standard deviation" : "probability"],
      m.values.map((v, k) => [
        m.across.low + ((m.across.high - m.across.low) * ((k % n) + 0.5)) / n,
        m.up.low + ((m.up.high - m.up.low) * (Math.floor(k / n) + 0.5)) / n,
        NUMBERS ? v[0] : className(v[0]),
        v[1],
      ]),
    ],
  });
}

function denoised(parent) {
  if (!D.shown) return;
  // Of those shown, the two whose values move most.
  const one = D.shown < 2,
    kept = (k) => D.denoised.filter((r) => known(r.before[k][0])),
    moves = A.slice(0, D.shown).map(
      (_, k) => sum(kept(k).map((r) => Math.abs(r.after[k][0] - r.before[k][0]))) / (spread(kept(k).map((r) => r.before[k][0])) || 1),
    ),
    pair = one
      ? [0]
      : [D.map.across.shown, D.map.up.shown]
          .concat(moves.map((_, k) => k))
          .filter((k, i, all) => all.indexOf(k) === i)
          .sort((a, b) => moves[b] - moves[a])
          .slice(0, 2),
    names = pair.map((k) => A[k].name);
  const chosen = D.denoised.map((r) => ({
    row: r.row,
    before: pair.map((k) => r.before[k]),
    after: pair.map((k) => r.after[k]),
  }));
  const rows = chosen.filter((r) => known(r.before[0][0]) && (one || known(r.before[1][0])));
  if (!rows.length) return;
  // One attribute: measured across, believed up. Two: both as they are, an arrow from one to the other.
  const ends = (k) => rows.flatMap((r) => [r.before[k][0], r.after[k][0]]);
  const X = [Math.min(...ends(0)), Math.max(...ends(0))],
    Y = one ? X : [Math.min(...ends(1)), Math.max(...ends(1))];
  figure(parent, {
    id: "denoised",
    title: "Rows before and after denoising",
    wide: true,
    note:
      (one
        ? "Measured value (horizontal) and estimated true value (vertical) with one standard deviation; on the dashed line they are equal."
        : "Hollow: measured values with error bars. Filled: estimated true values, given the other rows.") +
      " " +
      plural(rows.length, "row") +
      " of the sample.",
    alt: "Rows before and after denoising.",
    height: (w) => Math.min(460, Math.max(300, w * 0.5)),
    legend: one
      ? null
      : (at) =>
          legend(at, [
            [
              "measured",
              (s) =>
                draw(s, "circle", { cx: 7, cy: 7, r: 4, fill: "none", stroke: "var(--muted)", "stroke-width": 1.5 }),
            ],
            ["believed", (s) => draw(s, "circle", { cx: 7, cy: 7, r: 4.5, fill: "var(--accent)" })],
          ]),
    draw(svg, w, h) {
      const pad = (r) => [r[0] - 0.05 * (r[1] - r[0] || 1), r[1] + 0.05 * (r[1] - r[0] || 1)];
      const a = axes(svg, w, h, {
        left: 62,
        x: pad(X),
        y: pad(Y),
        xTitle: nameOf(names[0]) + (one ? ", measured" : ""),
        yTitle: one ? "believed" : nameOf(names[1]),
        xLog: names[0],
        yLog: names[one ? 0 : 1],
      });
      const cx = (v) => Math.max(a.left, Math.min(a.right, a.x(v))),
        cy = (v) => Math.max(a.top, Math.min(a.bottom, a.y(v)));
      if (one) draw(svg, "line", { class: "ideal", x1: a.x(X[0]), y1: a.y(X[0]), x2: a.x(X[1]), y2: a.y(X[1]) });
      for (const r of rows) {
        const b = r.before,
          f = r.after,
          text =
            "row " +
            r.row +
            "\n" +
            b
              .slice(0, one ? 1 : 2)
              .map(
                (v, k) =>
                  names[k] +
                  ": " +
                  number(v[0], 3) +
                  " ± " +
                  number(v[1], 2) +
                  " → " +
                  number(f[k][0], 3) +
                  " ± " +
                  number(f[k][1], 2),
              )
              .join("\n");
        if (one) {
          draw(svg, "line", {
            x1: a.x(b[0][0]),
            x2: a.x(b[0][0]),
            y1: cy(f[0][0] - f[0][1]),
            y2: cy(f[0][0] + f[0][1]),
            stroke: "var(--accent)",
            "stroke-opacity": 0.4,
          });
          mark(draw(svg, "circle", { cx: a.x(b[0][0]), cy: a.y(f[0][0]), r: 4, fill: "var(--accent)" }), text);
          continue;
        }
        draw(svg, "line", {
          x1: cx(b[0][0] - (b[0][1] || 0)),
          x2: cx(b[0][0] + (b[0][1] || 0)),
          y1: a.y(b[1][0]),
          y2: a.y(b[1][0]),
          stroke: "var(--muted)",
          "stroke-opacity": 0.3,
        });
        draw(svg, "line", {
          x1: a.x(b[0][0]),
          x2: a.x(b[0][0]),
          y1: cy(b[1][0] - (b[1][1] || 0)),
          y2: cy(b[1][0] + (b[1][1] || 0)),
          stroke: "var(--muted)",
          "stroke-opacity": 0.3,
        });
        draw(svg, "line", {
          x1: a.x(b[0][0]),
          y1: a.y(b[1][0]),
          x2: a.x(f[0][0]),
          y2: a.y(f[1][0]),
          stroke: "var(--accent)",
          "stroke-opacity": 0.7,
          "stroke-width": 1.3,
        });
        draw(svg, "circle", {
          cx: a.x(b[0][0]),
          cy: a.y(b[1][0]),
          r: 3,
          fill: "var(--surface)",
          stroke: "var(--muted)",
          "stroke-width": 1.3,
        });
        mark(draw(svg, "circle", { cx: a.x(f[0][0]), cy: a.y(f[1][0]), r: 4, fill: "var(--accent)" }), text);
      }
    },
    data: () => [
      ["row", ...names.flatMap((n) => [n, "error", n + " believed", "deviation"])],
      rows.map((r) => [
        r.row,
        ...names.flatMap((_, k) => [r.before[k][0], r.before[k][1], r.after[k][0], r.after[k][1]]),
      ]),
    ],
  });
}

const learned = section("learned", "What it learned");
bound(learned.figures);
relevance(learned.figures);
exchanged(learned.figures);
noise(learned.figures);
// Those along which predictions change most come first.
const effect = (c) =>
  NUMBERS ? spread(c.values.map((v) => v[0])) : sum(c.values[0].map((_, cl) => spread(c.values.map((v) => v[cl]))));
D.curves
  .map((c, k) => [c, k])
  .sort((a, b) => effect(b[0]) - effect(a[0]))
  .forEach(([c, k], i) => curve(learned.figures, c, k, i));
if (D.map) map(learned.figures);
if (D.denoised.length) denoised(learned.figures);
