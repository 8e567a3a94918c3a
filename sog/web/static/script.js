// Saves reloading: sends forms and fetches pages in the background, and shows what changed. Every
// form and link works without it, too. Nothing here depends on a game.
"use strict";

const main = () => document.getElementById("main");
let asked = 0; // the newest request; answers to older ones are dropped

async function show(url, options) {
  const mine = ++asked;
  const answer = await fetch(url, { credentials: "same-origin", ...options });
  const text = await answer.text();
  if (mine !== asked) return;
  const type = answer.headers.get("content-type") || "";
  if (!type.startsWith("text/html")) { location.reload(); return; }
  const page = new DOMParser().parseFromString(text, "text/html");
  const focused = document.activeElement && document.activeElement.id;
  const polled = options && options.polled;
  const unsent = polled ? kept(main()) : null;
  const listsMoves = main().querySelector("#all-choices[open]");
  letGo();
  main().replaceWith(document.importNode(page.getElementById("main"), true));
  document.getElementById("site").replaceWith(document.importNode(page.getElementById("site"), true));
  document.title = page.title;
  if (answer.url !== location.href && (answer.redirected || !options)) {
    history[polled ? "replaceState" : "pushState"](null, "", answer.url);
  }
  if (unsent) restore(main(), unsent);
  if (listsMoves) main().querySelector("#all-choices")?.setAttribute("open", "");
  const next = polled && document.getElementById(focused)
    || main().querySelector("[autofocus]") || document.getElementById(focused);
  if (next) next.focus({ preventScroll: true });
  showLatest();
  poll();
  document.dispatchEvent(new Event("shown")); // for scripts of single pages
}

// Scrolls a long list of events to the last one shown.
function showLatest() {
  const list = document.querySelector(".events");
  const past = list && [...list.querySelectorAll(":scope > li:not(.after)")].pop();
  if (past) list.scrollTop = past.offsetTop + past.offsetHeight - list.offsetTop - list.clientHeight;
}

// Keeps what the visitor has opened and typed while a page updates itself.
function kept(from) {
  const fields = [...from.querySelectorAll("input[id]")].map((one) => [one.id, one.value, one.defaultValue]);
  const scrolled = [...from.querySelectorAll("[id].picture, [id].scroll")].map((one) => [one.id, one.scrollLeft, one.scrollTop]);
  return { open: [...from.querySelectorAll("details[id][open]")].map((one) => one.id), fields, scrolled };
}

function restore(into, { open, fields, scrolled }) {
  for (const id of open) { const one = document.getElementById(id); if (one) one.open = true; }
  for (const [id, value, before] of fields) {
    const one = document.getElementById(id);
    if (one && value !== before) one.value = value;
  }
  for (const [id, left, top] of scrolled) {
    const one = document.getElementById(id);
    if (one) { one.scrollLeft = left; one.scrollTop = top; }
  }
}

// Keeps the page while the server is down.
function noAnswer() {
  if (document.getElementById("no-answer")) return;
  const alert = document.createElement("p");
  alert.id = "no-answer";
  alert.setAttribute("role", "alert");
  alert.textContent = "The server does not respond; this page may be outdated. Is sog serve still running?";
  main().prepend(alert);
}

let waiting = 0;
function poll() {
  clearTimeout(waiting);
  const pause = Number(main().dataset.poll);
  if (!pause) return;
  waiting = setTimeout(() => {
    if (document.hidden) { poll(); return; }
    show(location.href, { polled: true }).catch(poll);
  }, pause);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.getAttribute("method") !== "post") return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  const button = event.submitter;
  if (button) button.disabled = true;
  const status = form.id === "choices" && document.getElementById("status");
  if (status) status.textContent = "…"; // until the answer arrives
  clearTimeout(waiting);
  // Not form.action: that is the button of this name.
  const url = button && button.getAttribute("formaction") || form.getAttribute("action");
  show(url, { method: "POST", body }).catch(() => {
    noAnswer();
    if (button) button.disabled = false;
  });
});

// Steps through the same game keep the scroll position.
document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a[data-step]");
  if (!link || event.ctrlKey || event.shiftKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  show(link.href).catch(noAnswer);
});

// A drawn action stands for its button.
document.addEventListener("click", (event) => {
  const row = event.target.closest && event.target.closest("[data-row]");
  if (row) {
    const link = document.querySelector(`a[data-to="${row.dataset.row}"]`);
    if (link) { event.preventDefault(); show(link.href).catch(noAnswer); }
    return;
  }
  const drawn = event.target.closest && event.target.closest("[data-actions]");
  if (!drawn) return;
  const buttons = drawn.dataset.actions.split(" ")
    .map((action) => document.getElementById(`action-${action}`)).filter(Boolean);
  if (buttons.length === 1) { buttons[0].click(); return; }
  document.querySelectorAll(".candidate").forEach((one) => one.classList.remove("candidate"));
  buttons.forEach((one) => one.classList.add("candidate"));
  if (buttons.length) { buttons[0].scrollIntoView({ block: "nearest" }); buttons[0].focus(); }
});

// Focusing an action's button highlights it in the picture, as pointing does.
function pointOut() {
  document.querySelectorAll(".pointed").forEach((one) => one.classList.remove("pointed"));
  const button = document.activeElement;
  if (!button.matches("#choices button:focus-visible")) return;
  document.querySelectorAll(`[data-actions~="${button.value}"]`).forEach((one) => one.classList.add("pointed"));
}
document.addEventListener("focusin", pointOut);
document.addEventListener("focusout", pointOut);

