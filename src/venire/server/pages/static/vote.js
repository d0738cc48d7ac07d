// Keys for jurors, quotes by selecting text, and the countdown of undoing. The form works without any of it.
"use strict";

const ballot = document.getElementById("ballot");
const undo = document.getElementById("undo");
const dimensions = [...document.querySelectorAll(".dimension")];
let current = 0;
let sent = false;

function showCurrent() {
  dimensions.forEach((each, place) => each.classList.toggle("current", place === current));
}

// An option answers to the key that it names, or else to its place.
function choose(key) {
  const group = dimensions.length ? dimensions[current] : ballot;
  const options = [...group.querySelectorAll("input[type=radio]")];
  const option = options.some((each) => each.dataset.key)
    ? options.find((each) => each.dataset.key === key)
    : options[Number(key) - 1];
  if (!option) return;
  option.checked = true;
  option.focus({ preventScroll: dimensions.length === 0 });
  if (dimensions.length && current < dimensions.length - 1) {
    current += 1;
    showCurrent();
  }
}

function isTyping(target) {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "text");
}

// The words that are selected in the output or in a material, and where they stand. Characters that are shown by their
// code are taken as what they are.
function selected() {
  const selection = window.getSelection();
  if (selection.rangeCount === 0 || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const inside = range.commonAncestorContainer;
  const source = (inside instanceof Element ? inside : inside.parentElement).closest(".judged[data-source]");
  if (!source) return null;
  const copy = range.cloneContents();
  copy.querySelectorAll("[data-code]").forEach((each) => {
    each.replaceWith(String.fromCodePoint(Number.parseInt(each.dataset.code, 16)));
  });
  return copy.textContent.trim() ? { text: copy.textContent, source: source.dataset.source } : null;
}

let lastSelected = null;

function takeSelection(button) {
  const taken = selected() || lastSelected;
  if (!taken) return;
  const sources = ballot.elements.namedItem(button.dataset.source);
  const places = sources ? [...sources.options].map((each) => each.value) : [button.dataset.from || "output"];
  if (!places.includes(taken.source)) return;
  if (sources) sources.value = taken.source;
  const field = ballot.elements.namedItem(button.dataset.quote);
  field.value = taken.text;
  field.dispatchEvent(new Event("input"));
}

function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = isTyping(event.target);
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (/^[0-9]$/.test(event.key) && ballot) {
    event.preventDefault();
    choose(event.key);
  } else if (event.key === "Enter" && ballot && !(event.target instanceof HTMLButtonElement) && !(event.target instanceof HTMLAnchorElement)) {
    event.preventDefault();
    document.getElementById("cast").click();
  } else if (event.key.toLowerCase() === "s" && ballot) {
    event.preventDefault();
    document.getElementById("skip").click();
  } else if (event.key.toLowerCase() === "u" && undo && !undo.hidden) {
    event.preventDefault();
    undo.requestSubmit();
  } else if (event.key.toLowerCase() === "q" && dimensions.length) {
    event.preventDefault();
    // Where outputs have quotes of their own, the words say which; elsewhere they are for the dimension at hand.
    const taken = selected() || lastSelected;
    const own = taken && ballot.querySelector(`.take[data-from="${CSS.escape(taken.source)}"]`);
    const button = own || dimensions[current].querySelector(".take");
    if (button) takeSelection(button);
  }
}

document.addEventListener("keydown", onKey);

if (ballot) {
  // A double click must not become two votes; the server refuses the second, but nobody should have to see that.
  ballot.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  window.addEventListener("pageshow", () => { sent = false; });
}

if (document.querySelector(".take")) {
  document.addEventListener("selectionchange", () => { lastSelected = selected() || lastSelected; });
  document.querySelectorAll(".take").forEach((button) => {
    button.addEventListener("click", () => takeSelection(button));
  });
}

if (dimensions.length) {
  showCurrent();
  dimensions.forEach((each, place) => {
    each.addEventListener("focusin", () => { current = place; showCurrent(); });
  });
}

if (undo) {
  const until = Date.parse(undo.dataset.until);
  const shown = document.getElementById("undo-seconds");
  const tick = () => {
    const left = Math.ceil((until - Date.now()) / 1000);
    undo.hidden = left <= 0;
    shown.textContent = shown.dataset.seconds.replace("{seconds}", left);
    if (left > 0) window.setTimeout(tick, 1000);
  };
  tick();
}

// On a phone the output comes first; the task and how to vote are one tap away.
if (window.matchMedia("(max-width: 44rem)").matches) {
  document.querySelectorAll("#task-details, #guidance").forEach((each) => { each.open = false; });
}
