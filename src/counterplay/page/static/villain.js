// The opponent's leaks, as chips that write a text, and the text itself.
import { get, post } from "./api.js";
import { cards, debounced, h, show, word } from "./dom.js";
import { makeGrid } from "./grid.js";
import { histories } from "./histories.js";
import { quoted } from "./shell.js";

const STREETS = ["flop", "turn", "river"];
const FACING = { "facing a bet": "facing a bet or a raise", "facing a raise": "facing a raise", "after a check": "after a check", first: "acting first" };
/** Orders with a number N, the usual N, and the same as a player says it. */
const ORDERS = {
  "fold +N%": [15, "folds N points more"], "fold at least N%": [65, "folds at least N %"], "fold at most N%": [30, "folds at most N %"], "call +N%": [15, "calls N points more"],
  "bet +N%": [20, "bets N points more"], "bet at least N%": [60, "bets at least N %"], "raise at most N%": [5, "raises at most N %"], "never bet": [null, "never bets"], "never raise": [null, "never raises"],
};

export async function showVillain(view, page, name, query) {
  const spot = await get(`spots/${name}`);
  page.know("spot", name);
  const opened = { hands: query.hands ?? "", player: query.player ?? "", show: query.show ?? "", seated: query.seated ? Number(query.seated) : null };
  const mark = () => page.mark("villain", name, { seat: seat.value === "ip" ? "" : seat.value, leaks: lines().join("\n"), hands: opened.hands, player: opened.player, show: opened.show, seated: opened.seated ?? "" });
  const streets = STREETS.slice(STREETS.indexOf(spot.street));
  const seat = select("seat", { ip: "in position (ip)", oop: "out of position (oop)" });
  const street = select("street", Object.fromEntries([["", "on any street"], ...streets.map((one) => [`on ${one} `, `on the ${one}`])]));
  const place = select("place", FACING), order = select("order", Object.fromEntries(Object.entries(ORDERS).map(([text, [, title]]) => [text, title.replace("N", "…")])));
  const size = h("input", { type: "number", id: "size", min: 0, step: "any", placeholder: "any size" });
  const much = h("input", { type: "number", id: "much", min: 0, max: 100, step: "any" });
  const hands = h("input", { type: "text", id: "leak-hands", placeholder: "all hands, or QQ+,AKs" });
  const brush = handBrush(page, hands);
  const trust = h("input", { type: "range", id: "trust", "aria-label": "Trust", min: 0, max: 100, value: 100, oninput: () => { trusted.textContent = `${trust.value} %`; } }), trusted = h("output", {}, "100 %");
  const text = h("textarea", { id: "leaks", rows: 6, "aria-label": "Leaks" });
  const chosen = h("div", { class: "chips", id: "chips" });
  const answer = h("button", { type: "button", class: "main", id: "answer" }, "Answer these leaks");
  const lines = () => text.value.split("\n").filter((line) => line.trim() && !line.startsWith("opponent"));
  const write = (kept) => { text.value = [`opponent ${seat.value}`, ...kept].join("\n"); draw(); mark(); };
  const shell = h("code", { class: "command", id: "lock-command" });
  const draw = () => {
    show(shell, `printf '%s\\n' ${text.value.trim().split("\n").map(quoted).join(" ")} > leaks.txt\ncounterplay spot --file ${quoted(spot.file)} --lock leaks.txt --max-exploitability 1%`);
    show(chosen, lines().map((line, index) => h("button", { type: "button", class: "chip", title: `${line}: remove this leak`, onclick: () => write(lines().filter((_, k) => k !== index)) }, `${said(line)} ×`)),
      lines().length ? null : h("span", { class: "faint" }, "None yet: add one on the left, or from hands."));
    answer.disabled = !lines().length;
  };
  const fit = () => {
    size.disabled = !place.value.startsWith("facing");
    much.disabled = ORDERS[order.value][0] === null;
    much.value = ORDERS[order.value][0] ?? "";
  };
  seat.value = query.seat ?? "ip";
  seat.addEventListener("change", () => { write(lines()); past.drawn(); });
  for (const one of [place, order]) one.addEventListener("change", fit);
  text.addEventListener("input", () => { draw(); mark(); });
  async function respond(asked, button) {
    button.disabled = true;
    page.clear();
    try {
      const begun = await post(`spots/${name}/answers`, asked);
      if (begun.job) await page.wait(begun.job);
      page.know("answer", begun.name);
      page.go("answer", begun.name);
    } catch (reason) {
      page.fail(reason);
    } finally {
      button.disabled = false;
    }
  }
  answer.addEventListener("click", () => respond({ leaks: text.value }, answer));
  const add = h("button", { type: "button", id: "add", onclick: () => {
    const share = Number(trust.value) / 100, only = hands.value.trim(), least = size.disabled || !size.value ? "" : ` of at least ${size.value}%`;
    write([...lines(), `${share < 1 ? `trust ${share} ` : ""}${street.value}${place.value}${least}${only ? ` with ${only}` : ""}: ${order.value.replace("N", much.value)}`]);
  } }, "Add this leak");
  const past = histories({ spot: name, page, streets, seat: () => (seat.value === "oop" ? 0 : 1), file: spot.file, add: (line) => write([...lines(), line]), answer: (villain, button) => respond({ villain }, button), told: mark }, opened);
  fit();
  show(view, h("div", { class: "columns" },
    h("section", { class: "panel" }, h("h2", {}, "The opponent in ", cards(spot.board)), h("label", {}, "Who has the ", word("leaks", "What the opponent does otherwise than an equilibrium. Where no leak is named, they play their best against your answer."), seat),
      h("div", { class: "pair" }, h("label", {}, "Where", street), h("label", {}, "Facing", place)), h("label", {}, "Bets of at least (per cent of the pot)", size), h("div", { class: "pair" }, h("label", {}, "What", order), h("label", {}, "How much", much)), h("label", {}, "With which hands", hands), brush,
      h("label", {}, word("Trust", "How likely it is that the opponent plays so at all; with the rest they are free to do anything."), " ", trusted, trust), add),
    h("section", { class: "panel" }, h("h2", {}, "Leaks"), chosen, h("label", {}, "As text", text), answer,
      h("h3", {}, "The same from a shell"), shell)),
  h("section", { class: "panel" }, h("h2", {}, "From hand histories"), past.root));
  write((query.leaks ?? "").split("\n").filter(Boolean));
}

/** A leak as a player says it, where it is one of those that are offered. */
function said(line) {
  const found = /^(?:trust ([\d.]+) )?(?:on (\w+) ?)?(facing a bet|facing a raise|after a check|first)?(?: of at least ([\d.]+)%)?(?: with (.*?))?: (.*)$/.exec(line);
  if (!found) return line;
  const [, trust, street, place, size, hands, what] = found;
  const known = Object.entries(ORDERS).map(([order, [, title]]) => [new RegExp(`^${order.replace("+", "\\+").replace("N", "([\\d.]+)")}$`).exec(what), title]).find(([match]) => match);
  if (!known) return line;
  const bets = { "facing a bet": "bets", "facing a raise": "raises" }[place];
  const where = bets ? `to ${street ? `${street} ` : ""}${bets}${size ? ` over ${size} %` : ""}` : [place, street ? `on the ${street}` : ""].filter(Boolean).join(" ");
  return `${known[1].replace("N", known[0][1])} ${where}${hands ? ` with ${hands}` : ""}${trust ? ` (trust ${Math.round(100 * trust)} %)` : ""}`;
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
