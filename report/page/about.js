// SPDX-License-Identifier: Apache-2.0
// What the report is about, and the end of the page.
const about = section("about", "About this report");
const panel = add(about, "div", { class: "panel" }),
  pairs = add(panel, "dl", { class: "pair" });
const option = (name) => (D.options.find((o) => o[0] === name) || [])[1];
const pair = (name, ...value) => {
  if (value.some((v) => known(v) && v !== "")) {
    add(pairs, "dt", {}, name);
    add(pairs, "dd", {}, ...value);
  }
};
pair("Model", facts.model);
pair("Table", facts.table);
pair("Only rows with", facts.where);
pair(
  "Learned from",
  facts.learned_from ? facts.learned_from + ", " + plural(D.training.rows, "row") : plural(D.training.rows, "row"),
);
pair("Held out in training", facts.held_out);
pair(NUMBERS ? "Target" : "Label", facts.label);
pair(LABELS ? "Labels" : "Classes", D.classes.slice(0, 40).join(", ") + (D.classes.length > 40 ? ", …" : ""));
pair(
  "Attributes",
  A.slice(0, 40)
    .map((a) => a.name + (a.unit ? " (" + a.unit + ")" : ""))
    .join(", ") + (D.attribute_count > 40 ? ", …" : ""),
);
pair(
  "Rows left out",
  [
    D.left_out.other_classes ? plural(D.left_out.other_classes, "row") + " of classes that the model does not know, predicted but not scored" : "",
    D.left_out.no_label ? plural(D.left_out.no_label, "row") + " without a target, predicted but not scored" : "",
  ]
    .filter(Boolean)
    .join("; "),
);
pair(
  "Input model",
  option("input") +
    ", noise " +
    option("noise") +
    ", " +
    option("kernel") +
    " kernel, " +
    D.inducing +
    " inducing inputs a function, likelihood " +
    option("likelihood"),
);
for (const [key, value] of Object.entries(D.quantities))
  pair(
    {
      epsilon: "Label noise",
      noise_deviation: "Noise of the target",
      scale: "Width of the noise",
      freedom: "Degrees of freedom",
      base_rate: "Base rate",
      thresholds: "Thresholds",
      temperature: "Temperature",
    }[key] || key,
    key === "temperature" && !known(value[0]) ? "infinite: the shares of the classes are predicted" : value.map((v) => number(v, 4)).join(", "),
  );
if (D.panel)
  pair(
    "Panel",
    D.panel.fits
      .map((f) => number(f.typical, 2) + " (" + number(f.larger, 2) + " where errors are larger than in training): " + f.sees)
      .join("; ") +
      ". It improved log p of held-out rows by " +
      number(D.panel.gain, 3) +
      " ± " +
      number(D.panel.gain_error, 3),
  );
pair(
  "Options set",
  D.options
    .filter((o) => !o[2])
    .map((o) => o[0] + " = " + o[1])
    .join(", "),
);
pair("Seed", option("seed"));
pair("Version", "nimgp " + D.nimgp);
if (facts.command) {
  add(pairs, "dt", {}, "Made by");
  add(add(pairs, "dd"), "code", { class: "command", id: "command" }, facts.command);
}
add(
  page,
  "footer",
  {},
  add(
    null,
    "p",
    {},
    "Scores, counts and entropies are sums over all " +
      plural(D.rows, "row") +
      ". Pictures of single rows, ranges of attributes and quartiles of errors come from a random sample of at most 1000 rows, of which at most 300 are in this file; tables list at most 40 rows each. The file needs no network and contains nothing else of the table.",
  ),
);

document.querySelectorAll(".figures").forEach(balance);
figures.forEach((redraw) => redraw());
let waiting = 0;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => figures.forEach((f) => f()), 120);
});
addEventListener(
  "scroll",
  () => {
    if (lit) showTip(lit); // it stays with its mark
  },
  { passive: true },
);
document.documentElement.dataset.ready = "1";
