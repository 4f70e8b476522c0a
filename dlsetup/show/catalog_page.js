
"use strict";
const matrix = JSON.parse(document.getElementById("document").textContent).framework;
const MARKS = { yes: "✓", unknown: "?", no: "✗" };
const WORDS = { yes: "works, by itself", unknown: "is not known to work", no: "does not work" };
const ORDER = Object.keys(MARKS);
const ANY = "any"; // The platform of a wheel that runs everywhere.
const at = (id) => document.getElementById(id);
let chosen = "";

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function byNumbers(one, other) {
  return one.localeCompare(other, "en", { numeric: true });
}

function offer(id, any, values, word = (value) => value) {
  at(id).append(new Option(any, ""), ...values.map((value) => new Option(word(value), value)));
}

function every(part) {
  const found = new Set(matrix.releases.flatMap((release) => release.builds.flatMap((build) => build[part])));
  return [...found].sort(byNumbers);
}

function passes(build) {
  const wanted = (id, values) => !at(id).value || values.includes(at(id).value) || values.includes(ANY);
  return build.variant.startsWith(at("variant").value.trim().toLowerCase()) &&
    wanted("python", build.pythons) && wanted("platform", build.platforms) && wanted("gpu", build.serves);
}

// What comes nearest to the target first, as in the words of the program.
function ranked(builds) {
  const distance = (build) => 2 * ORDER.indexOf(build.answer) + (build.rule === "wheel" ? 1 : 0);
  return builds.sort((one, other) => distance(one) - distance(other));
}

function cellsOf(release) {
  const cells = new Map();
  if (!release.version.startsWith(at("release").value.trim())) return cells;
  for (const variant of matrix.variants) {
    const builds = ranked(release.builds.filter((build) => build.variant === variant && passes(build)));
    const best = builds[0];
    if (best && (!at("answer").value || best.answer === at("answer").value)) cells.set(variant, { best, builds });
  }
  return cells;
}

function remarks(release) {
  const words = [release.released, release.yanked && "withdrawn", release.prerelease && "prerelease", release.beyond && "not looked at yet"];
  return words.filter(Boolean).join(", ");
}

function cell(release, variant, found) {
  if (!found) return element("td");
  const { best, builds } = found;
  const key = `${release.version} ${variant}`;
  const says = `${key}: ${WORDS[best.answer]}${best.because ? `, ${best.because}` : ""}`;
  const button = element("button", MARKS[best.answer], { type: "button", tabindex: "-1", title: says, "aria-label": says, "aria-pressed": String(key === chosen) });
  button.addEventListener("click", () => choose(key, button, builds));
  const made = element("td", undefined, { class: best.answer, "data-version": release.version, "data-variant": variant });
  made.append(button);
  return made;
}

function draw() {
  const rows = matrix.releases.map((release) => ({ release, cells: cellsOf(release) })).filter((row) => row.cells.size);
  const variants = matrix.variants.filter((variant) => rows.some((row) => row.cells.has(variant)));
  const head = element("tr");
  head.append(element("th", "release", { scope: "col" }), ...variants.map((variant) => element("th", variant, { scope: "col" })));
  at("map").tHead.replaceChildren(head);
  at("map").tBodies[0].replaceChildren(...rows.map(({ release, cells }) => {
    const row = element("tr");
    const name = element("th", release.version, { scope: "row" });
    name.append(element("small", remarks(release)));
    row.append(name, ...variants.map((variant) => cell(release, variant, cells.get(variant))));
    return row;
  }));
  const first = at("map").querySelector("button");
  if (first) first.tabIndex = 0;
  const shown = rows.reduce((sum, row) => sum + row.cells.size, 0);
  at("count").textContent = `${rows.length} of ${matrix.releases.length} releases, ${shown} cells`;
}

function choose(key, button, builds) {
  chosen = key;
  for (const other of at("map").querySelectorAll("[aria-pressed=true]")) other.setAttribute("aria-pressed", "false");
  button.setAttribute("aria-pressed", "true");
  at("detail").replaceChildren(element("h2", `${matrix.name} ${key}`), ...builds.map(described));
}

function described(build) {
  const code = (values) => (values ? values.join(", ") || "none" : "unknown");
  const facts = [
    ["ask for", build.requirements.join(", ")],
    ["index", build.index],
    ["Python", build.pythons.join(", ")],
    ["platforms", build.platforms.join(", ")],
    ["CUDA", build.cuda],
    ["machine code for", build.accelerator === "cuda" && code(build.kernels)],
    ["PTX for", build.accelerator === "cuda" && code(build.ptx)],
    ["code for", build.accelerator === "rocm" && code(build.gfx)],
    ["needs there", build.expects.join(", ")],
    ["compiled", build.from_source && "on the machine, which takes long"],
  ];
  const list = element("dl");
  for (const [name, value] of facts) if (value) list.append(element("dt", name), element("dd", value));
  const made = element("article");
  const says = `${MARKS[build.answer]} ${WORDS[build.answer]}${build.because ? `: ${build.because}` : ""}`;
  made.append(element("p", says, { class: build.answer }), list);
  return made;
}

// The table is one stop of the Tab key; inside it the arrows lead to the next cell that holds a mark.
function move(event) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const from = event.target.closest("td");
  if (!step || !from) return;
  event.preventDefault();
  const rows = at("map").tBodies[0].rows;
  let [row, column] = [from.parentNode.sectionRowIndex + step[0], from.cellIndex + step[1]];
  while (rows[row] && rows[row].cells[column]) {
    const button = rows[row].cells[column].querySelector("button");
    if (button) {
      event.target.tabIndex = -1;
      button.tabIndex = 0;
      button.focus();
      return;
    }
    [row, column] = [row + step[0], column + step[1]];
  }
}

function about() {
  const words = [`${matrix.target_words || matrix.target}.`, `Registry read on ${matrix.checked}.`];
  if (matrix.known_to) words.push(`Looked at up to ${matrix.known_to}.`);
  if (matrix.ended) words.push(`Ended with ${matrix.ended.last} (${matrix.ended.when}); instead: ${matrix.ended.instead}.`);
  return words.join(" ");
}

at("about").textContent = about();
at("variants").append(...matrix.variants.map((variant) => new Option(variant)));
offer("python", "any", every("pythons"));
offer("platform", "any", every("platforms").filter((platform) => platform !== ANY));
offer("gpu", "any", every("serves"), (value) => `sm_${value.replace(".", "")}`);
offer("answer", "all", ORDER, (value) => `${MARKS[value]} ${WORDS[value]}`);
at("filters").addEventListener("input", draw);
at("filters").addEventListener("submit", (event) => event.preventDefault());
at("filters").addEventListener("reset", () => setTimeout(draw));
at("map").addEventListener("keydown", move);
draw();
