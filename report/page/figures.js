// SPDX-License-Identifier: Apache-2.0
// Charts: values under the pointer or by keys, saving, data as a table, axes, bars.
// ---------------------------------------------------------------- tips and keys

let lit = null;
function showTip(mark, x, y) {
  if (lit) lit.classList.remove("on");
  lit = mark;
  if (!mark) {
    tip.hidden = true;
    return;
  }
  mark.classList.add("on");
  tip.textContent = mark.dataset.tip;
  tip.hidden = false;
  const box = mark.getBoundingClientRect();
  const left = x === undefined ? box.left + box.width / 2 : x,
    top = y === undefined ? box.top : y;
  tip.style.left = Math.max(8, Math.min(left + 14, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = Math.max(8, top - tip.offsetHeight - 12) + "px";
}

function listen(svg) {
  svg.addEventListener("pointermove", (event) => {
    const mark = event.target.closest ? event.target.closest(".mark") : null;
    if (mark) showTip(mark, event.clientX, event.clientY);
    else showTip(null);
  });
  svg.addEventListener("pointerleave", () => showTip(null));
  svg.addEventListener("blur", () => showTip(null));
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const marks = [...svg.querySelectorAll(".mark")];
    if (event.key === "Escape") showTip(null);
    if (!step || !marks.length) return;
    event.preventDefault();
    const at = marks.indexOf(lit);
    showTip(marks[at < 0 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length]);
  });
}

// ---------------------------------------------------------------- figures

const figures = [];

function save(blob, name) {
  const link = add(document.body, "a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A chart that stands alone: colours and fonts as they are on the page now.
function standalone(svg) {
  const copy = svg.cloneNode(true),
    from = [svg, ...svg.querySelectorAll("*")],
    to = [copy, ...copy.querySelectorAll("*")];
  const kept = [
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "fill-opacity",
    "opacity",
    "font-size",
    "font-family",
    "font-weight",
    "text-anchor",
  ];
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const key of kept) to[i].setAttribute(key, style.getPropertyValue(key));
    to[i].removeAttribute("class");
  });
  const box = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  const ground = document.createElementNS(SVG, "rect");
  ground.setAttribute("width", box.width);
  ground.setAttribute("height", box.height);
  ground.setAttribute("fill", getComputedStyle(document.documentElement).getPropertyValue("--surface").trim());
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

function savePng(svg, name) {
  const image = new Image(),
    box = svg.viewBox.baseVal,
    zoom = 2;
  image.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = box.width * zoom;
    canvas.height = box.height * zoom;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, name + ".png"), "image/png");
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(standalone(svg));
}

function table(parent, head, rows) {
  const made = add(
    add(parent, "div", { class: "data", tabindex: 0, role: "region", "aria-label": "Data of the chart" }),
    "table",
  );
  const line = add(add(made, "thead"), "tr");
  const numeric = head.map((_, k) => rows.every((row) => typeof row[k] === "number" || !known(row[k])));
  head.forEach((name, k) => add(line, "th", { scope: "col", class: numeric[k] ? "n" : null }, name));
  const body = add(made, "tbody");
  for (const row of rows) {
    const cells = add(body, "tr");
    row.forEach((cell, k) =>
      add(
        cells,
        "td",
        { class: numeric[k] ? "n" : null },
        typeof cell === "number" || !known(cell) ? number(cell, 6) : String(cell),
      ),
    );
  }
}

// One chart: caption, drawing, what it shows in words, ways to take it along, and its data.
function figure(parent, spec) {
  const made = add(parent, "figure", { id: spec.id, class: spec.wide ? "wide" : null });
  const caption = add(made, "figcaption", { id: spec.id + "-caption" });
  add(caption, "h3", {}, spec.title);
  if (spec.note) add(caption, "p", {}, spec.note);
  if (spec.legend) spec.legend(made);
  const holder = add(made, "div", { class: "plot" });
  const tools = add(made, "div", { class: "tools" });
  let svg = null,
    shown = null,
    width = 0;
  function redraw() {
    const now = Math.max(240, Math.floor(holder.clientWidth));
    if (now === width) return;
    width = now;
    holder.textContent = "";
    const height = spec.height(width);
    svg = draw(holder, "svg", {
      viewBox: "0 0 " + width + " " + height,
      role: "img",
      tabindex: 0,
      "aria-label": spec.title + ". " + spec.alt,
    });
    spec.draw(svg, width, height);
    listen(svg);
  }
  const button = (text, act) => add(tools, "button", { type: "button" }, text).addEventListener("click", act);
  button("Save SVG", () => save(new Blob([standalone(svg)], { type: "image/svg+xml" }), spec.id + ".svg"));
  button("Save PNG", () => savePng(svg, spec.id));
  const toggle = add(tools, "button", { type: "button", "aria-expanded": "false" }, "Show data");
  toggle.addEventListener("click", () => {
    if (!shown) {
      shown = add(made, "div");
      const [head, rows] = spec.data();
      table(shown, head, rows);
    } else shown.classList.toggle("hidden");
    const open = !shown.classList.contains("hidden");
    toggle.textContent = open ? "Hide data" : "Show data";
    toggle.setAttribute("aria-expanded", String(open));
  });
  figures.push(redraw);
  redraw();
  return made;
}

function mark(node, text) {
  node.classList.add("mark");
  node.dataset.tip = text;
  return node;
}

