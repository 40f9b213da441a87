// The opponent's leaks, as chips that write a text, and the text itself.
import { get, post } from "./api.js";
import { cards, debounced, h, percent, show } from "./dom.js";
import { makeGrid } from "./grid.js";

const PLACES = {
  "on river facing a bet": "facing a river bet", "on turn facing a bet": "facing a turn bet", "on flop facing a bet": "facing a flop bet",
  "facing a bet of at least 75%": "facing a bet of 75 % or more", "facing a raise": "facing a raise", "after a check": "after a check", first: "acting first",
};
const ORDERS = {
  "fold +15%": "folds 15 points more", "fold at least 65%": "folds at least 65 %", "call +15%": "calls 15 points more", "never raise": "never raises",
  "never bet": "never bets", "bet +20%": "bets 20 points more",
};

export async function showVillain(view, page, name) {
  const spot = await get(`spots/${name}`);
  page.know("spot", name);
  const seat = select("seat", { ip: "in position (ip)", oop: "out of position (oop)" });
  const place = select("place", PLACES), order = select("order", ORDERS);
  const hands = h("input", { type: "text", id: "leak-hands", placeholder: "all hands, or QQ+,AKs" });
  const brush = handBrush(page, hands);
  const trust = h("input", { type: "range", id: "trust", min: 0, max: 100, value: 100 });
  const text = h("textarea", { id: "leaks", rows: 6, "aria-label": "Leaks" });
  const chosen = h("div", { class: "chips", id: "chips" });
  const answer = h("button", { type: "button", class: "main", id: "answer" }, "Answer these leaks");
  const lines = () => text.value.split("\n").filter((line) => line.trim() && !line.startsWith("opponent"));
  const write = (kept) => { text.value = [`opponent ${seat.value}`, ...kept].join("\n"); draw(); };
  const draw = () => show(chosen, lines().map((line, index) => h("button", { type: "button", class: "chip", title: "remove this leak",
    onclick: () => write(lines().filter((_, k) => k !== index)) }, `${line} ×`)));
  seat.addEventListener("change", () => write(lines()));
  text.addEventListener("input", draw);
  answer.addEventListener("click", async () => {
    answer.disabled = true;
    page.clear();
    try {
      const begun = await post(`spots/${name}/answers`, { leaks: text.value });
      if (begun.job) await page.wait(begun.job);
      page.know("answer", begun.name);
      page.go("answer", begun.name);
    } catch (reason) {
      page.fail(reason);
    } finally {
      answer.disabled = false;
    }
  });
  const add = h("button", { type: "button", id: "add", onclick: () => {
    const share = Number(trust.value) / 100, only = hands.value.trim();
    write([...lines(), `${share < 1 ? `trust ${share} ` : ""}${place.value}${only ? ` with ${only}` : ""}: ${order.value}`]);
  } }, "Add this leak");
  const histories = h("div", { id: "histories" });
  const file = h("input", { type: "file", id: "file", accept: ".phh,.phhs,.jsonl,.log", onchange: async () => {
    page.clear();
    try {
      const chosen = file.files[0];
      const found = await post("hands", { file: chosen.name, text: await chosen.text() });
      const player = h("select", { id: "player" }, Object.entries(found.players).map(([one, hands]) => h("option", { value: one }, `${one} (${hands} hands)`)));
      const card = h("div", { id: "card" });
      const draw = async () => {
        try { show(card, cardTable(await post(`hands/${found.name}/card`, { player: player.value }), (line) => write([...lines(), line]))); } catch (reason) { page.fail(reason); }
      };
      player.addEventListener("change", draw);
      show(histories, h("p", {}, `${found.hands} hands, ${found.showdowns} showdowns`, found.reports.length ? `; left out: ${Object.entries(found.left_out).map(([why, count]) => `${count} ${why}`).join(", ")}` : ""),
        found.reports.length ? h("details", {}, h("summary", {}, "What was left out"), found.reports.map((one) => h("p", { class: "faint" }, one))) : null,
        h("label", {}, "Whose card", player), card);
      await draw();
    } catch (reason) { page.fail(reason); }
  } });
  show(view, h("div", { class: "columns" },
    h("section", { class: "panel" }, h("h2", {}, "The opponent in ", cards(spot.board)), h("label", {}, "Who has the leaks", seat),
      h("label", {}, "Where", place), h("label", {}, "What", order), h("label", {}, "With which hands", hands), brush,
      h("label", {}, "How far you trust this (per cent)", trust), add),
    h("section", { class: "panel" }, h("h2", {}, "Leaks"), chosen, h("label", {}, "As text", text), answer,
      h("h3", {}, "The same from a shell"), h("code", { class: "command" }, `${spot.command} --lock leaks.txt --max-exploitability 1%`)),
    h("section", { class: "panel" }, h("h2", {}, "From hand histories"), h("label", {}, "A file (.phh, .phhs, .jsonl, .log)", file), histories)));
  write([]);
}

function select(id, entries) {
  return h("select", { id }, Object.entries(entries).map(([value, title]) => h("option", { value }, title)));
}

/** A grid to paint the hands of a leak; it writes them into a field, and reads what is written there. */
function handBrush(page, field) {
  const weights = Array(169).fill(0);
  let stroke = 1;
  const grid = makeGrid(page.facts.classes, { label: "Hands of the leak", painted: (cell, first) => {
    if (first) stroke = weights[cell] ? 0 : 1;
    weights[cell] = stroke;
    draw();
    write();
  } });
  grid.root.id = "leak-grid";
  const draw = () => grid.draw(weights.map((share) => ({ share, parts: [{ part: 1, colour: "#e69f00" }], title: share ? "in" : "out" })));
  const write = debounced(async () => {
    try { field.value = weights.some(Boolean) ? (await post("range", { weights })).texts.plain : ""; } catch (reason) { page.fail(reason); }
  });
  field.addEventListener("input", debounced(async () => {
    try {
      const found = field.value.trim() ? (await post("range", { text: field.value })).weights : Array(169).fill(0);
      found.forEach((weight, cell) => { weights[cell] = weight > 0 ? 1 : 0; });
      draw();
    } catch (reason) { page.fail(reason); }
  }));
  draw();
  return h("details", {}, h("summary", {}, "Paint them"), grid.root);
}

/** The villain card; a row that says a leak has a button that adds it. */
function cardTable(card, add) {
  const points = card.spread_after_flop === null ? "" : ` ${card.hands} hands fix a frequency after the flop to about ±${Math.round(100 * card.spread_after_flop)} points.`;
  return [h("table", {}, h("thead", {}, h("tr", {}, ["", "k / n", "share", "95 %", "leak"].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, card.rows.filter((row) => row.n).map((row) => h("tr", {}, h("td", {}, row.statistic), h("td", {}, `${row.k} / ${row.n}`), h("td", {}, percent(row.share, 0)),
      h("td", {}, `${Math.round(100 * row.low)} to ${Math.round(100 * row.high)}`),
      h("td", {}, row.leak ? h("button", { type: "button", title: row.leak, onclick: () => add(row.leak) }, "add") : ""))))),
  h("p", { class: "faint" }, `A leak is added at the near end of its interval: it claims no more than was seen.${points}`)];
}
