// The outputs of a report without a server: filters, keys, one output beside the list, and outputs side by side.
"use strict";

(() => {
  const held = document.getElementById("outputs-data");
  if (!held) return;
  const { outputs, cells, entries, requests } = JSON.parse(held.textContent);
  const byId = (id) => document.getElementById(id);
  const section = byId("outputs"), form = byId("filters"), list = byId("list"), shown = byId("shown");
  const items = Array.from(list.children);
  const MOST_TOKENS = 4000, COLUMNS = 3;
  let asked = new URLSearchParams(), current = [], place = -1;
  section.hidden = false;

  // What is asked for stands behind "#outputs?" in the address, in the words that `venire view` uses.
  function readAddress() {
    const [name, query] = window.location.hash.slice(1).split(/\?(.*)/s);
    return name === "outputs" ? new URLSearchParams(query || "") : null;
  }
  function go(changes) {
    const next = new URLSearchParams(asked);
    for (const [name, value] of Object.entries(changes)) { next.delete(name); if (value) next.set(name, value); }
    window.location.hash = `outputs?${next}`;
    follow(); // The browser tells of the new address later, when the next key may have been pressed already.
  }

  const texts = new Map();
  function textOf(output) {
    if (!texts.has(output)) {
      const page = new DOMParser().parseFromString(output.text, "text/html");
      texts.set(output, page.body.textContent);
    }
    return texts.get(output);
  }
  const OF_JUDGEMENTS = ["judge", "verdict", "status", "run", "repeat", "method", "judgement"];
  const OF_VOTES = ["voter", "prompt", "item"];
  function holds(output, asked) {
    const any = (name, value) => { const wanted = asked.getAll(name); return !wanted.length || wanted.includes(value); };
    const many = entries[asked.get("cell")];  // Entries that are too many for an address.
    for (const name of ["model", "variant", "question", "protocol", "unit"]) if (!any(name, output[name])) return false;
    for (const name of new Set(asked.keys())) {
      if (name.startsWith("f.") && !any(name, output.factors[name.slice(2)] ?? null)) return false;
    }
    if (many || [...OF_JUDGEMENTS, "entry", "counted"].some((name) => asked.has(name))) {
      const found = output.judged.some((each) => OF_JUDGEMENTS.every((name) => any(name, each[name]))
        && (!asked.has("counted") || each.counted) && any("entry", String(each.entry)) && (!many || many.includes(each.entry)));
      if (!found) return false;
    }
    if ([...OF_VOTES, "vote", "voted"].some((name) => asked.has(name))) {
      const found = output.votes.some((each) => OF_VOTES.every((name) => any(name, each[name])) && any("vote", String(each.vote)));
      if (!found) return false;
    }
    if (asked.get("only") && !output.kinds.includes(asked.get("only"))) return false;
    const words = (asked.get("q") || "").trim().toLowerCase();
    return !words || output.name.toLowerCase().includes(words) || textOf(output).toLowerCase().includes(words);
  }

  const last = (value, sign) => (value === null ? Number.MAX_VALUE : sign * value);
  const even = (output) => (output.voted === null ? Number.MAX_VALUE : Math.abs(output.voted - 0.5));
  const ORDERS = {
    worst: (a, b) => last(a.score, 1) - last(b.score, 1) || last(a.good, 1) - last(b.good, 1) || last(a.voted, 1) - last(b.voted, 1) || a.number - b.number,
    best: (a, b) => last(a.score, -1) - last(b.score, -1) || last(a.good, -1) - last(b.good, -1) || last(a.voted, -1) - last(b.voted, -1) || a.number - b.number,
    disputed: (a, b) => (b.verdicts > 1) - (a.verdicts > 1) || last(a.apart, -1) - last(b.apart, -1) || even(a) - even(b) || a.number - b.number,
    recorded: (a, b) => a.number - b.number,
  };

  function apply() {
    current = outputs.filter((output) => holds(output, asked)).sort((a, b) => (ORDERS[asked.get("order")] || ORDERS.worst)(a, b) || 0);
    items.forEach((item) => { item.hidden = true; });
    for (const output of current) { const item = items[outputs.indexOf(output)]; item.hidden = false; list.append(item); }
    const total = byId("total");
    total.textContent = current.length === 1 ? total.dataset.one : total.dataset.many.replace("2", current.length);
    byId("none").hidden = current.length > 0;
    form.querySelectorAll("select, input").forEach((field) => { field.value = asked.get(field.name) || (field.name === "order" ? field.options[0].value : ""); });
    section.querySelectorAll("[data-only]").forEach((chip) => {
      const isOn = chip.dataset.only === asked.get("only");
      chip.classList.toggle("on", isOn);
      chip.setAttribute("aria-pressed", String(isOn));
    });
    showCell();
    const wanted = current.findIndex((output) => output.key === asked.get("show"));
    section.classList.toggle("alone", wanted >= 0);
    show(Math.max(0, wanted));
    byId("together").hidden = !asked.has("beside");
    byId("panes").hidden = asked.has("beside");
    if (asked.has("beside") && current.length) showTogether(current[place]);
  }

  function showCell() {
    const cell = asked.get("cell");
    byId("behind").hidden = !cell;
    if (!cell) return;
    const source = byId(`cell-${cell}`);
    byId("behind-cell").textContent = cell;
    byId("behind-requests").hidden = !requests.includes(cell);
    byId("behind-value").textContent = source ? source.children[1].textContent : "";
    byId("made").href = `#${encodeURIComponent(`cell-${cell}`)}`;
  }

  function show(wanted) {
    place = current.length ? wanted : -1;
    items.forEach((item) => item.firstElementChild.removeAttribute("aria-current"));
    const output = current[place];
    if (!output) { shown.replaceChildren(); return; }
    // These pieces were escaped when the page was made; the policy of the page runs no script but this one.
    shown.innerHTML = output.head + output.text + output.rest + output.aside;
    shown.querySelector(".back").append(byId("back").content.cloneNode(true));
    shown.querySelector(".back a").addEventListener("click", (event) => { event.preventDefault(); go({ show: "", beside: "" }); });
    const steps = shown.querySelector(".steps");
    steps.append(byId("steps").content.cloneNode(true));
    step("before", current[place - 1]);
    step("after", current[place + 1]);
    const others = sameQuestion(output).length - 1, beside = byId("beside");
    beside.hidden = others < 1;
    beside.textContent = beside.dataset.said.replace("2", others);
    beside.addEventListener("click", (event) => { event.preventDefault(); go({ show: output.key, beside: "1" }); });
    const link = items[outputs.indexOf(output)].firstElementChild;
    link.setAttribute("aria-current", "true");
    const pane = list.parentElement;
    if (pane.scrollHeight > pane.clientHeight) {
      const top = link.offsetTop - pane.offsetTop;
      if (top < pane.scrollTop || top + link.offsetHeight > pane.scrollTop + pane.clientHeight) pane.scrollTop = top - 60;
    }
  }
  function step(name, output) {
    const link = byId(name);
    link.hidden = !output;
    if (output) link.addEventListener("click", (event) => { event.preventDefault(); go({ show: output.key, beside: "" }); });
  }

  function sameQuestion(output) { return output.same ? outputs.filter((each) => each.same === output.same) : [output]; }

  function showTogether(output) {
    const others = sameQuestion(output).filter((each) => each !== output);
    const alike = others.filter((each) => each.variant === output.variant && each.levels === output.levels);
    const columns = [output, ...(alike.length ? alike : others).slice(0, COLUMNS - 1)];
    const scored = columns.some((each) => each.scores.some((score) => score !== null));
    byId("first-name").textContent = output.model || output.name;
    section.querySelector(".beside").replaceChildren(...columns.map((each) => column(each, output, scored)));
  }
  function element(name, text, ...children) {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    made.append(...children);
    return made;
  }
  const written = (score) => (score === null ? "–" : score.toFixed(1));
  function judge(each, against) {
    const more = [each.repeat === "0" ? "" : each.repeat, against].filter(Boolean).join(" · ");
    const made = element("th", `${each.judge} `);
    made.scope = "row";
    if (more) { made.append(element("span", more)); made.lastChild.className = "soft"; }
    return made;
  }
  function column(output, first, scored) {
    const rows = output.judged.map((each, number) => element("tr", "", judge(each, output.against[number]),
      ...(scored ? [element("td", written(output.scores[number]))] : []), element("td", each.verdict || "–")));
    const prose = element("div", "", ...(output === first ? [textOf(output)] : marked(textOf(first), textOf(output))));
    prose.className = "prose";
    const place = element("p", [output.question, output.variant, output.levels].filter(Boolean).join(" · ") || output.name);
    place.className = "soft";
    return element("section", "", element("h3", `${output.model || output.name}${scored ? ` ${written(output.score)}` : ""}`), place,
      element("table", "", element("tbody", "", ...rows)), prose);
  }
  function marked(before, after) {
    const pieces = difference(before.match(/[\p{L}\p{N}_]+|\s+|./gsu) || [], after.match(/[\p{L}\p{N}_]+|\s+|./gsu) || []);
    return pieces ? pieces.map(([kind, text]) => (kind === "same" ? text : element(kind, text))) : [after];
  }
  // The longest words in common, by the usual table; texts too long for it are shown without marks.
  function difference(before, after) {
    if (Math.max(before.length, after.length) > MOST_TOKENS) return null;
    const wide = after.length + 1, common = new Uint16Array((before.length + 1) * wide);
    for (let i = before.length - 1; i >= 0; i -= 1) {
      for (let j = after.length - 1; j >= 0; j -= 1) {
        common[i * wide + j] = before[i] === after[j] ? common[(i + 1) * wide + j + 1] + 1
          : Math.max(common[(i + 1) * wide + j], common[i * wide + j + 1]);
      }
    }
    const pieces = [];
    const add = (kind, text) => {
      const end = pieces[pieces.length - 1];
      if (end && end[0] === kind) end[1] += text; else pieces.push([kind, text]);
    };
    let i = 0, j = 0;
    while (i < before.length || j < after.length) {
      if (i < before.length && j < after.length && before[i] === after[j]) { add("same", after[j]); i += 1; j += 1; }
      else if (j >= after.length || (i < before.length && common[(i + 1) * wide + j] >= common[i * wide + j + 1])) { add("del", before[i]); i += 1; }
      else { add("ins", after[j]); j += 1; }
    }
    return pieces;
  }

  function fromForm() {
    const changes = { show: "", beside: "" };
    form.querySelectorAll("select, input").forEach((field) => { changes[field.name] = field.name === "order" && field.selectedIndex === 0 ? "" : field.value; });
    go(changes);
  }
  form.addEventListener("submit", (event) => { event.preventDefault(); fromForm(); });
  form.addEventListener("change", fromForm);
  section.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-only]"), item = event.target.closest("[data-place]");
    if (chip) go({ only: chip.dataset.only === asked.get("only") ? "" : chip.dataset.only, show: "", beside: "" });
    if (item) { event.preventDefault(); go({ show: outputs[Number(item.dataset.place)].key, beside: "" }); }
  });
  byId("drop").addEventListener("click", () => { window.location.hash = "outputs?"; });
  byId("together-back").addEventListener("click", (event) => { event.preventDefault(); go({ beside: "" }); });

  // A number opens the outputs behind it; where there are none, it shows how it was made.
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#cell-"]');
    if (!link || link.id === "made" || link.closest("#sources") || event.ctrlKey || event.metaKey) return;
    const cell = decodeURIComponent(link.getAttribute("href").slice("#cell-".length));
    if (!(cell in cells)) return;
    const query = new URLSearchParams(cells[cell]);
    query.set("cell", cell);
    if (!outputs.some((output) => holds(output, query))) return;
    event.preventDefault();
    window.location.hash = `outputs?${query}`;
  });

  document.addEventListener("keydown", (event) => {
    const isHere = /^#(group-)?outputs/.test(window.location.hash) || section.contains(document.activeElement);
    if (!isHere || event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const moved = { j: place + 1, k: place - 1 }[event.key];
    if (event.key === "/") { event.preventDefault(); form.elements.q.focus(); }
    else if (event.key === "s" && current[place]) go({ show: current[place].key, beside: asked.has("beside") ? "" : "1" });
    else if (moved !== undefined && current[moved]) go({ show: current[moved].key, beside: "" });
  });

  function follow() {
    const read = readAddress();
    if (read) { asked = read; apply(); section.scrollIntoView({ block: "start" }); }
  }
  window.addEventListener("hashchange", follow);
  apply();
  follow();
})();
