// SPDX-License-Identifier: Apache-2.0
// Making elements, and numbers as text. Names of classes, columns and files only ever become text nodes and
// attribute values, never markup.
//
// The files of this folder are one script: report/embed.py puts them one after the other into one function.
const D = JSON.parse(document.getElementById("data").textContent);
const E = D.evaluation;
const NUMBERS = D.classes.length === 0;
const LABELS = D.target === "labels";
const tip = document.getElementById("tip");

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
  const size = Math.abs(x),
    wanted = digits || 4;
  if (Number.isInteger(x) && size < 1e7) return String(x).replace("-", "−");
  let text = size >= 1e6 || size < 1e-4 ? x.toExponential(wanted - 1) : String(Number(x.toPrecision(wanted)));
  return text.replace("-", "−").replace("e+", "e").replace("e-", "e−");
}
const percent = (x, digits) => (known(x) ? (100 * x).toFixed(digits === undefined ? 1 : digits) + " %" : "–");
// A value to the digits its standard error leaves it, and the error to two.
function rounded(s) {
  const e = s.standard_error,
    digits = known(e) && e > 0 ? 1 - Math.floor(Math.log10(e)) : -1;
  if (!known(s.value) || digits < 0 || digits > 7) return [number(s.value), known(e) ? number(e, 2) : ""];
  return [s.value.toFixed(digits).replace("-", "−"), e.toFixed(digits)];
}
const withError = (s) => rounded(s).filter(Boolean).join(" ± ");
// Where a share of so many rows may be: one standard error; of 0 and 1 what 68 % allow.
function reach(s, rows) {
  const e = s.value === 0 || s.value === 1 ? 1 - Math.pow(0.32, 1 / rows) : s.standard_error || 0;
  return [Math.max(0, s.value - e), Math.min(1, s.value + e)];
}
const nats = (x) => (known(x) ? x.toFixed(3) : "–");
const withErrorPercent = (s) => percent(s.value) + (known(s.standard_error) ? " ± " + percent(s.standard_error) : "");
const count = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
const plural = (n, word) => count(n) + " " + word + (n === 1 ? "" : "s");
const cut = (text, most) => (text.length > most ? text.slice(0, Math.max(1, most - 1)) + "…" : text);
const sum = (list) => list.reduce((a, b) => a + b, 0);

// Round places between two numbers, about so many.
function ticks(low, high, about) {
  const raw = (high - low) / Math.max(1, about),
    power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999) || raw;
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
    list.push(Number((k * step).toPrecision(12)));
  return list;
}
const scale = (low, high, from, to) => (x) => from + ((x - low) / (high - low || 1)) * (to - from);
const percentTick = (v) => Math.round(100 * v) + " %";
