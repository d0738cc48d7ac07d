// Brings the results at the top and the items below up to date while people vote. The page works without it.
"use strict";

const EVERY = 4000;

async function refresh() {
  if (document.hidden) return;
  const answer = await fetch(window.location.pathname, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const live = (page) => page.getElementById("results")?.dataset.live;
  if (!live(fresh) || live(fresh) === live(document)) return;
  ["results", "items"].forEach((id) => document.getElementById(id).replaceWith(fresh.getElementById(id)));
}

window.setInterval(() => { refresh().catch(() => {}); }, EVERY);
