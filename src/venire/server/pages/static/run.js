// Live progress of a run, as the server tells it.
"use strict";

const run = document.getElementById("run");
const connection = document.getElementById("connection");

function word(name) {
  return run.getAttribute(`data-word-${name}`) || "";
}

// A judge that was not there when the page was made gets a row like that of the others.
function rowOf(name) {
  const body = document.querySelector("#judges tbody");
  const known = [...body.rows].find((each) => each.dataset.judge === name);
  if (known) return known;
  const row = document.getElementById("judge-row").content.firstElementChild.cloneNode(true);
  row.dataset.judge = name;
  row.querySelector("th").textContent = name;
  body.append(row);
  return row;
}

function showJudge(judge) {
  const row = rowOf(judge.judge);
  const bar = row.querySelector("progress");
  bar.max = judge.planned || 1;
  bar.value = judge.done;
  row.querySelectorAll("[data-count]").forEach((cell) => {
    const value = judge[cell.dataset.count];
    cell.textContent = value === null ? "–" : String(Math.round((value || 0) * 1e4) / 1e4);
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
