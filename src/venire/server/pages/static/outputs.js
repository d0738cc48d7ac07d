// Keys for going through outputs, filters that apply at once, and lists that stay up to date while a run goes on.
"use strict";

const LINKS = { j: "after", k: "before", s: "beside" };

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    const search = document.querySelector("#filters input[type=search]");
    if (search) { event.preventDefault(); search.focus(); }
    return;
  }
  const link = document.getElementById(LINKS[event.key] || "");
  if (link) { event.preventDefault(); link.click(); }
});

const filters = document.getElementById("filters");
if (filters) {
  // What is not asked for stays out of the address.
  filters.addEventListener("submit", () => {
    filters.querySelectorAll("select, input").forEach((field) => { field.disabled = field.value === ""; });
  });
  filters.querySelectorAll("select").forEach((field) => field.addEventListener("change", () => filters.requestSubmit()));
  window.addEventListener("pageshow", () => {
    filters.querySelectorAll("select, input").forEach((field) => { field.disabled = false; });
  });
}

// The list marks the output that is shown, wherever it stands by now.
function showCurrent() {
  const shown = document.getElementById("output");
  document.querySelectorAll("#list a").forEach((link) => {
    const isShown = shown !== null && link.dataset.key === shown.dataset.key;
    if (isShown) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    if (isShown && window.matchMedia("(min-width: 76.01rem)").matches) link.scrollIntoView({ block: "nearest" });
  });
}
showCurrent();

// Only the list and its count are renewed: what somebody reads or writes stays as it is.
const live = document.getElementById("live");
async function look() {
  try {
    const answer = await fetch(live.dataset.address, { headers: { accept: "application/json" }, cache: "no-store" });
    if (!answer.ok) return;
    const now = await answer.json();
    live.textContent = now.read < now.known ? live.dataset.behind : "";
    if (String(now.read) === live.dataset.read) return;
    const page = await fetch(window.location.href, { headers: { accept: "text/html" }, cache: "no-store" });
    if (!page.ok) return;
    const fresh = new DOMParser().parseFromString(await page.text(), "text/html");
    for (const id of ["list", "total"]) {
      const found = fresh.getElementById(id);
      if (found) document.getElementById(id).replaceWith(document.adoptNode(found));
    }
    showCurrent();
    live.dataset.read = String(now.read);
  } catch { /* The server has ended; what is on the page stays. */ }
}
if (live) setInterval(() => { if (!document.hidden) look(); }, 2000);
