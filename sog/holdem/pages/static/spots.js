// The form of a spot: cards and ranges by clicking and dragging; the texts beside them are what is
// sent, and the server reads them. And walking a solved spot without reloading.
"use strict";

const RANKS = "AKQJT98765432", SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };

function element(tag, attributes = {}, text = "") {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

// The board.

function cardsIn(text) {
  return [...text.matchAll(/([2-9TJQKA])([shdc])/gi)].map((one) => one[1].toUpperCase() + one[2].toLowerCase());
}

function makeDeck(deck) {
  const field = document.getElementById(deck.dataset.board);
  const buttons = new Map();
  for (const suit of "shdc") {
    for (const rank of RANKS) {
      const name = rank + suit;
      const button = element("button", { type: "button", class: `card ${suit}`, "aria-label": name, "data-card": name }, rank + SIGNS[suit]);
      button.addEventListener("click", () => {
        const cards = cardsIn(field.value);
        const at = cards.indexOf(name);
        if (at >= 0) cards.splice(at, 1);
        else if (cards.length < 5) cards.push(name);
        field.value = cards.join("");
        changed();
      });
      buttons.set(name, button);
      deck.append(button);
    }
  }
  function read() {
    const cards = cardsIn(field.value);
    for (const [name, button] of buttons) button.setAttribute("aria-pressed", cards.includes(name));
  }
  const changed = () => { read(); remember(); };
  field.addEventListener("input", read);
  read();
}

// The ranges.

const nameOf = (row, column) => row === column ? RANKS[row] + RANKS[row]
  : row < column ? `${RANKS[row]}${RANKS[column]}s` : `${RANKS[column]}${RANKS[row]}o`;

const brush = () => Number(document.getElementById("weight").value) / 100;

class Painter {
  constructor(square) {
    this.square = square;
    this.field = document.getElementById(square.dataset.range);
    this.cells = [];
    this.painted = null; // while painting: the weight, and the classes that have it now
    this.asked = 0;
    for (let row = 0; row < 13; row++) {
      for (let column = 0; column < 13; column++) {
        const name = nameOf(row, column), kind = name[2] || "p";
        const cell = element("button", { type: "button", class: `hand ${kind}`, "data-hand": name, tabindex: this.cells.length ? -1 : 0 }, name);
        this.cells.push(cell);
        square.append(cell);
      }
    }
    square.addEventListener("pointerdown", (event) => this.begin(event));
    square.addEventListener("pointermove", (event) => this.drag(event));
    for (const kind of ["pointerup", "pointercancel"]) square.addEventListener(kind, () => this.end());
    square.addEventListener("keydown", (event) => this.press(event));
    this.field.addEventListener("input", () => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.read(this.field.value, false), 250);
    });
    this.read(this.field.value, false);
  }

  set(cell, weight) {
    cell.dataset.weight = weight;
    cell.style.setProperty("--weight", `${100 * weight}%`); // by script: the page may have no style of its own
    cell.setAttribute("aria-label", `${cell.textContent} ${Math.round(100 * weight)}%`);
  }

  begin(event) {
    const cell = event.target.closest(".hand");
    if (!cell || event.button !== 0) return;
    event.preventDefault();
    this.square.setPointerCapture(event.pointerId);
    this.start(cell);
  }

  start(cell) {
    const weight = Number(cell.dataset.weight) === brush() ? 0 : brush();
    this.painted = { weight, names: new Set() };
    this.paint(cell);
  }

  drag(event) {
    if (!this.painted) return;
    const cell = document.elementFromPoint(event.clientX, event.clientY);
    if (cell && cell.parentNode === this.square) this.paint(cell);
  }

  paint(cell) {
    this.set(cell, this.painted.weight);
    this.painted.names.add(cell.textContent);
  }

  end() {
    if (!this.painted) return;
    const { weight, names } = this.painted;
    this.painted = null;
    const parts = [...names].map((name) => weight === 1 ? name : `${name}:${weight}`);
    this.read([this.field.value.trim(), ...parts].filter(Boolean).join(","), true);
  }

  press(event) {
    const at = this.cells.indexOf(event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 13, ArrowUp: -13 }[event.key];
    if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      this.start(event.target);
      this.end();
    } else if (step && this.cells[at + step]) {
      event.preventDefault();
      event.target.tabIndex = -1;
      this.cells[at + step].tabIndex = 0;
      this.cells[at + step].focus();
    }
  }

  // What a text says, by the server; writes: whether it also becomes the field's, in short.
  async read(text, writes) {
    if (writes) this.field.value = text; // at once: it may be sent, or painted on, before the answer
    const mine = ++this.asked;
    const path = "/spots/range?" + new URLSearchParams({ text });
    const found = await fetch(path, { credentials: "same-origin" })
      .then((answer) => (answer.ok ? answer.json() : answer.text().then((problem) => ({ problem }))))
      .catch(() => ({ problem: "The server does not answer; is sog serve still running?" }));
    if (mine !== this.asked) return;
    const told = document.getElementById(`${this.field.id}-problem`);
    told.textContent = found.problem || "";
    if (found.problem) return;
    if (writes) this.field.value = found.text;
    found.weights.flat().forEach((weight, at) => this.set(this.cells[at], weight));
    document.getElementById(`${this.field.id}-share`).textContent = `${found.percent}% of all hands`;
    remember();
  }
}

// The address says what the form says, so that it can be passed on.
function remember() {
  const form = document.getElementById("spot");
  if (!form) return;
  const query = "/spots/new?" + new URLSearchParams(new FormData(form));
  document.getElementById("link").href = query;
  if (location.pathname === "/spots/new") history.replaceState(null, "", query);
}

function setUp() {
  const form = document.getElementById("spot");
  if (!form || form.dataset.isSetUp) return;
  form.dataset.isSetUp = "yes";
  form.querySelectorAll("[data-board]").forEach(makeDeck);
  const painters = new Map([...form.querySelectorAll("[data-range]")].map((one) => [one.dataset.range, new Painter(one)]));
  const weight = document.getElementById("weight"), told = document.getElementById("weight-told");
  weight.addEventListener("input", () => { told.textContent = `${weight.value}%`; });
  form.querySelectorAll("#brush, .presets").forEach((one) => { one.hidden = false; });
  form.querySelectorAll("[data-fill]").forEach((button) => button.addEventListener("click", () =>
    painters.get(button.dataset.fill).read(button.dataset.text, true)));
  form.addEventListener("change", remember);
}

// Walking.
document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a.walk, a.hands");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const url = new URL(link.getAttribute("href"), location.href);
  show(url.href.split("#")[0]).then(() => {
    const combos = url.hash === "#combos" && document.getElementById("combos");
    if (combos) combos.scrollIntoView({ block: "nearest" });
  }).catch(noAnswer);
});

// What is shown next begins at its top, or where it says what is wrong; and one sees that it is prepared.
let path = location.pathname;
document.addEventListener("shown", () => {
  setUp();
  const problem = document.getElementById("problem");
  if (problem) problem.scrollIntoView({ block: "center" });
  else if (location.pathname !== path) scrollTo(0, 0);
  path = location.pathname;
});
document.addEventListener("submit", (event) => {
  if (event.target.id === "spot") event.target.lastElementChild.scrollIntoView({ block: "nearest" });
});
setUp();
