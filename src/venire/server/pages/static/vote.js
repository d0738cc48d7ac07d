// Keys for jurors, quotes by selecting text, and the countdown of undoing. The form works without any of it.
"use strict";

const ballot = document.getElementById("ballot");
const undo = document.getElementById("undo");
const output = document.getElementById("output");
const dimensions = [...document.querySelectorAll(".dimension")];
let current = 0;
let sent = false;

function showCurrent() {
  dimensions.forEach((each, place) => each.classList.toggle("current", place === current));
}

function choose(number) {
  const group = dimensions.length ? dimensions[current] : ballot;
  const options = group.querySelectorAll("input[type=radio]");
  const option = options[number - 1];
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

// Characters that are shown by their code are taken as what they are.
function selectedText() {
  const selection = window.getSelection();
  if (!output || selection.rangeCount === 0 || selection.isCollapsed) return "";
  const range = selection.getRangeAt(0);
  if (!output.contains(range.commonAncestorContainer)) return "";
  const copy = range.cloneContents();
  copy.querySelectorAll("[data-code]").forEach((each) => {
    each.replaceWith(String.fromCodePoint(Number.parseInt(each.dataset.code, 16)));
  });
  return copy.textContent;
}

let lastSelected = "";

function takeSelection(dimension) {
  const text = selectedText() || lastSelected;
  if (!text.trim()) return;
  const field = ballot.elements.namedItem(`quote.${dimension}`);
  field.value = text;
  field.dispatchEvent(new Event("input"));
}

function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = isTyping(event.target);
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (/^[1-9]$/.test(event.key) && ballot) {
    event.preventDefault();
    choose(Number(event.key));
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
    takeSelection(dimensions[current].dataset.dimension);
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

if (dimensions.length) {
  showCurrent();
  document.addEventListener("selectionchange", () => { lastSelected = selectedText() || lastSelected; });
  dimensions.forEach((each, place) => {
    each.addEventListener("focusin", () => { current = place; showCurrent(); });
  });
  document.querySelectorAll(".take").forEach((button) => {
    button.addEventListener("click", () => takeSelection(button.dataset.dimension));
  });
}

if (undo) {
  const until = Date.parse(undo.dataset.until);
  const shown = document.getElementById("undo-seconds");
  const tick = () => {
    const left = Math.ceil((until - Date.now()) / 1000);
    undo.hidden = left <= 0;
    shown.textContent = `${left} s`;
    if (left > 0) window.setTimeout(tick, 1000);
  };
  tick();
}
