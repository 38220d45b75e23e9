// SPDX-License-Identifier: Apache-2.0
// What to do next.
function entropy(parent) {
  const parts = ["rest", "measurement"],
    H = D.entropy;
  const list = order
    .slice()
    .filter((c) => D.predictions.predicted[c] > 0 && H.by_class[c].every(known))
    .slice(0, 15);
  const rows = [{ name: "all rows", parts: parts.map((p) => H[p].value) }].concat(
    LABELS ? [] : list.map((c) => ({ name: "predicted " + className(c), parts: H.by_class[c] })),
  );
  const most = Math.max(0.01, ...rows.map((r) => sum(r.parts)));
  const words = [
    "the rest: classes that overlap, and too few training rows",
    "what exact measurements of the rows would remove",
  ];
  barList(parent, {
    id: "entropy",
    title: "Parts of the entropy",
    wide: true,
    note: "Mean entropy of the prediction, in nats: " + withError(H.all) + " a row.",
    alt: words.map((t, k) => t + " " + withError(H[parts[k]])).join("; ") + ".",
    rows: rows,
    x: [0, most],
    xTitle: "nats a row",
    legend: (at) =>
      legend(
        at,
        words.map((t, k) => [
          t,
          (s) => draw(s, "rect", { x: 1, y: 1, width: 12, height: 12, rx: 2, fill: "var(--part" + k + ")" }),
        ]),
      ),
    row(svg, r, a, y, tall) {
      let from = 0;
      r.parts.forEach((p, k) => {
        mark(
          draw(svg, "rect", {
            x: a.x(from),
            y: y,
            height: tall,
            width: Math.max(0.5, a.x(from + p) - a.x(from)),
            fill: "var(--part" + k + ")",
            "fill-opacity": 0.9,
          }),
          r.name + "\n" + words[k] + "\n" + number(p, 3) + " nats",
        );
        from += p;
      });
    },
    data: () => [["rows", "rest", "measurement"], rows.map((r) => [r.name, ...r.parts])],
  });
}

// columns: [title, value of a row, text of a row, numeric]
function sortable(parent, id, title, text, rows, columns) {
  const panel = add(parent, "div", { class: "panel", id: id });
  add(panel, "h3", { id: id + "-title" }, title);
  add(panel, "p", {}, text);
  const made = add(
    add(panel, "div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": id + "-title" }),
    "table",
  );
  const head = add(add(made, "thead"), "tr"),
    body = add(made, "tbody");
  let sorted = rows.slice(),
    all = false,
    more = null;
  function fill() {
    body.textContent = "";
    sorted.forEach((row, i) => {
      const line = add(body, "tr", { class: i >= 10 ? (all ? "" : "extra hidden") : null });
      for (const [, value, show, numeric] of columns) {
        const text = (show || ((r) => (numeric ? number(value(r)) : known(value(r)) ? String(value(r)) : "")))(row);
        add(
          line,
          "td",
          { class: numeric ? "n" : text.length > 24 ? "long" : null, title: text.length > 48 ? text : null },
          cut(text, 48),
        );
      }
    });
    if (more) more.classList.toggle("hidden", all);
  }
  columns.forEach(([name, value, , numeric]) => {
    const cell = add(head, "th", { scope: "col", class: numeric ? "n" : null });
    add(cell, "button", { type: "button" }, name).addEventListener("click", () => {
      const was = cell.getAttribute("aria-sort"),
        down = was ? was === "ascending" : !!numeric;
      for (const other of head.children) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      sorted = rows.slice().sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (!known(x) || !known(y)) return known(x) ? -1 : known(y) ? 1 : 0;
        const order = typeof x === "number" ? x - y : String(x).localeCompare(String(y));
        return down ? -order : order;
      });
      fill();
    });
  });
  fill();
  if (rows.length > 10) {
    more = add(panel, "button", { type: "button", class: "more" }, "Show all " + rows.length);
    more.addEventListener("click", () => {
      all = true;
      fill();
    });
  }
}

const next = section(
  "next",
  "What to do next",
  NUMBERS
    ? "Rows whose targets would help the model most."
    : "Where more labels or better measurements would help most.",
);
if (D.entropy) entropy(next.figures);
const named = D.to_label.concat(D.to_measure || []).some((r) => r.name);
const start = [["Row", (r) => r.row, null, true]].concat(named ? [["Name", (r) => r.name]] : []);
const truthOf = (rows) => rows.some((r) => known(r.y))
  ? [[NUMBERS ? "Seen" : "True", (r) => (NUMBERS ? r.y : known(r.y) ? className(r.y) : undefined), null, NUMBERS]]
  : [];
if (NUMBERS)
  sortable(
    next,
    "to-label",
    "Rows worth a target",
    "By the standard deviation of the latent function, in standard units of the target: where it is large, a target would help most.",
    D.to_label,
    start.concat(truthOf(D.to_label), [
      ["Predicted", (r) => r.mean, null, true],
      ["Deviation", (r) => r.sd, null, true],
      ["Latent deviation", (r) => r.latent_sd, null, true],
    ]),
  );
else {
  const usual = start.concat(truthOf(D.to_label), [
    [LABELS ? "Most probable label" : "Predicted", (r) => className(r.best)],
    ["Probability", (r) => r.p, (r) => percent(r.p), true],
    ["Entropy", (r) => r.entropy, (r) => nats(r.entropy), true],
  ]);
  sortable(
    next,
    "to-label",
    "Rows worth a label",
    (E && E.rows < D.rows ? "For rows without a known target. " : "") +
      "The rows whose class is most uncertain, by the entropy in nats.",
    D.to_label,
    usual,
  );
  const tried = D.to_measure && D.to_measure.some((r) => r.remeasure);
  if (D.to_measure && D.to_measure.length && D.to_measure[0].measurement > 1e-6)
    sortable(
      next,
      "to-measure",
      "Measurements worth repeating",
      "The entropy that exact values of all attributes would remove, in nats" +
        (tried
          ? "; the attribute to measure first, and the entropy that it alone would remove."
          : ". There are too many attributes to try each one here; nimgp suggest --remeasure tries them."),
      D.to_measure,
      usual
        .filter((c) => c[0] !== "True")
        .concat(
          [["Measurement", (r) => r.measurement, (r) => nats(r.measurement), true]],
          !tried
            ? []
            : [
                ["Measure first", (r) => (r.remeasure[0] || [""])[0]],
                ["Gain", (r) => (r.remeasure[0] || [])[1], (r) => nats((r.remeasure[0] || [])[1]), true],
                [
                  "Then",
                  (r) => (r.remeasure[1] || [""])[0],
                  (r) => (r.remeasure[1] ? r.remeasure[1][0] + ", " + nats(r.remeasure[1][1]) : ""),
                ],
              ],
        ),
    );
}
if (D.strangers && D.strangers.length)
  sortable(
    next,
    "strangers",
    "Unusual rows",
    "By novelty: 2 is as unusual as one training row in 100, 3 as one in 1000. Predictions of such rows are unreliable" +
      (NUMBERS ? "." : ": they may belong to an unknown class."),
    D.strangers,
    start.concat(truthOf(D.strangers), [
      NUMBERS
        ? ["Predicted", (r) => r.mean, null, true]
        : [LABELS ? "Most probable label" : "Predicted", (r) => className(r.best)],
      ["Novelty", (r) => r.novelty, null, true],
    ]),
  );
