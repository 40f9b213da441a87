// Tables and figures of papers: numbers that are kept, ours beside references by kind, and a quick run with its picture.
import { get, post } from "./api.js";
import { fixed, h, show } from "./dom.js";

/** The panel; `mark(name)` puts the chosen table into the address. */
export function reproductions(page, chosen, mark) {
  const list = h("select", { id: "paper", onchange: () => open(list.value) }), table = h("div", { id: "table-of-paper" });
  const run = h("button", { type: "button", class: "main", id: "reproduce", onclick: compute }, "Run the quick part");
  const listed = async () => {
    const all = await get("reproductions");
    show(list, all.map((one) => h("option", { value: one.name, selected: one.name === (list.value || chosen) }, `${one.name}${one.stored ? " (computed here)" : ""}`)));
  };
  async function open(name) {
    page.clear();
    mark(name);
    try { draw(await get(`reproductions/${name}`)); } catch (reason) { page.fail(reason); }
  }
  async function compute() {
    const name = list.value;
    run.disabled = true;
    page.clear();
    try {
      const { job } = await post(`reproductions/${name}`);
      await page.wait(job);
      await listed();
      await open(name);
    } catch (reason) { page.fail(reason); } finally { run.disabled = false; }
  }
  function draw(found) {
    const places = Math.max(2, Math.min(6, found.digits));
    const rest = found.results.filter((one) => one.reference === null);
    const image = found.picture ? h("img", { class: "picture", src: `api/reproductions/${found.name}/picture.png?${Date.now()}`, alt: `Picture of ${found.title}`, id: "picture" }) : null;
    show(table, h("p", {}, `${found.source}: ${found.title}`), found.note ? h("p", { class: "note" }, found.note) : null,
      h("p", { class: "faint", id: "origin" }, origin(found)), image,
      ...found.kinds.flatMap((kind) => compared(kind, found.results.filter((one) => one.kind === kind.kind), places, found.digits)),
      rest.length ? grid(rest, places) : null,
      h("h3", {}, "The same from a shell"), h("code", { class: "command" }, found.command));
  }
  const opened = async () => {
    try { await listed(); if (chosen) list.value = chosen; draw(await get(`reproductions/${list.value}`)); } catch (reason) { page.fail(reason); }
  };
  opened();
  return h("section", { class: "panel wide" }, h("h2", {}, "Tables and figures of papers"), h("label", {}, "Which", list), run, table);
}

/** Numbers beside references of one kind, and how many agree. */
function compared({ words, agree, of }, results, places, digits) {
  return [h("h3", {}, `References, ${words}: ${agree} of ${of} agree`),
    h("table", { class: "paper" }, h("thead", {}, h("tr", {}, ["row", "column", "ours", "reference", ""].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, results.map((one) => h("tr", {}, h("td", {}, one.row), h("td", {}, one.column), h("td", {}, fixed(one.ours, places)), h("td", {}, fixed(one.reference, digits)), h("td", {}, one.verdict)))))];
}

/** Where the numbers come from. */
function origin({ stored, packaged }) {
  const quick = "The quick part leaves slow numbers out; Stop keeps those that are done.";
  if (stored) return `Computed here. ${quick}`;
  if (!packaged) return `Nothing is kept of this table yet. ${quick}`;
  return `The quick part as counterplay ${packaged.version} computed it${packaged.is_current ? "." : ": this version asks for other numbers, or is another one. Run it to have its own."} ${quick}`;
}

/** Numbers without references, as rows and columns. */
function grid(results, places) {
  const rows = [...new Set(results.map((one) => one.row))], columns = [...new Set(results.map((one) => one.column))];
  const known = new Map(results.map((one) => [JSON.stringify([one.row, one.column]), one.ours]));
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["", ...columns].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("td", {}, row), columns.map((column) => { const one = known.get(JSON.stringify([row, column])); return h("td", {}, one === undefined ? "" : fixed(one, places)); }))))));
}