// An attribute that is a logarithm: the name of what it is of, its values, and round ones between two logarithms.
function logOf(name) {
  const parts = /^log(10)?\((.*)\)$/.exec(name);
  if (!parts) return null;
  const base = parts[1] ? 10 : Math.E;
  return {
    name: parts[2],
    value: (v) => Math.pow(base, v),
    ticks(low, high, about) {
      const turn = Math.log(10) / Math.log(base),
        decades = (high - low) / turn,
        list = [];
      if (decades < 0.5) return ticks(this.value(low), this.value(high), about).filter((v) => v > 0).map((v) => Math.log(v) / Math.log(base));
      const step = Math.max(1, Math.ceil(decades / about)),
        within = step > 1 || decades > about / 2 ? [1] : decades > about / 3 ? [1, 3] : [1, 2, 5];
      for (let k = Math.floor(low / turn); k <= high / turn; k++)
        for (const m of within)
          if (k % step === 0) list.push((k + Math.log10(m)) * turn);
      return list.filter((v) => v >= low && v <= high);
    },
  };
}
const nameOf = (name) => (logOf(name) || { name }).name;
const valueOf = (name, v, digits) => number(logOf(name) && known(v) ? logOf(name).value(v) : v, digits);

// Grid, numbers and titles of two axes; returns the scales. xLog, yLog: names whose logarithms are shown as their values.
function axes(svg, w, h, o) {
  const left = o.left === undefined ? 52 : o.left,
    right = w - (o.right === undefined ? 10 : o.right),
    top = o.top === undefined ? 8 : o.top,
    bottom = h - (o.bottom === undefined ? 40 : o.bottom);
  const x = scale(o.x[0], o.x[1], left, right),
    y = scale(o.y[0], o.y[1], bottom, top);
  const logs = { x: o.xLog && logOf(o.xLog), y: o.yLog && logOf(o.yLog) };
  const format = (f, log) => f || ((v) => number(log ? log.value(v) : v, 3));
  const places = (log, range, about) => (log ? log.ticks(...range, about) : ticks(...range, about));
  if (o.yTicks !== false)
    for (const t of places(logs.y, o.y, o.yTicks || Math.max(2, (bottom - top) / 40))) {
      draw(svg, "line", { class: "grid", x1: left, x2: right, y1: y(t), y2: y(t) });
      draw(
        svg,
        "text",
        { class: "tick small", x: left - 7, y: y(t) + 4, "text-anchor": "end" },
        format(o.yFormat, logs.y)(t),
      );
    }
  if (o.xTicks !== false)
    for (const t of places(logs.x, o.x, o.xTicks || Math.max(2, (right - left) / 80)))
      draw(
        svg,
        "text",
        { class: "tick small", x: x(t), y: bottom + 16, "text-anchor": "middle" },
        format(o.xFormat, logs.x)(t),
      );
  draw(svg, "line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom });
  if (o.xTitle)
    draw(
      svg,
      "text",
      { class: "muted small", x: (left + right) / 2, y: bottom + 34, "text-anchor": "middle" },
      cut(o.xTitle, Math.floor((right - left) / 6.2)),
    );
  if (o.yTitle)
    draw(
      svg,
      "text",
      {
        class: "muted small",
        x: 12,
        y: (top + bottom) / 2,
        "text-anchor": "middle",
        transform: "rotate(-90 12 " + (top + bottom) / 2 + ")",
      },
      cut(o.yTitle, Math.floor((bottom - top) / 6.2)),
    );
  return { x, y, left, right, top, bottom };
}

function bars(svg, x, y, se, a) {
  if (!known(se) || !known(y)) return;
  draw(svg, "line", {
    x1: x,
    x2: x,
    y1: a.y(y - se),
    y2: a.y(y + se),
    stroke: a.stroke || "var(--ink)",
    "stroke-width": 1.5,
  });
}

// Horizontal bars with names; the one picture of many lists.
function barList(parent, spec) {
  const rows = spec.rows,
    names = Math.min(36, Math.max(4, ...rows.map((r) => r.name.length)));
  figure(parent, {
    id: spec.id,
    title: spec.title,
    note: spec.note,
    alt: spec.alt,
    wide: spec.wide,
    legend: spec.legend,
    data: spec.data,
    height: () => rows.length * 26 + 44,
    draw(svg, w, h) {
      const left = Math.min(w * (w < 400 ? 0.4 : 0.5), 16 + names * 6.6),
        a = axes(svg, w, h, {
          left: left,
          right: 14,
          top: 4,
          x: spec.x,
          y: [0, 1],
          yTicks: false,
          xFormat: spec.xFormat,
          xTitle: spec.xTitle,
          xTicks: Math.max(2, Math.floor((w - left) / 90)),
        });
      for (const t of ticks(spec.x[0], spec.x[1], Math.max(2, Math.floor((w - left) / 90))))
        draw(svg, "line", { class: "grid", x1: a.x(t), x2: a.x(t), y1: a.top, y2: a.bottom });
      rows.forEach((r, i) => {
        const y = a.top + i * 26;
        const name = draw(
          svg,
          "text",
          { class: "small", x: left - 8, y: y + 17, "text-anchor": "end" },
          cut(r.name, Math.floor((left - 10) / 6)),
        );
        draw(name, "title", {}, r.name);
        spec.row(svg, r, a, y + 5, 16);
      });
    },
  });
}
