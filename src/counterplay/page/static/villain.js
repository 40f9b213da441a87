// The opponent's leaks, as chips that write a text, and the text itself.
import { get, post } from "./api.js";
import { cards, h, show } from "./dom.js";

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
  show(view, h("div", { class: "columns" },
    h("section", { class: "panel" }, h("h2", {}, "The opponent in ", cards(spot.board)), h("label", {}, "Who has the leaks", seat),
      h("label", {}, "Where", place), h("label", {}, "What", order), h("label", {}, "With which hands", hands),
      h("label", {}, "How far you trust this (per cent)", trust), add),
    h("section", { class: "panel" }, h("h2", {}, "Leaks"), chosen, h("label", {}, "As text", text), answer,
      h("h3", {}, "The same from a shell"), h("code", { class: "command" }, `${spot.command} --lock leaks.txt --max-exploitability 1%`))));
  write([]);
}

function select(id, entries) {
  return h("select", { id }, Object.entries(entries).map(([value, title]) => h("option", { value }, title)));
}