// Pieces are moved by clicking the squares where a move begins and ends, or by dragging. If several
// moves end on one square, a small menu opens.
let held = null; // { square, ends, at, isDragged }

function squareOf(event) {
  const under = document.elementFromPoint(event.clientX, event.clientY);
  return under && under.closest("[data-cell]");
}

function letGo() {
  document.querySelectorAll(".menu").forEach((one) => one.remove());
  document.querySelectorAll(".square.held, .square.target")
    .forEach((one) => one.classList.remove("held", "target"));
  if (held) held.square.querySelector(".piece").removeAttribute("transform");
  held = null;
}

function takeUp(square, event) {
  letGo();
  const ends = new Map(square.dataset.moves.split(" ").map((one) => one.split(":"))
    .map(([end, actions]) => [end, actions.split(",")]));
  held = { square, ends, at: [event.clientX, event.clientY], isDragged: false };
  square.classList.add("held");
  for (const end of ends.keys()) {
    square.ownerSVGElement.querySelector(`[data-cell="${end}"]`).classList.add("target");
  }
}

function putDown(square) {
  const buttons = held.ends.get(square.dataset.cell)
    .map((action) => document.getElementById(`action-${action}`)).filter(Boolean);
  if (buttons.length === 1) { buttons[0].click(); letGo(); return; }
  const menu = document.createElement("div"), box = square.getBoundingClientRect();
  menu.className = "menu";
  menu.setAttribute("role", "menu");
  for (const button of buttons) {
    const one = document.createElement("button");
    one.type = "button";
    one.textContent = button.lastChild.textContent;
    one.addEventListener("click", () => { letGo(); button.click(); });
    menu.append(one);
  }
  menu.style.left = `${box.left + scrollX}px`;
  menu.style.top = `${box.bottom + scrollY}px`;
  document.body.append(menu);
  menu.firstChild.focus();
}

document.addEventListener("pointerdown", (event) => {
  const square = event.target.closest && event.target.closest("[data-cell]");
  if (event.target.closest(".menu")) return;
  if (event.button !== 0 || !square) { letGo(); return; }
  if (held && held.ends.has(square.dataset.cell)) { event.preventDefault(); putDown(square); return; }
  const isSame = held && held.square === square;
  if (isSame || !square.dataset.moves) { letGo(); return; }
  event.preventDefault();
  if (event.target.releasePointerCapture) event.target.releasePointerCapture(event.pointerId);
  takeUp(square, event);
});

document.addEventListener("pointermove", (event) => {
  if (!held || !(event.buttons & 1)) return;
  const [x, y] = held.at, by = [event.clientX - x, event.clientY - y];
  held.isDragged ||= Math.hypot(...by) > 6;
  if (!held.isDragged) return;
  const svg = held.square.ownerSVGElement, scale = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
  svg.append(held.square); // on top
  held.square.querySelector(".piece").setAttribute("transform", `translate(${by.map((one) => one * scale)})`);
});

document.addEventListener("pointerup", (event) => {
  if (!held || !held.isDragged) return;
  held.isDragged = false;
  held.square.querySelector(".piece").removeAttribute("transform");
  const square = squareOf(event);
  if (square && held.ends.has(square.dataset.cell)) putDown(square);
  else if (square !== held.square) letGo();
});

document.addEventListener("keydown", (event) => { if (event.key === "Escape") letGo(); });

// Enter submits a textarea of one row.
document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key !== "Enter" || event.shiftKey || !field.matches || !field.matches("textarea[rows='1']")) return;
  event.preventDefault();
  field.form.requestSubmit();
});

// Disables a field that has no meaning for the choice in another.
function ruleOut() {
  for (const chooser of document.querySelectorAll("select[data-rules-out]")) {
    const other = chooser.form.elements[chooser.dataset.rulesOut];
    const isOut = chooser.selectedOptions[0].hasAttribute("data-rules-out");
    if (isOut === other.disabled) continue;
    other.disabled = isOut;
    other.selectedIndex = isOut ? 0 : 1;
  }
}
document.addEventListener("change", ruleOut);
document.addEventListener("shown", ruleOut);
ruleOut();

// Offers the players that can play the chosen game.
document.addEventListener("change", async (event) => {
  const game = event.target;
  if (!game.dataset.players) return;
  const players = game.form.elements[game.dataset.players], chosen = game.value;
  const answer = chosen && await fetch(`/players?game=${encodeURIComponent(chosen)}`);
  const able = answer && answer.ok && await answer.json();
  if (game.value !== chosen) return;
  for (const one of players.options) one.hidden = one.disabled = Boolean(able) && !able.includes(one.value);
  for (const group of players.querySelectorAll("optgroup")) group.hidden = !group.querySelector(":enabled");
  if (players.selectedOptions[0].disabled) players.value = players.querySelector("option:enabled").value;
});

// Copies the text of a chosen file into the field to send.
document.addEventListener("change", async (event) => {
  const file = event.target.files && event.target.files[0];
  const into = event.target.dataset.into && document.getElementById(event.target.dataset.into);
  if (file && into) into.value = await file.text();
});

// The number before an action, and the arrow keys between actions.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
  const buttons = [...document.querySelectorAll("#choices button")].filter((one) => one.checkVisibility());
  const numbered = buttons.filter((one) => one.querySelector("kbd"));
  if (/^[1-9]$/.test(event.key) && numbered[event.key - 1]) { numbered[event.key - 1].click(); return; }
  const at = buttons.indexOf(document.activeElement);
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (at < 0 || !step) return;
  event.preventDefault();
  buttons[(at + step + buttons.length) % buttons.length].focus();
});

window.addEventListener("popstate", () => location.reload());
showLatest();
poll();
