// Brings the results at the top up to date while people vote. The page works without it.
"use strict";

const EVERY = 4000;

async function refresh() {
  if (document.hidden) return;
  const answer = await fetch(window.location.pathname, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("results");
  const shown = document.getElementById("results");
  if (fresh && shown && fresh.dataset.live !== shown.dataset.live) shown.replaceWith(fresh);
}

window.setInterval(() => { refresh().catch(() => {}); }, EVERY);
