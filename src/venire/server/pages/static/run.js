// Live progress of a run, as the server tells it.
"use strict";

const run = document.getElementById("run");
const connection = document.getElementById("connection");

function word(name) {
  return run.getAttribute(`data-word-${name}`) || "";
}

function showJudge(judge) {
  const row = [...document.querySelectorAll("#judges tbody tr")].find((each) => each.dataset.judge === judge.judge);
  if (!row) return;
  const bar = row.querySelector("progress");
  bar.max = judge.planned || 1;
  bar.value = judge.done;
  row.querySelectorAll("[data-count]").forEach((cell) => {
    const value = judge[cell.dataset.count] || 0;
    cell.textContent = String(Math.round(value * 1e4) / 1e4);
  });
}

function show(progress) {
  connection.textContent = "";
  run.dataset.state = progress.state;
  document.getElementById("state").textContent = word(progress.state);
  document.getElementById("reason").textContent = progress.reason || "";
  document.getElementById("ended").textContent = (progress.ended_at || "").slice(0, 19).replace("T", " ") || "–";
  progress.judges.forEach(showJudge);
}

if (run.dataset.state === "running") {
  const source = new EventSource(run.dataset.live);
  source.addEventListener("progress", (event) => show(JSON.parse(event.data)));
  source.addEventListener("end", () => source.close());
  source.addEventListener("error", () => { connection.textContent = word("lost"); });
}
