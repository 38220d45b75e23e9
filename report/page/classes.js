// SPDX-License-Identifier: Apache-2.0
// Colours, shapes and legends of classes.
// The ten most frequent have a colour; a shape and a dash tell them apart as well.
const order = D.classes.map((_, c) => c);
if (D.classes.length > 10) order.sort((a, b) => D.predictions.expected[b] - D.predictions.expected[a]);
const place = [];
order.forEach((c, k) => {
  place[c] = k;
});
const colour = (c) => (place[c] < 10 ? "var(--c" + place[c] + ")" : "var(--other)");
const dash = (c) =>
  place[c] < 10 ? ["", "7 3", "2 3", "9 3 2 3", "5 2", "1 3", "12 4", "4 4", "8 2 2 2 2 2", "3 6"][place[c]] : "1 4";
const className = (c) => D.classes[c];
const featured = order.slice(0, 10);

function shape(parent, c, x, y, r, attributes) {
  const k = place[c] < 10 ? place[c] % 5 : 0,
    a = Object.assign({ fill: colour(c) }, attributes);
  if (k === 0) return draw(parent, "circle", Object.assign(a, { cx: x, cy: y, r: r }));
  const points = [
    null,
    [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ],
    [
      [0, -1.25],
      [1.15, 0.85],
      [-1.15, 0.85],
    ],
    [
      [0, -1.35],
      [1.35, 0],
      [0, 1.35],
      [-1.35, 0],
    ],
    [
      [-1.15, -0.85],
      [1.15, -0.85],
      [0, 1.25],
    ],
  ][k];
  return draw(
    parent,
    "polygon",
    Object.assign(a, {
      points: points.map((p) => (x + p[0] * r).toFixed(2) + "," + (y + p[1] * r).toFixed(2)).join(" "),
    }),
  );
}

function classLegend(parent, classes, lines) {
  const list = add(parent, "ul", { class: "legend" });
  for (const c of classes) {
    const item = add(list, "li", { title: className(c) });
    const icon = draw(item, "svg", { viewBox: "0 0 14 14", "aria-hidden": "true" });
    if (lines)
      draw(icon, "line", {
        x1: 0,
        x2: 14,
        y1: 7,
        y2: 7,
        stroke: colour(c),
        "stroke-width": 2.5,
        "stroke-dasharray": dash(c),
      });
    else shape(icon, c, 7, 7, 4.5);
    add(item, "span", {}, cut(className(c), 40));
  }
  if (classes.length < D.classes.length) {
    const item = add(list, "li");
    const icon = draw(item, "svg", { viewBox: "0 0 14 14", "aria-hidden": "true" });
    draw(icon, "circle", { cx: 7, cy: 7, r: 4, fill: "var(--other)" });
    add(item, "span", {}, D.classes.length - classes.length + " others");
  }
}

function legend(parent, entries) {
  const list = add(parent, "ul", { class: "legend" });
  for (const [text, paint] of entries) {
    const item = add(list, "li");
    paint(draw(item, "svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }));
    add(item, "span", {}, text);
  }
}
