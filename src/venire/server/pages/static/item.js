// The votes behind a score, asked for page by page; the score is added up here from votes and weights.
"use strict";

const item = document.getElementById("item");
const more = document.getElementById("more");
// The same characters that the server shows by their code.
const HIDDEN = /([\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff])/u;
let after = 0;
let shown = 0;
let score = 0;

function showText(element, text) {
  text.split(HIDDEN).forEach((piece, place) => {
    if (place % 2 === 0) { element.append(piece); return; }
    const code = piece.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    const span = document.createElement("span");
    span.className = "code-point";
    span.dataset.code = code;
    span.textContent = `U+${code}`;
    element.append(span);
  });
}

async function getJson(address) {
  const answer = await fetch(address, { headers: { accept: "application/json" }, cache: "no-store" });
  if (answer.status === 404) throw new Error(item.dataset.none);
  if (!answer.ok) throw new Error(`${item.dataset.unread} ${answer.status}`);
  return answer.json();
}

function cell(row, content, kind) {
  const made = document.createElement(kind === "th" ? "th" : "td");
  if (kind && kind !== "th") made.className = kind;
  showText(made, content);
  row.append(made);
}

function addVote(vote) {
  const row = document.createElement("tr");
  cell(row, vote.voter_id, "th");
  cell(row, String(vote.vote), "number");
  cell(row, String(vote.batch), "number");
  cell(row, vote.alpha.toFixed(4), "number");
  cell(row, vote.weight.toFixed(4), "number");
  cell(row, vote.vote_time.slice(0, 19).replace("T", " "), "moment");
  document.getElementById("trail").append(row);
  score += vote.weight * vote.vote;
  shown += 1;
}

async function showVotes() {
  const query = new URLSearchParams({ inference_id: item.dataset.output, voter_prompt_id: item.dataset.prompt, after });
  const page = await getJson(`/api/v1/scores/trail?${query}&limit=200`);
  page.items.forEach(addVote);
  after = page.next_after;
  more.hidden = after === null;
  document.getElementById("votes").textContent = `${shown} / ${page.total}`;
  if (after === null) document.getElementById("score").textContent = `Σ = ${score.toFixed(4)}`;
}

async function showSample() {
  const found = await getJson(`/api/v1/samples?${new URLSearchParams({ output_id: item.dataset.output })}`);
  if (found.items.length === 0) return;
  const sample = await getJson(`/api/v1/samples/${found.items[0].digest}`);
  showText(document.getElementById("text"), sample.text);
  showText(document.getElementById("task"), sample.task);
}

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    const trouble = document.getElementById("trouble");
    trouble.textContent = error.message;
    trouble.hidden = false;
  }
}

more.addEventListener("click", () => attempt(showVotes));
attempt(showVotes);
attempt(showSample);
