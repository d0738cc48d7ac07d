// Checks the ledger in the browser: every hash is computed anew from the entries as they were sent.
"use strict";

const PAGE = 500;
const text = new TextEncoder();

function hex(buffer) {
  return [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(digits) {
  return Uint8Array.from(digits.match(/../g) || [], (pair) => Number.parseInt(pair, 16));
}

function fromBase64(encoded) {
  return Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
}

async function sha256(bytes) {
  return hex(await crypto.subtle.digest("SHA-256", bytes));
}

function joined(arrays) {
  const all = new Uint8Array(arrays.reduce((sum, each) => sum + each.length, 0));
  let place = 0;
  arrays.forEach((each) => { all.set(each, place); place += each.length; });
  return all;
}

// SHA-256 over eight fields, each behind its length in 8 bytes: see the reference of the ledger's format.
async function entryHash(entry) {
  const fields = [
    "venire:ledger-entry:1",
    String(entry.sequence),
    entry.previous_hash,
    entry.kind,
    entry.key,
    entry.recorded_at,
    await sha256(fromBase64(entry.payload)),
    await sha256(fromBase64(entry.blob)),
  ].map((field) => text.encode(field));
  const parts = fields.flatMap((field) => {
    const length = new Uint8Array(8);
    new DataView(length.buffer).setBigUint64(0, BigInt(field.length));
    return [length, field];
  });
  return sha256(joined(parts));
}

async function getJson(address) {
  const answer = await fetch(address, { headers: { accept: "application/json" }, cache: "no-store" });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

const verify = document.getElementById("verify");
const start = document.getElementById("start");
const verdict = document.getElementById("verdict");
const bar = document.getElementById("verified");

function conclude(element, kind, words) {
  element.className = kind;
  element.textContent = words;
}

async function verifyAll() {
  const count = Number(verify.dataset.count);
  let sequence = 0;
  let hash = "0".repeat(64);
  while (sequence < count) {
    const page = await getJson(`/api/v1/audit/entries?after=${sequence}&limit=${Math.min(PAGE, count - sequence)}`);
    if (page.items.length === 0) break;
    for (const entry of page.items) {
      const follows = entry.sequence === sequence + 1 && entry.previous_hash === hash;
      if (!follows || (await entryHash(entry)) !== entry.hash) {
        conclude(verdict, "broken", `✗ ${verify.dataset.broken} ${sequence + 1}`);
        return;
      }
      sequence = entry.sequence;
      hash = entry.hash;
    }
    bar.value = sequence;
    verdict.textContent = `${verify.dataset.running} ${sequence} / ${count}`;
  }
  if (sequence === count && hash === verify.dataset.head) conclude(verdict, "intact", `✓ ${verify.dataset.intact}`);
  else conclude(verdict, "broken", `✗ ${verify.dataset.otherEnd}`);
}

start.addEventListener("click", async () => {
  if (!crypto.subtle) { conclude(verdict, "broken", verify.dataset.insecure); return; }
  start.disabled = true;
  verdict.className = "";
  try {
    await verifyAll();
  } catch (error) {
    conclude(verdict, "broken", `${verify.dataset.unread} ${error.message}`);
  }
  start.disabled = false;
});

// RFC 9162 §2.1.3.2, over the bytes of entries' hashes.
async function rootOf(entryHashHex, proof) {
  let index = proof.sequence - 1;
  let last = proof.size - 1;
  let reached = fromHex(await sha256(joined([Uint8Array.of(0), fromHex(entryHashHex)])));
  const node = async (left, right) => fromHex(await sha256(joined([Uint8Array.of(1), left, right])));
  for (const neighbour of proof.path.map(fromHex)) {
    if (last === 0) return "";
    if (index % 2 === 1 || index === last) {
      reached = await node(neighbour, reached);
      while (index !== 0 && index % 2 === 0) { index >>= 1; last >>= 1; }
    } else {
      reached = await node(reached, neighbour);
    }
    index >>= 1;
    last >>= 1;
  }
  return last === 0 ? hex(reached.buffer) : "";
}

const prove = document.getElementById("prove");
const proofVerdict = document.getElementById("proof-verdict");

document.getElementById("proof-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const sequence = Number(document.getElementById("sequence").value);
  const download = document.getElementById("proof-download");
  download.hidden = true;
  if (!crypto.subtle) { conclude(proofVerdict, "broken", verify.dataset.insecure); return; }
  try {
    const page = await getJson(`/api/v1/audit/entries?after=${sequence - 1}&limit=1`);
    const proof = await getJson(`/api/v1/proof/${sequence}`);
    const hash = await entryHash(page.items[0]);
    const root = await rootOf(hash, proof.proof);
    const holds = root !== "" && root === proof.merkle_root;
    conclude(proofVerdict, holds ? "intact" : "broken", `${holds ? "✓" : "✗"} ${holds ? prove.dataset.proved : prove.dataset.notProved} ${proof.merkle_root}`);
    download.href = `/api/v1/proof/${sequence}`;
    download.download = `proof-${sequence}.json`;
    download.hidden = false;
  } catch (error) {
    conclude(proofVerdict, "broken", `${prove.dataset.none} ${error.message}`);
  }
});

// Fetched first, so that a server without a key says so on the page and not in a file that looks like a checkpoint.
document.getElementById("checkpoint").addEventListener("click", async (event) => {
  event.preventDefault();
  const link = event.currentTarget;
  const said = document.getElementById("checkpoint-verdict");
  const answer = await fetch(link.href, { cache: "no-store" });
  if (!answer.ok) { conclude(said, "broken", link.dataset.unsigned); return; }
  const file = document.createElement("a");
  file.href = URL.createObjectURL(await answer.blob());
  file.download = link.download;
  file.click();
  URL.revokeObjectURL(file.href);
  conclude(said, "", "");
});
