// SPDX-License-Identifier: Apache-2.0
// The head of the page, and its sections.
const page = document.getElementById("page");
const facts = D.facts || {};
const what =
  D.target === "class"
    ? plural(D.classes.length, "class").replace("classs", "classes")
    : D.target === "level"
      ? plural(D.classes.length, "level")
      : LABELS
        ? plural(D.classes.length, "label")
        : D.target === "count"
          ? "counts"
          : "numbers";

document.title = (facts.model ? facts.model + " – " : "") + "nimgp report";
add(page, "div", { class: "eyebrow" }, "nimgp report");
add(page, "h1", {}, facts.model || "A model and its predictions");
add(
  page,
  "p",
  { class: "lead" },
  "A model of " +
    what +
    " from " +
    plural(D.attribute_count, "attribute") +
    ", applied to " +
    plural(D.rows, "row") +
    (facts.table ? " of " + facts.table : "") +
    (E
      ? E.rows < D.rows
        ? ", of which " + count(E.rows) + (E.rows === 1 ? " has" : " have") + " a known target."
        : "."
      : ". No targets are known: this page shows the predictions only."),
);
const nav = add(page, "nav", { "aria-label": "Sections" });

// A chart that would stand beside nothing takes the whole width.
function balance(list) {
  let column = 0,
    last = null;
  for (const child of [...list.children, null]) {
    const wide = !child || child.classList.contains("wide");
    if (wide && column === 1) last.classList.add("wide");
    column = wide ? 0 : 1 - column;
    last = child;
  }
}

function section(id, title, text) {
  add(nav, "a", { href: "#" + id }, title);
  const made = add(page, "section", { id: id, "aria-labelledby": id + "-title" });
  add(made, "h2", { id: id + "-title" }, title);
  if (text) add(made, "p", {}, text);
  made.figures = add(made, "div", { class: "figures" });
  return made;
}

const NLL_OF = {
  class: "mean of −ln p of the true class, nats",
  level: "mean of −ln p of the true level, nats",
  labels: "mean over rows of −ln p, summed over labels, nats",
  number: "mean of −ln of the density at the target, nats",
  count: "mean of −ln p of the observed count, nats",
};

const SCORES = {
  error: [
    LABELS ? "Wrong labels" : "Error",
    LABELS ? "share of all labels (Hamming loss)" : "share of rows predicted wrong",
    true,
  ],
  nll: ["NLL", NLL_OF[D.target], false],
  brier: ["Brier score", "sum over classes, from 0 to 2", false],
  ece: ["Calibration error", "ECE, 15 bins", false],
  exact: ["Exact", "rows without a wrong label", true],
  rmse: ["RMSE", "of the predicted mean", false],
  mae: ["MAE", D.target === "level" ? "in levels" : "of the predicted mean", false],
  crps: ["CRPS", "mean of ∫ (F(t) − [t ≥ y])² dt; of a single value |value − y|", false],
  scatter: ["Scatter", "1.4826 median |r − median r|, r = mean − target", false],
  outliers: ["Outliers", "share of rows with |r − median r| > 5 scatter", true],
  pit_distance: ["PIT", "largest distance of its distribution from a uniform one", false],
  coverage_50: ["In the 50 % interval", "share of rows", true],
  coverage_90: ["In the 90 % interval", "share of rows", true],
  coverage_95: ["In the 95 % interval", "share of rows", true],
};

function cards(parent) {
  const list = add(null, "div", { class: "cards", id: "scores" });
  for (const [key, [name, remark, share]] of Object.entries(SCORES)) {
    if (!E[key]) continue;
    const card = add(list, "div", { class: "card", "data-score": key });
    add(card, "span", {}, name);
    add(card, "b", {}, share ? percent(E[key].value) : known(E[key].standard_error) ? rounded(E[key])[0] : number(E[key].value, 3));
    if (known(E[key].standard_error))
      add(card, "span", { class: "se" }, "± " + (share ? percent(E[key].standard_error) : rounded(E[key])[1]));
    add(card, "span", {}, remark);
    if (E.shares && key in E.shares)
      add(card, "span", {}, "shares of the classes alone: " + (share ? percent(E.shares[key]) : number(E.shares[key], 3)));
  }
  parent.insertBefore(list, parent.figures);
}
