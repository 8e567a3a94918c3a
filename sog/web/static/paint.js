// Paints tables of numbers: with a brush chosen, dragging over cells sets them; a text beside a table
// holds its numbers for copy and paste. Without this script every number can be typed.
"use strict";

document.documentElement.classList.add("scripted");

const paintable = (under) => under && under.closest && under.closest("[data-paint]");
const brushOf = (cell) => cell.closest("form").querySelector("[data-brush]").value;
const STEP = 8; // pixels: fast strokes are sampled at a few points only
let painting = null; // { form, at } while cells are being painted

function paint(cell) {
  const field = cell.querySelector("input");
  if (field.value === brushOf(cell)) return;
  field.value = brushOf(cell);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

document.addEventListener("pointerdown", (event) => {
  const cell = paintable(event.target);
  if (!cell || event.button !== 0 || brushOf(cell) === "") return;
  event.preventDefault();
  if (event.target.releasePointerCapture) event.target.releasePointerCapture(event.pointerId);
  painting = { form: cell.closest("form"), at: [event.clientX, event.clientY] };
  paint(cell);
});

document.addEventListener("pointermove", (event) => {
  if (!painting || !(event.buttons & 1)) { painting = null; return; }
  const [x, y] = painting.at, by = [event.clientX - x, event.clientY - y];
  const steps = Math.ceil(Math.hypot(...by) / STEP) || 1;
  for (let step = 1; step <= steps; step++) {
    const cell = paintable(document.elementFromPoint(x + by[0] * step / steps, y + by[1] * step / steps));
    if (cell && cell.closest("form") === painting.form) paint(cell);
  }
  painting.at = [event.clientX, event.clientY];
});

document.addEventListener("pointerup", () => { painting = null; });

// Fills each cell by its number, or by its share where a row is normalized.
function tint(table) {
  for (const line of table.querySelectorAll("[data-line]").length ? table.querySelectorAll("[data-line]") : [table]) {
    const fields = [...line.querySelectorAll("[data-paint] input")];
    const weights = fields.map((one) => Number(one.value) || 0);
    const whole = line.hasAttribute("data-line") ? weights.reduce((a, b) => a + b, 0) : Math.max(...weights);
    fields.forEach((one, at) => one.style.setProperty("--share", `${whole > 0 ? 100 * weights[at] / whole : 0}%`));
  }
}

// The text of a column: a line "name: number" for each field.
const fieldsOf = (text) => [...document.querySelectorAll(`input[id^="${text.dataset.textOf}-"]`)];
const nameOf = (field) => field.closest("tr").querySelector("th").textContent.trim();

function write(text) {
  text.value = fieldsOf(text).map((one) => `${nameOf(one)}: ${one.value || 0}`).join("\n");
  text.setCustomValidity("");
}

function read(text) {
  const fields = new Map(fieldsOf(text).map((one) => [nameOf(one), one]));
  const wrong = [];
  for (const line of text.value.split("\n").filter((one) => one.trim())) {
    const at = line.lastIndexOf(":"), field = fields.get(line.slice(0, at).trim());
    const weight = Number(line.slice(at + 1));
    if (at < 0 || !field || !(weight >= 0)) { wrong.push(line.trim()); continue; }
    field.value = String(weight);
  }
  text.setCustomValidity(wrong.length ? `Not a line of "name: number": ${wrong[0]}` : "");
  text.reportValidity();
}

document.addEventListener("input", (event) => {
  const changed = event.target;
  if (changed.matches("[data-text-of]")) read(changed);
  else if (paintable(changed)) document.querySelectorAll("[data-text-of]").forEach(write);
  document.querySelectorAll(".painted").forEach(tint);
});

document.addEventListener("change", (event) => {
  const brush = event.target.closest("[data-brush]");
  if (brush) brush.form.classList.toggle("brushed", brush.value !== "");
});

function begin() {
  document.querySelectorAll("[data-text-of]").forEach(write);
  document.querySelectorAll(".painted").forEach(tint);
}

document.addEventListener("shown", begin);
begin();
