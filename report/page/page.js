// SPDX-License-Identifier: Apache-2.0
// Draws the report from the JSON in #data: charts in SVG, tables, text. Names of classes, columns and
// files only ever become text nodes and attribute values, never markup.
"use strict";
(function () {
  const D = JSON.parse(document.getElementById("data").textContent);
  const E = D.evaluation;
  const NUMBERS = D.classes.length === 0;
  const LABELS = D.target === "labels";
  const tip = document.getElementById("tip");

  // ---------------------------------------------------------------- elements and numbers

  const SVG = "http://www.w3.org/2000/svg";

  function add(parent, node, attributes, ...children) {
    const made = typeof node === "string" ? document.createElement(node) : node;
    for (const [key, value] of Object.entries(attributes || {}))
      if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
    for (const child of children) if (child !== undefined && child !== null) made.append(child);
    if (parent) parent.append(made);
    return made;
  }

  function draw(parent, tag, attributes, text) {
    const node = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes || {})) if (value !== undefined) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    parent.append(node);
    return node;
  }

  const known = (x) => x !== null && x !== undefined && !Number.isNaN(x);

  function number(x, digits) {
    if (!known(x)) return "–";
    if (x === 0) return "0";
    const size = Math.abs(x), wanted = digits || 4;
    if (Number.isInteger(x) && size < 1e7) return String(x).replace("-", "−");
    let text = size >= 1e6 || size < 1e-4 ? x.toExponential(wanted - 1) : String(Number(x.toPrecision(wanted)));
    return text.replace("-", "−").replace("e+", "e").replace("e-", "e−");
  }
  const percent = (x, digits) => (known(x) ? (100 * x).toFixed(digits === undefined ? 1 : digits) + " %" : "–");
  // A value to the digits its standard error leaves it, and the error to two.
  function rounded(s) {
    const e = s.standard_error, digits = known(e) && e > 0 ? 1 - Math.floor(Math.log10(e)) : -1;
    if (!known(s.value) || digits < 0 || digits > 7) return [number(s.value), known(e) ? number(e, 2) : ""];
    return [s.value.toFixed(digits).replace("-", "−"), e.toFixed(digits)];
  }
  const withError = (s) => rounded(s).filter(Boolean).join(" ± ");
  const nats = (x) => (known(x) ? x.toFixed(3) : "–");
  const withErrorPercent = (s) =>
    percent(s.value) + (known(s.standard_error) ? " ± " + percent(s.standard_error) : "");
  const count = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
  const plural = (n, word) => count(n) + " " + word + (n === 1 ? "" : "s");
  const cut = (text, most) => (text.length > most ? text.slice(0, Math.max(1, most - 1)) + "…" : text);
  const sum = (list) => list.reduce((a, b) => a + b, 0);

  // Round places between two numbers, about so many.
  function ticks(low, high, about) {
    const raw = (high - low) / Math.max(1, about), power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999) || raw;
    const list = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) list.push(Number((k * step).toPrecision(12)));
    return list;
  }
  const scale = (low, high, from, to) => (x) => from + ((x - low) / (high - low || 1)) * (to - from);

  // ---------------------------------------------------------------- classes

  // The ten most frequent have a colour; a shape and a dash tell them apart as well.
  const order = D.classes.map((_, c) => c);
  if (D.classes.length > 10) order.sort((a, b) => D.predictions.expected[b] - D.predictions.expected[a]);
  const place = [];
  order.forEach((c, k) => { place[c] = k; });
  const colour = (c) => (place[c] < 10 ? "var(--c" + place[c] + ")" : "var(--other)");
  const dash = (c) => (place[c] < 10 ? ["", "7 3", "2 3", "9 3 2 3", "5 2", "1 3", "12 4", "4 4", "8 2 2 2 2 2", "3 6"][place[c]] : "1 4");
  const className = (c) => D.classes[c];
  const featured = order.slice(0, 10);

  function shape(parent, c, x, y, r, attributes) {
    const k = place[c] < 10 ? place[c] % 5 : 0, a = Object.assign({ fill: colour(c) }, attributes);
    if (k === 0) return draw(parent, "circle", Object.assign(a, { cx: x, cy: y, r: r }));
    const points = [null, [[-1, -1], [1, -1], [1, 1], [-1, 1]], [[0, -1.25], [1.15, 0.85], [-1.15, 0.85]],
      [[0, -1.35], [1.35, 0], [0, 1.35], [-1.35, 0]], [[-1.15, -0.85], [1.15, -0.85], [0, 1.25]]][k];
    return draw(parent, "polygon", Object.assign(a, { points: points.map((p) => (x + p[0] * r).toFixed(2) + "," + (y + p[1] * r).toFixed(2)).join(" ") }));
  }

  function classLegend(parent, classes, lines) {
    const list = add(parent, "ul", { class: "legend" });
    for (const c of classes) {
      const item = add(list, "li", { title: className(c) });
      const icon = draw(item, "svg", { viewBox: "0 0 14 14", "aria-hidden": "true" });
      if (lines) draw(icon, "line", { x1: 0, x2: 14, y1: 7, y2: 7, stroke: colour(c), "stroke-width": 2.5, "stroke-dasharray": dash(c) });
      else shape(icon, c, 7, 7, 4.5);
      add(item, "span", {}, cut(className(c), 40));
    }
    if (classes.length < D.classes.length) {
      const item = add(list, "li");
      const icon = draw(item, "svg", { viewBox: "0 0 14 14", "aria-hidden": "true" });
      draw(icon, "circle", { cx: 7, cy: 7, r: 4, fill: "var(--other)" });
      add(item, "span", {}, (D.classes.length - classes.length) + " others");
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

  // ---------------------------------------------------------------- tips and keys

  let lit = null;
  function showTip(mark, x, y) {
    if (lit) lit.classList.remove("on");
    lit = mark;
    if (!mark) { tip.hidden = true; return; }
    mark.classList.add("on");
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const box = mark.getBoundingClientRect();
    const left = x === undefined ? box.left + box.width / 2 : x, top = y === undefined ? box.top : y;
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
    const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
    const kept = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "opacity", "font-size", "font-family", "font-weight", "text-anchor"];
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
    const image = new Image(), box = svg.viewBox.baseVal, zoom = 2;
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
    const made = add(add(parent, "div", { class: "data", tabindex: 0, role: "region", "aria-label": "Data of the chart" }), "table");
    const line = add(add(made, "thead"), "tr");
    const numeric = head.map((_, k) => rows.every((row) => typeof row[k] === "number" || !known(row[k])));
    head.forEach((name, k) => add(line, "th", { scope: "col", class: numeric[k] ? "n" : null }, name));
    const body = add(made, "tbody");
    for (const row of rows) {
      const cells = add(body, "tr");
      row.forEach((cell, k) => add(cells, "td", { class: numeric[k] ? "n" : null }, typeof cell === "number" || !known(cell) ? number(cell, 6) : String(cell)));
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
    let svg = null, shown = null, width = 0;
    function redraw() {
      const now = Math.max(240, Math.floor(holder.clientWidth));
      if (now === width) return;
      width = now;
      holder.textContent = "";
      const height = spec.height(width);
      svg = draw(holder, "svg", { viewBox: "0 0 " + width + " " + height, role: "img", tabindex: 0, "aria-label": spec.title + ". " + spec.alt });
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

  // Grid, numbers and titles of two linear axes; returns the scales.
  function axes(svg, w, h, o) {
    const left = o.left === undefined ? 52 : o.left, right = w - (o.right === undefined ? 10 : o.right), top = o.top === undefined ? 8 : o.top, bottom = h - (o.bottom === undefined ? 40 : o.bottom);
    const x = scale(o.x[0], o.x[1], left, right), y = scale(o.y[0], o.y[1], bottom, top);
    const format = (f) => f || ((v) => number(v, 3));
    if (o.yTicks !== false)
      for (const t of ticks(o.y[0], o.y[1], o.yTicks || Math.max(2, (bottom - top) / 40))) {
        draw(svg, "line", { class: "grid", x1: left, x2: right, y1: y(t), y2: y(t) });
        draw(svg, "text", { class: "tick small", x: left - 7, y: y(t) + 4, "text-anchor": "end" }, format(o.yFormat)(t));
      }
    if (o.xTicks !== false)
      for (const t of ticks(o.x[0], o.x[1], o.xTicks || Math.max(2, (right - left) / 80)))
        draw(svg, "text", { class: "tick small", x: x(t), y: bottom + 16, "text-anchor": "middle" }, format(o.xFormat)(t));
    draw(svg, "line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom });
    if (o.xTitle) draw(svg, "text", { class: "muted small", x: (left + right) / 2, y: bottom + 34, "text-anchor": "middle" }, cut(o.xTitle, Math.floor((right - left) / 6.2)));
    if (o.yTitle) draw(svg, "text", { class: "muted small", x: 12, y: (top + bottom) / 2, "text-anchor": "middle", transform: "rotate(-90 12 " + (top + bottom) / 2 + ")" }, cut(o.yTitle, Math.floor((bottom - top) / 6.2)));
    return { x, y, left, right, top, bottom };
  }

  function bars(svg, x, y, se, a) {
    if (!known(se) || !known(y)) return;
    draw(svg, "line", { x1: x, x2: x, y1: a.y(y - se), y2: a.y(y + se), stroke: a.stroke || "var(--ink)", "stroke-width": 1.5 });
  }

  // ---------------------------------------------------------------- head

  const page = document.getElementById("page");
  const facts = D.facts || {};
  const what = D.target === "class" ? plural(D.classes.length, "class").replace("classs", "classes")
    : D.target === "level" ? plural(D.classes.length, "level")
    : LABELS ? plural(D.classes.length, "label") : D.target === "count" ? "counts" : "numbers";

  document.title = (facts.model ? facts.model + " – " : "") + "nimgp report";
  add(page, "div", { class: "eyebrow" }, "nimgp report");
  add(page, "h1", {}, facts.model || "A model and its predictions");
  add(page, "p", { class: "lead" }, "A model of " + what + " from " + plural(D.attribute_count, "attribute") + ", applied to " + plural(D.rows, "row") + (facts.table ? " of " + facts.table : "") + (E ? E.rows < D.rows ? ", of which " + count(E.rows) + " have a known " + D.target.replace(/s$/, "") + "." : "." : ". No truth is known of them: this page is about the predictions alone."));
  const nav = add(page, "nav", { "aria-label": "Sections" });

  // A chart that would stand beside nothing takes the whole width.
  function balance(list) {
    let column = 0, last = null;
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

  const SCORES = {
    error: [LABELS ? "Wrong labels" : "Error", LABELS ? "share of all labels (Hamming loss)" : "share of rows predicted wrong", true],
    nll: ["NLL", "mean of −ln p of the truth, nats", false],
    brier: ["Brier score", "sum over classes, from 0 to 2", false],
    ece: ["Calibration error", "ECE, 15 bins", false],
    exact: ["Exact", "rows without a wrong label", true],
    rmse: ["RMSE", "of the predicted mean", false],
    mae: ["MAE", D.target === "level" ? "in levels" : "of the predicted mean", false],
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
      add(card, "b", {}, share ? percent(E[key].value) : rounded(E[key])[0]);
      if (known(E[key].standard_error)) add(card, "span", { class: "se" }, "± " + (share ? percent(E[key].standard_error) : rounded(E[key])[1]));
      add(card, "span", {}, remark);
    }
    parent.insertBefore(list, parent.figures);
  }

  // ---------------------------------------------------------------- how good

  function confusion(parent) {
    const n = D.classes.length, counts = E.confusion.counts, shares = E.confusion.shares, few = n <= 12;
    const longest = Math.min(16, Math.max(...D.classes.map((c) => c.length)));
    const size = (w) => {
      const left = few ? Math.min(w * 0.3, 14 + longest * 7) : 90, cell = (w - left - (few ? 58 : 4)) / n;
      return { left, top: few ? 42 : 8, cell, tall: few ? Math.max(24, Math.min(cell, 320 / n, 96)) : Math.min(cell, 18) };
    };
    figure(parent, {
      id: "confusion", title: "Confusion matrix", wide: n > 12,
      note: "Rows of each true class, and the class predicted. Shade: share of the true class.",
      alt: "Confusion matrix of " + n + " classes; " + percent(E.error.value) + " of rows are off the diagonal.",
      height: (w) => size(w).top + n * size(w).tall + 6,
      draw(svg, w) {
        const { left, top, cell, tall: rowH } = size(w);
        const label = (c, most) => cut(className(c), most);
        if (few) draw(svg, "text", { class: "muted small", x: left, y: 12 }, "predicted");
        const nameEvery = Math.ceil(13 / rowH);
        for (let c = 0; c < n; c++) {
          const total = sum(counts[c]), y = top + c * rowH;
          if (c % nameEvery === 0) draw(svg, "text", { class: "small", x: left - 8, y: y + rowH / 2 + 4, "text-anchor": "end" }, label(c, Math.max(3, Math.floor((left - 12) / 6.6))));
          if (few) draw(svg, "text", { class: "small", x: left + (c + 0.5) * cell, y: top - 10, "text-anchor": "middle" }, label(c, Math.max(1, Math.floor(cell / 7))));
          for (let k = 0; k < n; k++) {
            const share = shares[c][k] || 0;
            mark(draw(svg, "rect", { x: left + k * cell + 1, y: y + 1, width: Math.max(1, cell - (few ? 2 : 0.5)), height: Math.max(1, rowH - (few ? 2 : 0.5)), rx: few ? 3 : 0, fill: total ? c === k ? "var(--accent)" : "var(--warm)" : "var(--faint)", "fill-opacity": total ? (share ? 0.1 + 0.85 * share : 0.04) : 1 }),
              className(c) + " taken for " + className(k) + "\n" + count(counts[c][k]) + " of " + plural(total, "row") + (total ? ", " + withErrorPercent({ value: shares[c][k], standard_error: E.confusion.standard_errors[c][k] }) : ""));
            if (few && cell > 26) draw(svg, "text", { class: share > 0.5 ? "small light" : "small", x: left + (k + 0.5) * cell, y: y + rowH / 2 + 4, "text-anchor": "middle", "pointer-events": "none" }, count(counts[c][k]));
          }
          if (few) draw(svg, "text", { class: "small muted", x: left + n * cell + 8, y: y + rowH / 2 + 4 }, total ? percent(shares[c][c]) : "no rows");
        }
      },
      data: () => [["true \\ predicted", ...D.classes, "right"], counts.map((row, c) => [className(c), ...row, sum(row) ? shares[c][c] : null])],
    });
  }

  function reliability(parent) {
    const bins = E.reliability, most = Math.max(...bins.map((b) => b.rows));
    figure(parent, {
      id: "reliability", title: "Reliability diagram",
      note: "Of rows predicted with some probability, the share that is right. On the dashed line it is as sure as it should be; below, too sure. Bars: one standard error.",
      alt: "Reliability diagram of " + bins.length + " bins of the highest probability. Expected calibration error " + withError(E.ece) + ".",
      height: (w) => Math.min(w, 420),
      draw(svg, w, h) {
        const under = 46, a = axes(svg, w, h - under, { x: [0, 1], y: [0, 1], xFormat: percentTick, yFormat: percentTick, yTitle: "right", bottom: 22 });
        draw(svg, "line", { class: "ideal", x1: a.x(0), y1: a.y(0), x2: a.x(1), y2: a.y(1) });
        draw(svg, "polyline", { fill: "none", stroke: "var(--accent)", "stroke-width": 1.5, "stroke-opacity": 0.5, points: bins.map((b) => a.x(b.confidence) + "," + a.y(b.right.value)).join(" ") });
        const base = h - 22;
        for (const b of bins) {
          bars(svg, a.x(b.confidence), b.right.value, b.right.standard_error, a);
          mark(draw(svg, "circle", { cx: a.x(b.confidence), cy: a.y(b.right.value), r: 3 + 3 * Math.sqrt(b.rows / most), fill: "var(--accent)" }),
            "sure by " + percent(b.confidence) + "\nright " + withErrorPercent(b.right) + "\n" + plural(b.rows, "row"));
          const tall = (30 * b.rows) / most;
          draw(svg, "rect", { x: a.x(b.least) + 1, width: Math.max(1, a.x(b.most) - a.x(b.least) - 2), y: base - tall, height: tall, fill: "var(--other)", "fill-opacity": 0.55 });
        }
        draw(svg, "line", { class: "axis", x1: a.left, x2: a.right, y1: base, y2: base });
        draw(svg, "text", { class: "muted small", x: (a.left + a.right) / 2, y: h - 6, "text-anchor": "middle" }, "highest probability, and how many rows have it");
      },
      data: () => [["from", "to", "rows", "mean probability", "share right", "standard error"], bins.map((b) => [b.least, b.most, b.rows, b.confidence, b.right.value, b.right.standard_error])],
    });
  }
  const percentTick = (v) => Math.round(100 * v) + " %";

  function byNoise(parent) {
    const groups = E.by_noise, key = NUMBERS ? "rmse" : "error", share = !NUMBERS;
    if (groups.length < 2) return;
    const name = NUMBERS ? "RMSE" : "Error", expected = groups[0].expected_error;
    const range = (g) => number(g.least, 3) + (g.most > g.least ? " to " + number(g.most, 3) : "");
    const text = share ? withErrorPercent : withError;
    const verdict = !expected ? "" : " The hollow marks are what its own probabilities say: it knows its limits where they agree.";
    figure(parent, {
      id: "by-noise", title: "Scores by noise level", wide: true,
      note: "Does it know less where errors are larger? Rows in thirds by how noisy they are: the mean over attributes of error / spread of the attribute." + verdict,
      alt: name + " and NLL by noise level: " + groups.map((g) => range(g) + ": " + text(g[key])).join("; ") + ".",
      height: (w) => (w < 560 ? 470 : 250),
      legend: expected ? (at) => legend(at, [["seen, with its standard error", (s) => draw(s, "circle", { cx: 7, cy: 7, r: 5, fill: "var(--accent)" })], ["expected from its probabilities", (s) => draw(s, "circle", { cx: 7, cy: 7, r: 4.5, fill: "var(--surface)", stroke: "var(--warm)", "stroke-width": 2 })]]) : null,
      draw(svg, w, h) {
        const stacked = w < 560, half = stacked ? w : w / 2 - 12, tall = stacked ? h / 2 - 10 : h;
        [[key, name, share, true], ["nll", "NLL, nats", false, false]].forEach(([k, title, asShare, first], n) => {
          const panel = draw(svg, "g", { transform: stacked ? "translate(0 " + n * (tall + 20) + ")" : "translate(" + n * (half + 24) + " 0)" });
          const values = groups.flatMap((g) => [g[k].value - (g[k].standard_error || 0), g[k].value + (g[k].standard_error || 0), first && expected ? g.expected_error.value : g[k].value]);
          const least = Math.min(0, ...values), high = Math.max(...values), low = least < 0 ? least - 0.1 * (high - least) : 0;
          const a = axes(panel, half, tall, { x: [0, groups.length], y: [low, (high - low || 1) * 1.1 + low], xTicks: false, yFormat: asShare ? percentTick : undefined, yTitle: title, xTitle: "noise level" });
          groups.forEach((g, i) => {
            const x = a.x(i + 0.5);
            draw(panel, "text", { class: "tick small", x: x, y: a.bottom + 16, "text-anchor": "middle" }, range(g));
            bars(panel, x, g[k].value, g[k].standard_error, a);
            mark(draw(panel, "circle", { cx: x, cy: a.y(g[k].value), r: 6, fill: "var(--accent)" }), "noise level " + range(g) + "\n" + title + " " + (asShare ? withErrorPercent : withError)(g[k]) + "\n" + plural(g.rows, "row"));
            if (first && expected)
              mark(draw(panel, "circle", { cx: x + 16, cy: a.y(g.expected_error.value), r: 5, fill: "var(--surface)", stroke: "var(--warm)", "stroke-width": 2 }), "noise level " + range(g) + "\nexpected error " + withErrorPercent(g.expected_error));
          });
        });
      },
      data: () => [["noise from", "to", "rows", name, "± ", "NLL", "±", ...(expected ? ["expected error"] : [])], groups.map((g) => [g.least, g.most, g.rows, g[key].value, g[key].standard_error, g.nll.value, g.nll.standard_error, ...(expected ? [g.expected_error.value] : [])])],
    });
  }

  function seenAgainstPredicted(parent) {
    const rows = D.sample.filter((r) => known(r.y));
    const values = rows.flatMap((r) => [r.y, r.low, r.high]);
    const low = Math.min(...values), high = Math.max(...values);
    figure(parent, {
      id: "seen", title: "Predicted against seen",
      note: "A sample of " + plural(rows.length, "row") + ": predicted mean with the central 90 % interval, against what was seen.",
      alt: "Scatter of predictions against targets with 90 % intervals; RMSE " + withError(E.rmse) + ".",
      height: (w) => Math.min(w, 420),
      draw(svg, w, h) {
        const a = axes(svg, w, h, { x: [low, high], y: [low, high], xTitle: "seen", yTitle: "predicted" });
        draw(svg, "line", { class: "ideal", x1: a.x(low), y1: a.y(low), x2: a.x(high), y2: a.y(high) });
        for (const r of rows) draw(svg, "line", { x1: a.x(r.y), x2: a.x(r.y), y1: a.y(r.low), y2: a.y(r.high), stroke: "var(--accent)", "stroke-opacity": 0.25 });
        for (const r of rows)
          mark(draw(svg, "circle", { cx: a.x(r.y), cy: a.y(r.mean), r: 3, fill: r.y < r.low || r.y > r.high ? "var(--warm)" : "var(--accent)" }), "row " + r.row + "\nseen " + number(r.y) + "\npredicted " + number(r.mean) + "\n90 %: " + number(r.low) + " to " + number(r.high));
      },
      data: () => [["row", "seen", "predicted", "5 %", "95 %"], rows.map((r) => [r.row, r.y, r.mean, r.low, r.high])],
    });
  }

  function coverage(parent) {
    const levels = [[0.5, E.coverage_50], [0.9, E.coverage_90], [0.95, E.coverage_95]];
    figure(parent, {
      id: "coverage", title: "Coverage of intervals",
      note: "Share of rows inside the central intervals, with one standard error. Dashed: what was promised." + (D.target === "count" ? " Intervals of counts hold a little more than their share." : ""),
      alt: "Coverage: " + levels.map(([l, s]) => percent(l, 0) + " interval holds " + withErrorPercent(s)).join("; ") + ".",
      height: () => 250,
      draw(svg, w, h) {
        const a = axes(svg, w, h, { x: [0, 3], y: [0, 1], xTicks: false, yFormat: percentTick, yTitle: "rows inside", xTitle: "interval" });
        levels.forEach(([level, s], i) => {
          const x = a.x(i + 0.5), half = Math.min(42, w / 9);
          mark(draw(svg, "rect", { x: x - half, width: 2 * half, y: a.y(s.value), height: a.y(0) - a.y(s.value), fill: "var(--accent)", "fill-opacity": 0.75, rx: 2 }), percent(level, 0) + " interval\nholds " + withErrorPercent(s));
          bars(svg, x, s.value, s.standard_error, a);
          draw(svg, "line", { x1: x - half - 6, x2: x + half + 6, y1: a.y(level), y2: a.y(level), class: "ideal" });
          draw(svg, "text", { class: "tick small", x: x, y: a.bottom + 16, "text-anchor": "middle" }, percent(level, 0));
        });
      },
      data: () => [["interval", "rows inside", "standard error"], levels.map(([l, s]) => [l, s.value, s.standard_error])],
    });
  }

  function pit(parent) {
    const n = E.pit.length, most = Math.max(2 / n, ...E.pit.map((b) => b.value)) * 1.08, se = Math.sqrt(((1 / n) * (1 - 1 / n)) / Math.max(1, E.rows));
    figure(parent, {
      id: "pit", title: "PIT histogram",
      note: "Where targets stand in their predicted distributions: flat when predicted distributions are right; a hollow middle means they are too narrow, a hump too wide. Band: two standard errors about flat.",
      alt: "PIT histogram of " + n + " bins, shares from " + percent(Math.min(...E.pit.map((b) => b.value))) + " to " + percent(Math.max(...E.pit.map((b) => b.value))) + "; flat would be " + percent(1 / n) + ".",
      height: () => 250,
      draw(svg, w, h) {
        const a = axes(svg, w, h, { x: [0, 1], y: [0, most], yFormat: percentTick, yTitle: "rows", xTitle: "P(Y ≤ y)" });
        draw(svg, "rect", { x: a.left, width: a.right - a.left, y: a.y(1 / n + 2 * se), height: Math.max(0, a.y(Math.max(0, 1 / n - 2 * se)) - a.y(1 / n + 2 * se)), fill: "var(--faint)" });
        E.pit.forEach((b, i) => mark(draw(svg, "rect", { x: a.x(i / n) + 1, width: Math.max(1, a.x(1 / n) - a.x(0) - 2), y: a.y(b.value), height: a.y(0) - a.y(b.value), fill: "var(--accent)", "fill-opacity": 0.75, rx: 1 }), "from " + number(i / n) + " to " + number((i + 1) / n) + "\n" + withErrorPercent(b) + " of rows"));
        draw(svg, "line", { class: "ideal", x1: a.left, x2: a.right, y1: a.y(1 / n), y2: a.y(1 / n) });
      },
      data: () => [["from", "to", "share of rows", "standard error"], E.pit.map((b, i) => [i / n, (i + 1) / n, b.value, b.standard_error])],
    });
  }

  // Horizontal bars with names; the one picture of many lists.
  function barList(parent, spec) {
    const rows = spec.rows, names = Math.min(30, Math.max(4, ...rows.map((r) => r.name.length)));
    figure(parent, {
      id: spec.id, title: spec.title, note: spec.note, alt: spec.alt, wide: spec.wide, legend: spec.legend, data: spec.data,
      height: () => rows.length * 26 + 44,
      draw(svg, w, h) {
        const left = Math.min(w * 0.4, 16 + names * 6.6), a = axes(svg, w, h, { left: left, right: 14, top: 4, x: spec.x, y: [0, 1], yTicks: false, xFormat: spec.xFormat, xTitle: spec.xTitle, xTicks: Math.max(2, Math.floor((w - left) / 90)) });
        for (const t of ticks(spec.x[0], spec.x[1], Math.max(2, Math.floor((w - left) / 90)))) draw(svg, "line", { class: "grid", x1: a.x(t), x2: a.x(t), y1: a.top, y2: a.bottom });
        rows.forEach((r, i) => {
          const y = a.top + i * 26;
          const name = draw(svg, "text", { class: "small", x: left - 8, y: y + 17, "text-anchor": "end" }, cut(r.name, Math.floor((left - 10) / 6.4)));
          draw(name, "title", {}, r.name);
          spec.row(svg, r, a, y + 5, 16);
        });
      },
    });
  }

  function labelErrors(parent) {
    const rows = E.labels.map((l) => ({ name: l.name, l: l }));
    const most = Math.max(0.01, ...rows.map((r) => r.l.error.value + (r.l.error.standard_error || 0)));
    barList(parent, {
      id: "labels", title: "Which labels are wrong", note: "Share of rows in which each label is on the wrong side of one half, with its standard error.",
      alt: rows.slice(0, 8).map((r) => r.name + " " + withErrorPercent(r.l.error)).join("; ") + ".", rows: rows, x: [0, most], xFormat: percentTick, xTitle: "rows with this label wrong",
      row(svg, r, a, y, tall) {
        mark(draw(svg, "rect", { x: a.x(0), y: y, height: tall, width: Math.max(1, a.x(r.l.error.value) - a.x(0)), fill: "var(--accent)", "fill-opacity": 0.8, rx: 2 }), r.name + "\nwrong in " + withErrorPercent(r.l.error) + "\n" + plural(r.l.rows, "row") + " have it");
      },
      data: () => [["label", "rows that have it", "wrong", "standard error"], rows.map((r) => [r.name, r.l.rows, r.l.error.value, r.l.error.standard_error])],
    });
  }

  if (E) {
    const good = section("how-good", "How good it is", "On " + plural(E.rows, "row") + " whose truth is known. Every figure with its standard error.");
    cards(good);
    if (E.confusion && D.classes.length <= 100) confusion(good.figures);
    if (E.reliability) reliability(good.figures);
    if (E.labels) labelErrors(good.figures);
    if (NUMBERS) { seenAgainstPredicted(good.figures); pit(good.figures); coverage(good.figures); }
    byNoise(good.figures);
  }

  // ---------------------------------------------------------------- predictions

  function predictedClasses(parent) {
    const list = order.slice().sort((a, b) => D.predictions.expected[b] - D.predictions.expected[a]).slice(0, 30);
    const rows = list.map((c) => ({ name: className(c), c: c })), p = D.predictions;
    const most = Math.max(1, ...list.map((c) => Math.max(p.predicted[c], p.expected[c])));
    barList(parent, {
      id: "predicted", title: "Predicted classes", note: "Bars: rows " + (LABELS ? "in which the label is more probable than not" : "whose most probable class it is") + ". Ticks: expected number, the sum of all probabilities." + (D.classes.length > 30 ? " The 30 most frequent of " + D.classes.length + "." : ""),
      alt: rows.slice(0, 8).map((r) => r.name + ": " + count(p.predicted[r.c]) + " rows, " + number(p.expected[r.c]) + " expected").join("; ") + ".",
      rows: rows, x: [0, most], xTitle: "rows",
      row(svg, r, a, y, tall) {
        mark(draw(svg, "rect", { x: a.x(0), y: y, height: tall, width: Math.max(1, a.x(p.predicted[r.c]) - a.x(0)), fill: colour(r.c), "fill-opacity": 0.85, rx: 2 }), r.name + "\npredicted of " + plural(p.predicted[r.c], "row") + "\nexpected number " + number(p.expected[r.c]));
        draw(svg, "line", { x1: a.x(p.expected[r.c]), x2: a.x(p.expected[r.c]), y1: y - 2, y2: y + tall + 2, stroke: "var(--ink)", "stroke-width": 2 });
      },
      data: () => [[LABELS ? "label" : "class", "rows predicted", "expected number"], order.map((c) => [className(c), p.predicted[c], p.expected[c]])],
    });
  }

  function confidence(parent) {
    const bins = D.predictions.confidence, n = bins.length, most = Math.max(...bins) / D.rows;
    figure(parent, {
      id: "confidence", title: "Confidence", note: "Rows by the probability of " + (LABELS ? "the most probable label" : "the predicted class") + ".",
      alt: "Histogram of the highest probability; " + percent(bins.slice(18).reduce((a, b) => a + b, 0) / D.rows) + " of rows are above 90 %.",
      height: () => 250,
      draw(svg, w, h) {
        const a = axes(svg, w, h, { x: [0, 1], y: [0, most * 1.05], xFormat: percentTick, yFormat: (v) => number(100 * v, 2) + " %", yTitle: "rows", xTitle: "highest probability" });
        bins.forEach((b, i) => mark(draw(svg, "rect", { x: a.x(i / n) + 1, width: Math.max(1, a.x(1 / n) - a.x(0) - 2), y: a.y(b / D.rows), height: a.y(0) - a.y(b / D.rows), fill: "var(--accent)", "fill-opacity": 0.75 }), percentTick(i / n) + " to " + percentTick((i + 1) / n) + "\n" + plural(b, "row")));
      },
      data: () => [["from", "to", "rows"], bins.map((b, i) => [i / n, (i + 1) / n, b])],
    });
  }

  function predictedNumbers(parent) {
    const values = D.sample.map((r) => r.mean).filter(known), n = 20;
    const low = Math.min(...values), high = Math.max(...values), bins = new Array(n).fill(0), step = (high - low) / n || 1;
    for (const v of values) bins[Math.min(n - 1, Math.floor((v - low) / step))]++;
    figure(parent, {
      id: "predicted", title: "Predicted means", note: "Predicted means of a sample of " + plural(values.length, "row") + ". Over all rows: mean " + withError(D.predictions.mean) + ", mean predicted deviation " + withError(D.predictions.sd) + ".",
      alt: "Histogram of predicted means from " + number(low) + " to " + number(high) + ".", height: () => 250,
      draw(svg, w, h) {
        const a = axes(svg, w, h, { x: [low, low + n * step], y: [0, Math.max(...bins) * 1.05], xTitle: "predicted mean", yTitle: "rows of the sample" });
        bins.forEach((b, i) => mark(draw(svg, "rect", { x: a.x(low + i * step) + 1, width: Math.max(1, a.x(low + step) - a.x(low) - 2), y: a.y(b), height: a.y(0) - a.y(b), fill: "var(--accent)", "fill-opacity": 0.75 }), number(low + i * step) + " to " + number(low + (i + 1) * step) + "\n" + plural(b, "row")));
      },
      data: () => [["from", "to", "rows of the sample"], bins.map((b, i) => [low + i * step, low + (i + 1) * step, b])],
    });
  }

  const said = section("predictions", "Predictions", "Over all " + plural(D.rows, "row") + ", whether their truth is known or not.");
  if (NUMBERS) predictedNumbers(said.figures);
  else { predictedClasses(said.figures); confidence(said.figures); }

  // ---------------------------------------------------------------- what it learned

  const A = D.attributes;
  const unitOf = (a) => (a.unit ? " " + (a.name.startsWith("log(") ? "ln " : "") + a.unit : "");

  function bound(parent) {
    const t = D.training.trace || [];
    if (t.length < 2) return;
    const points = t.slice();
    if (D.training.epochs > points[points.length - 1][0] && known(D.training.bound)) points.push([D.training.epochs, D.training.bound]);
    // The first steps are far below; the picture is about the rest.
    const values = points.map((p) => p[1]).sort((a, b) => a - b), high = values[values.length - 1];
    const low = Math.max(values[0], high - 4 * (high - values[Math.floor(values.length * 0.25)]) || values[0]);
    figure(parent, {
      id: "bound", title: "The bound over training", note: "What training maximises, mean over each pass. It ended at " + number(D.training.bound, 6) + " after " + plural(D.training.epochs, "pass").replace("passs", "passes") + " over " + plural(D.training.rows, "row") + ".",
      alt: "The bound rises from " + number(points[0][1], 4) + " to " + number(D.training.bound, 6) + ".", height: () => 270,
      draw(svg, w, h) {
        const a = axes(svg, w, h, { left: 66, x: [0, points[points.length - 1][0]], y: [low, high + 0.04 * (high - low || 1)], xTitle: "passes over the data", yFormat: (v) => number(v, 4) });
        const inside = points.filter((p) => p[1] >= low);
        draw(svg, "polyline", { fill: "none", stroke: "var(--accent)", "stroke-width": 2, "stroke-linejoin": "round", points: inside.map((p) => a.x(p[0]).toFixed(1) + "," + a.y(p[1]).toFixed(1)).join(" ") });
        for (const p of inside) mark(draw(svg, "circle", { cx: a.x(p[0]), cy: a.y(p[1]), r: 4, fill: "var(--accent)", "fill-opacity": 0 }), "pass " + p[0] + "\nbound " + number(p[1], 6));
      },
      data: () => [["pass", "bound"], points],
    });
  }

  function relevance(parent) {
    const rows = A.slice(0, 24).map((a) => ({ name: a.name, a: a })), each = D.functions.length > 1 && D.functions.length <= 10 && !NUMBERS && !LABELS && D.functions.length === D.classes.length;
    barList(parent, {
      id: "relevance", title: "Relevance of attributes", note: "Relevance: how quickly the latent functions change along an attribute, 1/λ² in standard units, the largest 1." + (each ? " Divided by class." : "") + (D.attribute_count > 24 ? " The first 24 of " + D.attribute_count + "." : ""),
      alt: rows.slice(0, 6).map((r) => r.name + " " + number(r.a.relevance, 3)).join("; ") + ".",
      rows: rows, x: [0, 1], xTitle: "relevance", legend: each ? (at) => classLegend(at, featured) : null,
      row(svg, r, a, y, tall) {
        let from = 0;
        const parts = each ? r.a.by_function : [r.a.relevance];
        parts.forEach((p, f) => {
          mark(draw(svg, "rect", { x: a.x(from), y: y, height: tall, width: Math.max(0.5, a.x(from + p) - a.x(from) - 0.5), fill: each ? colour(f) : "var(--accent)", "fill-opacity": 0.85 }), r.name + (each ? "\n" + className(f) : "") + "\n" + number(p, 3) + (each ? " of " + number(r.a.relevance, 3) : ""));
          from += p;
        });
      },
      data: () => [["attribute", "relevance", ...(D.functions.length <= 20 ? D.functions : [])], A.map((a) => [a.name, a.relevance, ...(D.functions.length <= 20 ? a.by_function : [])])],
    });
  }

  function noise(parent) {
    const learned = A.some((a) => a.learned_noise > 0);
    const rows = A.slice(0, 24).filter((a) => a.deviation > 0 && ((a.errors.length && a.errors[4] > 0) || a.learned_noise > 0)).map((a) => ({ name: a.name, a: a }));
    if (!rows.length || !rows.some((r) => r.a.learned_noise > 0 || (r.a.errors.length && r.a.errors[4] > 0))) return;
    const most = Math.max(...rows.map((r) => Math.max(r.a.learned_noise, r.a.errors.length ? r.a.errors[3] : 0) / r.a.deviation)) * 1.1;
    barList(parent, {
      id: "noise", title: learned ? "Noise, given and learned" : "Errors given", note: "Bars: the middle half of the given 1-sigma errors, tick at the median" + (learned ? "; diamond: the noise that was learned" : "; no noise was learned") + ". In units of each attribute's spread in this table; its own units under the pointer and in the data.",
      alt: rows.slice(0, 6).map((r) => r.name + ": median error " + number(r.a.errors[2], 3) + unitOf(r.a) + (learned ? ", learned " + number(r.a.learned_noise, 3) : "")).join("; ") + ".",
      rows: rows, x: [0, most || 1], xTitle: "noise / spread of the attribute",
      row(svg, r, a, y, tall) {
        const e = r.a.errors, d = r.a.deviation, u = unitOf(r.a);
        if (e.length) {
          mark(draw(svg, "rect", { x: a.x(e[1] / d), y: y + 2, height: tall - 4, width: Math.max(2, a.x(e[3] / d) - a.x(e[1] / d)), fill: "var(--accent)", "fill-opacity": 0.55, rx: 2 }), r.name + "\ngiven errors: median " + number(e[2], 3) + u + "\nmiddle half " + number(e[1], 3) + " to " + number(e[3], 3) + u + "\nspread of the attribute " + number(d, 3) + u);
          draw(svg, "line", { x1: a.x(e[2] / d), x2: a.x(e[2] / d), y1: y, y2: y + tall, stroke: "var(--accent)", "stroke-width": 2 });
        }
        if (r.a.learned_noise > 0) {
          const x = a.x(r.a.learned_noise / d), m = y + tall / 2;
          mark(draw(svg, "polygon", { points: [[x, m - 7], [x + 7, m], [x, m + 7], [x - 7, m]].map((p) => p.join(",")).join(" "), fill: "var(--warm)" }), r.name + "\nlearned noise " + number(r.a.learned_noise, 3) + u);
        }
      },
      data: () => [["attribute", "unit", "error column", "least error", "quarter", "median", "three quarters", "largest", "learned noise", "spread", "cells missing"], A.map((a) => [a.name, a.unit || "", a.error_column || "", ...(a.errors.length ? a.errors : [null, null, null, null, null]), a.learned_noise || null, a.deviation, a.missing])],
    });
  }

  // Rows at the foot of a curve, with their error bars: where there are data to go by.
  function rug(svg, a, k, bottom) {
    for (const r of D.sample.slice(0, 120)) {
      const x = r.x[k];
      if (!known(x) || a.x(x) < a.left || a.x(x) > a.right) continue;
      const c = known(r.y) && !NUMBERS ? r.y : r.best, paint = NUMBERS ? "var(--accent)" : colour(c), lane = NUMBERS ? 0 : Math.min(place[c], 4);
      const y = bottom - 4 - lane * 5, e = known(r.e[k]) ? r.e[k] : 0;
      if (e > 0) draw(svg, "line", { x1: Math.max(a.left, a.x(x - e)), x2: Math.min(a.right, a.x(x + e)), y1: y, y2: y, stroke: paint, "stroke-opacity": 0.3 });
      draw(svg, "circle", { cx: a.x(x), cy: y, r: 1.8, fill: paint, "fill-opacity": 0.8 });
    }
  }

  const topOf = (p) => (p > 0.5 ? 1 : Math.ceil(22 * p) / 20);
  const spread = (list) => Math.max(...list) - Math.min(...list);

  function curve(parent, c, k, rank) {
    const n = c.values.length, at = (i) => c.low + ((c.high - c.low) * i) / (n - 1);
    const shown = NUMBERS ? [] : featured.slice().sort((a, b) => Math.max(...c.values.map((v) => v[b])) - Math.max(...c.values.map((v) => v[a])));
    const attribute = A.find((x) => x.name === c.name) || { name: c.name };
    const lows = NUMBERS ? Math.min(...c.values.map((v) => v[0] - v[1])) : 0, highs = NUMBERS ? Math.max(...c.values.map((v) => v[0] + v[1])) : topOf(Math.max(...c.values.map((v) => Math.max(...v))));
    const say = (v) => (NUMBERS ? number(v[0]) + " ± " + number(v[1], 2) : shown.slice(0, 5).map((cl) => cut(className(cl), 24) + " " + percent(v[cl])).join(", "));
    figure(parent, {
      id: "curve-" + k, title: "Along " + cut(c.name, 60), note: rank === 0 ? (NUMBERS ? "Predicted mean and one standard deviation" : "Mean probability of each class") + " where this attribute has the value below" + (D.attribute_count > 1 ? " and all else is as measured in " + plural(D.curve_rows, "row") + " of the sample, averaged" : "") + ". Dots at the foot: rows with their error bars." : null,
      alt: "At " + number(c.low, 3) + ": " + say(c.values[0]) + ". At " + number(c.high, 3) + ": " + say(c.values[n - 1]) + ".",
      height: () => (NUMBERS ? 260 : 270), legend: NUMBERS ? null : (p) => classLegend(p, featured, true),
      draw(svg, w, h) {
        const foot = NUMBERS ? 12 : 8 + 5 * Math.min(5, D.classes.length);
        const a = axes(svg, w, h, { x: [c.low, c.high], y: [lows, highs], yFormat: NUMBERS ? undefined : percentTick, xTitle: c.name + unitOf(attribute), bottom: 40 });
        const inner = Object.assign({}, a, { y: scale(lows, highs, a.bottom - foot, a.top) });
        rug(svg, a, k, a.bottom);
        if (NUMBERS) {
          const up = c.values.map((v, i) => a.x(at(i)) + "," + inner.y(v[0] + v[1])), down = c.values.map((v, i) => a.x(at(i)) + "," + inner.y(v[0] - v[1])).reverse();
          draw(svg, "polygon", { points: up.concat(down).join(" "), fill: "var(--accent)", "fill-opacity": 0.15 });
          draw(svg, "polyline", { points: c.values.map((v, i) => a.x(at(i)) + "," + inner.y(v[0])).join(" "), fill: "none", stroke: "var(--accent)", "stroke-width": 2.2 });
        } else {
          for (let cl = 0; cl < D.classes.length; cl++)
            if (place[cl] >= 10 && Math.max(...c.values.map((v) => v[cl])) > 0.02)
              draw(svg, "polyline", { points: c.values.map((v, i) => a.x(at(i)) + "," + a.y(v[cl])).join(" "), fill: "none", stroke: "var(--other)", "stroke-width": 1, "stroke-opacity": 0.6 });
          for (const cl of featured.slice().reverse())
            draw(svg, "polyline", { class: "line", points: c.values.map((v, i) => a.x(at(i)) + "," + a.y(v[cl])).join(" "), fill: "none", stroke: colour(cl), "stroke-width": 2.2, "stroke-dasharray": dash(cl), "stroke-linejoin": "round" });
        }
        const slot = (a.right - a.left) / (n - 1);
        c.values.forEach((v, i) => mark(draw(svg, "rect", { x: Math.max(a.left, a.x(at(i)) - slot / 2), width: slot, y: a.top, height: a.bottom - a.top, fill: "var(--ink)", "fill-opacity": 0, "stroke-opacity": 0.15 }), c.name + " = " + number(at(i), 4) + "\n" + (NUMBERS ? say(v) : shown.filter((cl) => v[cl] >= 0.005).slice(0, 8).map((cl) => className(cl) + "  " + percent(v[cl])).join("\n"))));
      },
      data: () => [[c.name, ...(NUMBERS ? ["mean", "standard deviation"] : D.classes)], c.values.map((v, i) => [at(i), ...v])],
    });
  }

  function map(parent) {
    const m = D.map, n = m.places, i = m.across.shown, j = m.up.shown, base = NUMBERS ? 0 : 1 / D.classes.length;
    const means = m.values.map((v) => v[0]), low = Math.min(...means), high = Math.max(...means);
    const rows = D.sample.slice(0, 150).filter((r) => known(r.x[i]) && known(r.x[j]) && r.x[i] >= m.across.low && r.x[i] <= m.across.high && r.x[j] >= m.up.low && r.x[j] <= m.up.high);
    figure(parent, {
      id: "map", title: "Over two attributes", wide: true,
      note: (D.attribute_count > 2 ? "The two along which predictions change most. " : "") + (NUMBERS ? "Predicted mean, darker where larger" : "The most probable class, in stronger colour where it is surer") + (D.attribute_count > 2 ? "; all else as in " + plural(m.rows, "row") + " of the sample, averaged" : "") + ". Points: " + plural(rows.length, "row") + " with error bars" + (NUMBERS ? "." : rows.some((r) => known(r.y)) ? ", in the colour of the true class." : ", in the colour of the predicted class."),
      alt: "Map of predictions over " + cut(m.across.name, 60) + " and " + cut(m.up.name, 60) + ".",
      height: (w) => Math.min(560, Math.max(320, w * 0.62)), legend: NUMBERS ? null : (p) => classLegend(p, featured),
      draw(svg, w, h) {
        const a = axes(svg, w, h, { left: 62, x: [m.across.low, m.across.high], y: [m.up.low, m.up.high], xTitle: m.across.name + unitOf(A[i]), yTitle: m.up.name + unitOf(A[j]) });
        const cw = (a.right - a.left) / n, ch = (a.bottom - a.top) / n, ground = draw(svg, "g", { "shape-rendering": "crispEdges" });
        m.values.forEach((v, k) => {
          const col = k % n, row = Math.floor(k / n), strength = NUMBERS ? (v[0] - low) / (high - low || 1) : Math.max(0, (v[1] - base) / (1 - base));
          const x = m.across.low + ((m.across.high - m.across.low) * (col + 0.5)) / n, y = m.up.low + ((m.up.high - m.up.low) * (row + 0.5)) / n;
          mark(draw(ground, "rect", { x: (a.left + col * cw).toFixed(2), y: (a.bottom - (row + 1) * ch).toFixed(2), width: cw.toFixed(2), height: ch.toFixed(2), fill: NUMBERS ? "var(--accent)" : colour(v[0]), "fill-opacity": (0.04 + 0.5 * strength).toFixed(3) }), (NUMBERS ? number(v[0]) + " ± " + number(v[1], 2) : className(v[0]) + "  " + percent(v[1])) + "\n" + m.across.name + " = " + number(x, 3) + "\n" + m.up.name + " = " + number(y, 3));
        });
        const clampX = (v) => Math.max(a.left, Math.min(a.right, a.x(v))), clampY = (v) => Math.max(a.top, Math.min(a.bottom, a.y(v)));
        for (const r of rows) {
          const c = NUMBERS ? 0 : known(r.y) ? r.y : r.best, paint = NUMBERS ? "var(--ink)" : colour(c);
          const [ex, ey] = [r.e[i] || 0, r.e[j] || 0], [x, y] = [r.x[i], r.x[j]];
          if (ex > 0) draw(svg, "line", { x1: clampX(x - ex), x2: clampX(x + ex), y1: a.y(y), y2: a.y(y), stroke: paint, "stroke-opacity": 0.4, "pointer-events": "none" });
          if (ey > 0) draw(svg, "line", { x1: a.x(x), x2: a.x(x), y1: clampY(y - ey), y2: clampY(y + ey), stroke: paint, "stroke-opacity": 0.4, "pointer-events": "none" });
          const text = "row " + r.row + (NUMBERS ? "\npredicted " + number(r.mean) : "\n" + (known(r.y) ? className(r.y) + ", " : "") + "predicted " + className(r.best) + " " + percent(r.p)) + "\n" + m.across.name + " = " + number(x, 3) + (ex ? " ± " + number(ex, 2) : "") + "\n" + m.up.name + " = " + number(y, 3) + (ey ? " ± " + number(ey, 2) : "");
          mark(NUMBERS ? draw(svg, "circle", { cx: a.x(x), cy: a.y(y), r: 2.6, fill: paint, "fill-opacity": 0.7 }) : shape(svg, c, a.x(x), a.y(y), 3.4, { stroke: "var(--surface)", "stroke-width": 1 }), text);
        }
      },
      data: () => [[m.across.name, m.up.name, NUMBERS ? "mean" : "class", NUMBERS ? "standard deviation" : "probability"], m.values.map((v, k) => [m.across.low + ((m.across.high - m.across.low) * ((k % n) + 0.5)) / n, m.up.low + ((m.up.high - m.up.low) * (Math.floor(k / n) + 0.5)) / n, NUMBERS ? v[0] : className(v[0]), v[1]])],
    });
  }

  function denoised(parent) {
    if (!D.shown) return;
    const one = D.shown < 2, pair = one ? [0] : [D.map.across.shown, D.map.up.shown], names = pair.map((k) => A[k].name);
    const chosen = D.denoised.map((r) => ({ row: r.row, before: pair.map((k) => r.before[k]), after: pair.map((k) => r.after[k]) }));
    const rows = chosen.filter((r) => known(r.before[0][0]) && (one || known(r.before[1][0])));
    if (!rows.length) return;
    // One attribute: measured across, believed up. Two: both as they are, an arrow from one to the other.
    const ends = (k) => rows.flatMap((r) => [r.before[k][0], r.after[k][0]]);
    const X = [Math.min(...ends(0)), Math.max(...ends(0))], Y = one ? X : [Math.min(...ends(1)), Math.max(...ends(1))];
    figure(parent, {
      id: "denoised", title: "Rows before and after denoising", wide: true,
      note: (one ? "Measured value across, and where the true one is believed to be, with one standard deviation; on the dashed line nothing moved." : "Hollow: as measured, with error bars. Filled: where the true values are believed to be, given the other rows.") + " " + plural(rows.length, "row") + " of the sample.",
      alt: "Rows before and after denoising.", height: (w) => Math.min(460, Math.max(300, w * 0.5)),
      legend: one ? null : (at) => legend(at, [["measured", (s) => draw(s, "circle", { cx: 7, cy: 7, r: 4, fill: "none", stroke: "var(--muted)", "stroke-width": 1.5 })], ["believed", (s) => draw(s, "circle", { cx: 7, cy: 7, r: 4.5, fill: "var(--accent)" })]]),
      draw(svg, w, h) {
        const pad = (r) => [r[0] - 0.05 * (r[1] - r[0] || 1), r[1] + 0.05 * (r[1] - r[0] || 1)];
        const a = axes(svg, w, h, { left: 62, x: pad(X), y: pad(Y), xTitle: one ? names[0] + ", measured" : names[0], yTitle: one ? "believed" : names[1] });
        const cx = (v) => Math.max(a.left, Math.min(a.right, a.x(v))), cy = (v) => Math.max(a.top, Math.min(a.bottom, a.y(v)));
        if (one) draw(svg, "line", { class: "ideal", x1: a.x(X[0]), y1: a.y(X[0]), x2: a.x(X[1]), y2: a.y(X[1]) });
        for (const r of rows) {
          const b = r.before, f = r.after, text = "row " + r.row + "\n" + b.slice(0, one ? 1 : 2).map((v, k) => names[k] + ": " + number(v[0], 3) + " ± " + number(v[1], 2) + " → " + number(f[k][0], 3) + " ± " + number(f[k][1], 2)).join("\n");
          if (one) {
            draw(svg, "line", { x1: a.x(b[0][0]), x2: a.x(b[0][0]), y1: cy(f[0][0] - f[0][1]), y2: cy(f[0][0] + f[0][1]), stroke: "var(--accent)", "stroke-opacity": 0.4 });
            mark(draw(svg, "circle", { cx: a.x(b[0][0]), cy: a.y(f[0][0]), r: 4, fill: "var(--accent)" }), text);
            continue;
          }
          draw(svg, "line", { x1: cx(b[0][0] - (b[0][1] || 0)), x2: cx(b[0][0] + (b[0][1] || 0)), y1: a.y(b[1][0]), y2: a.y(b[1][0]), stroke: "var(--muted)", "stroke-opacity": 0.3 });
          draw(svg, "line", { x1: a.x(b[0][0]), x2: a.x(b[0][0]), y1: cy(b[1][0] - (b[1][1] || 0)), y2: cy(b[1][0] + (b[1][1] || 0)), stroke: "var(--muted)", "stroke-opacity": 0.3 });
          draw(svg, "line", { x1: a.x(b[0][0]), y1: a.y(b[1][0]), x2: a.x(f[0][0]), y2: a.y(f[1][0]), stroke: "var(--accent)", "stroke-opacity": 0.7, "stroke-width": 1.3 });
          draw(svg, "circle", { cx: a.x(b[0][0]), cy: a.y(b[1][0]), r: 3, fill: "var(--surface)", stroke: "var(--muted)", "stroke-width": 1.3 });
          mark(draw(svg, "circle", { cx: a.x(f[0][0]), cy: a.y(f[1][0]), r: 4, fill: "var(--accent)" }), text);
        }
      },
      data: () => [["row", ...names.flatMap((n) => [n, "error", n + " believed", "deviation"])], rows.map((r) => [r.row, ...names.flatMap((_, k) => [r.before[k][0], r.before[k][1], r.after[k][0], r.after[k][1]])])],
    });
  }

  const learned = section("learned", "What it learned");
  bound(learned.figures);
  relevance(learned.figures);
  noise(learned.figures);
  // Those along which predictions change most come first.
  const effect = (c) => (NUMBERS ? spread(c.values.map((v) => v[0])) : sum(c.values[0].map((_, cl) => spread(c.values.map((v) => v[cl])))));
  D.curves.map((c, k) => [c, k]).sort((a, b) => effect(b[0]) - effect(a[0])).forEach(([c, k], i) => curve(learned.figures, c, k, i));
  if (D.map) map(learned.figures);
  if (D.denoised.length) denoised(learned.figures);

  // ---------------------------------------------------------------- what to do next

  function entropy(parent) {
    const parts = ["label", "model", "measurement"], H = D.entropy;
    const list = order.slice().filter((c) => D.predictions.predicted[c] > 0 && H.by_class[c].every(known)).slice(0, 15);
    const rows = [{ name: "all rows", parts: parts.map((p) => H[p].value) }].concat(LABELS ? [] : list.map((c) => ({ name: "predicted " + className(c), parts: H.by_class[c] })));
    const most = Math.max(0.01, ...rows.map((r) => sum(r.parts)));
    const words = ["label noise, which nothing removes", "what a better model would remove", "what exact measurements would remove"];
    barList(parent, {
      id: "entropy", title: "What the entropy consists of", wide: true, note: "Mean entropy of the prediction, in nats: " + withError(H.all) + " a row.",
      alt: words.map((t, k) => t + " " + withError(H[parts[k]])).join("; ") + ".", rows: rows, x: [0, most], xTitle: "nats a row",
      legend: (at) => legend(at, words.map((t, k) => [t, (s) => draw(s, "rect", { x: 1, y: 1, width: 12, height: 12, rx: 2, fill: "var(--part" + k + ")" })])),
      row(svg, r, a, y, tall) {
        let from = 0;
        r.parts.forEach((p, k) => {
          mark(draw(svg, "rect", { x: a.x(from), y: y, height: tall, width: Math.max(0.5, a.x(from + p) - a.x(from)), fill: "var(--part" + k + ")", "fill-opacity": 0.9 }), r.name + "\n" + words[k] + "\n" + number(p, 3) + " nats");
          from += p;
        });
      },
      data: () => [["rows", "label", "model", "measurement"], rows.map((r) => [r.name, ...r.parts])],
    });
  }

  // columns: [title, value of a row, text of a row, numeric]
  function sortable(parent, id, title, text, rows, columns) {
    const panel = add(parent, "div", { class: "panel", id: id });
    add(panel, "h3", { id: id + "-title" }, title);
    add(panel, "p", {}, text);
    const made = add(add(panel, "div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": id + "-title" }), "table");
    const head = add(add(made, "thead"), "tr"), body = add(made, "tbody");
    let sorted = rows.slice(), all = false, more = null;
    function fill() {
      body.textContent = "";
      sorted.forEach((row, i) => {
        const line = add(body, "tr", { class: i >= 10 ? (all ? "" : "extra hidden") : null });
        for (const [, value, show, numeric] of columns) {
          const text = (show || ((r) => (numeric ? number(value(r)) : known(value(r)) ? String(value(r)) : "")))(row);
          add(line, "td", { class: numeric ? "n" : text.length > 24 ? "long" : null, title: text.length > 48 ? text : null }, cut(text, 48));
        }
      });
      if (more) more.classList.toggle("hidden", all);
    }
    columns.forEach(([name, value, , numeric]) => {
      const cell = add(head, "th", { scope: "col", class: numeric ? "n" : null });
      add(cell, "button", { type: "button" }, name).addEventListener("click", () => {
        const was = cell.getAttribute("aria-sort"), down = was ? was === "ascending" : !!numeric;
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
      more.addEventListener("click", () => { all = true; fill(); });
    }
  }

  const next = section("next", "What to do next", NUMBERS ? "Rows whose targets would teach the model most." : "Where more labels or better measurements would help most.");
  if (D.entropy) entropy(next.figures);
  const named = D.to_label.concat(D.to_measure || []).some((r) => r.name);
  const start = [["Row", (r) => r.row, null, true]].concat(named ? [["Name", (r) => r.name]] : []);
  const truth = D.to_label.concat(D.to_measure || []).some((r) => known(r.y)) ? [[NUMBERS ? "Seen" : "True", (r) => (NUMBERS ? r.y : known(r.y) ? className(r.y) : undefined), null, NUMBERS]] : [];
  if (NUMBERS)
    sortable(next, "to-label", "Rows worth a target", "By the deviation of the latent function, in standard units of the target: where it is large, a target would teach most.", D.to_label,
      start.concat(truth, [["Predicted", (r) => r.mean, null, true], ["Deviation", (r) => r.sd, null, true], ["Latent deviation", (r) => r.latent_sd, null, true]]));
  else {
    const usual = start.concat(truth, [[LABELS ? "Most probable label" : "Predicted", (r) => className(r.best)], ["Probability", (r) => r.p, (r) => percent(r.p), true], ["Entropy", (r) => r.entropy, (r) => nats(r.entropy), true]]);
    sortable(next, "to-label", "Rows worth a label", (E && E.rows < D.rows ? "Of the rows whose truth is not known. " : "") + "A label teaches: what the label would tell about the latent functions, in nats.", D.to_label, usual.concat([["A label teaches", (r) => r.model, (r) => nats(r.model), true]]));
    const tried = D.to_measure && D.to_measure.some((r) => r.remeasure);
    if (D.to_measure && D.to_measure.length && D.to_measure[0].measurement > 1e-6)
      sortable(next, "to-measure", "Measurements worth repeating", "Exact values of all attributes would remove so much of the entropy, in nats" + (tried ? "; the attribute to measure first, and what it alone would remove." : ". There are too many attributes to try each here; nimgp suggest --remeasure does."), D.to_measure,
        usual.filter((c) => c[0] !== "True").concat([["Measurement", (r) => r.measurement, (r) => nats(r.measurement), true]], !tried ? [] : [["Measure first", (r) => (r.remeasure[0] || [""])[0]], ["Gain", (r) => (r.remeasure[0] || [])[1], (r) => nats((r.remeasure[0] || [])[1]), true], ["Then", (r) => (r.remeasure[1] || [""])[0], (r) => (r.remeasure[1] ? r.remeasure[1][0] + ", " + nats(r.remeasure[1][1]) : "")]]));
  }

  // ---------------------------------------------------------------- what this is

  const about = section("about", "About this report");
  const panel = add(about, "div", { class: "panel" }), pairs = add(panel, "dl", { class: "pair" });
  const option = (name) => (D.options.find((o) => o[0] === name) || [])[1];
  const pair = (name, ...value) => { if (value.some((v) => known(v) && v !== "")) { add(pairs, "dt", {}, name); add(pairs, "dd", {}, ...value); } };
  pair("Model", facts.model);
  pair("Table", facts.table);
  pair("Only rows with", facts.where);
  pair("Learned from", facts.learned_from ? facts.learned_from + ", " + plural(D.training.rows, "row") : plural(D.training.rows, "row"));
  pair("Held out in training", facts.held_out);
  pair(NUMBERS ? "Target" : "Label", facts.label);
  pair(LABELS ? "Labels" : "Classes", D.classes.slice(0, 40).join(", ") + (D.classes.length > 40 ? ", …" : ""));
  pair("Attributes", A.slice(0, 40).map((a) => a.name + (a.unit ? " (" + a.unit + ")" : "")).join(", ") + (D.attribute_count > 40 ? ", …" : ""));
  pair("Rows left out", [D.left_out.other_classes ? plural(D.left_out.other_classes, "row") + " of other classes" : "", D.left_out.no_label ? plural(D.left_out.no_label, "row") + " without a truth, predicted but not rated" : ""].filter(Boolean).join("; "));
  pair("Input model", option("input") + ", noise " + option("noise") + ", " + option("kernel") + " kernel, " + D.inducing + " inducing inputs a function, likelihood " + option("likelihood"));
  for (const [key, value] of Object.entries(D.quantities)) pair({ epsilon: "Label noise", noise_deviation: "Noise of the target", scale: "Width of the noise", freedom: "Degrees of freedom", base_rate: "Base rate", thresholds: "Thresholds", temperature: "Temperature" }[key] || key, value.map((v) => number(v, 4)).join(", "));
  pair("Options set", D.options.filter((o) => !o[2]).map((o) => o[0] + " = " + o[1]).join(", "));
  pair("Seed", option("seed"));
  pair("Version", "nimgp " + D.nimgp);
  if (facts.command) { add(pairs, "dt", {}, "Made by"); add(add(pairs, "dd"), "code", { class: "command", id: "command" }, facts.command); }
  add(page, "footer", {}, add(null, "p", {}, "Scores, counts and entropies are sums over all " + plural(D.rows, "row") + ". Pictures of single rows, ranges of attributes and quartiles of errors come from a random sample of at most 1000 rows, of which at most 300 are in this file; tables list at most 40 rows each. The file needs no network and holds nothing else of the table."));

  document.querySelectorAll(".figures").forEach(balance);
  figures.forEach((redraw) => redraw());
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => figures.forEach((f) => f()), 120); });
  addEventListener("scroll", () => { if (lit) showTip(lit); }, { passive: true }); // it stays with its mark
  document.documentElement.dataset.ready = "1";
})();
