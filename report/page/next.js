// SPDX-License-Identifier: Apache-2.0
// What to do next.
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
      "By the entropy that this model expects exact values of all attributes to remove, in nats" +
        (tried ? "; the attribute to measure first, and what it alone would remove" : "") +
        ". This ranks the rows; its size is too small where classes have sharp borders." +
        (tried
          ? ""
          : " There are too many attributes to try each one here; nimgp suggest --remeasure tries them."),
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
