// A table: play against an equilibrium, a model, a blueprint or a searcher; what decisions cost, the range that you showed, and
// the running result. A table goes on when the tab is closed; its address opens it again.
import { get, post } from "./api.js";
import { chips, h, percent, show, word } from "./dom.js";

const WORDS = { starting: "The table is being set; a blueprint or an equilibrium may take a while.", pricing: "The hand is over; what your decisions cost is being worked out.", correcting: "Luck is being taken out of the result.", thinking: "The opponent thinks." };

export async function showPlay(view, page, target, query) {
  const [known, spots, players] = [await get("games"), await get("spots"), await get("players")];
  const spot = page.known("spot"), answer = page.known("answer");
  const game = h("input", { type: "text", id: "table-game", value: query.game ?? (spot || "leduc"), list: "table-games" });
  const against = h("input", { type: "text", id: "against", value: query.against ?? "nash", list: "table-agents" });
  const seat = h("select", { id: "table-seat" }, ["0", "1"].map((value) => h("option", { value, selected: value === query.seat }, `seat ${value}`)));
  const agents = h("datalist", { id: "table-agents" });
  const board = h("div", { id: "table", "aria-live": "polite" });
  let table = null, gone = false;

  const mark = () => page.mark("play", "", { game: game.value, against: against.value, seat: seat.value, table });
  const fail = (reason) => { if (!gone) page.fail(reason); };
  function offer() {
    const text = game.value;
    const solved = spots.some((one) => one.name === text);
    const file = text.endsWith(".cpb");
    const offered = solved ? Object.entries(players.spots) : file ? Object.entries(players.whole)
      : text.startsWith("holdem:") ? [["passive", players.whole.passive], ["uniform", players.whole.uniform]] : Object.entries(players.games);
    if (!offered.some(([name]) => name === against.value) && (file || text.startsWith("holdem:"))) against.value = offered[0][0];
    show(agents, offered.map(([value, about]) => h("option", { value }, about)), file ? players.blueprints.filter((name) => name !== text).map((value) => h("option", { value }, "another blueprint")) : [],
      answer ? [h("option", { value: `villain:${answer}` }, "the player with the leaks"), h("option", { value: `answer:${answer}` }, "the full exploit of the leaks")] : []);
  }
  async function sit() {
    page.clear();
    try {
      if (table) await post(`tables/${table}/leave`).catch(() => null);
      table = null;
      const state = await post("tables", { game: game.value, against: against.value, seat: Number(seat.value), seed: Math.floor(2 ** 30 * Math.random()) });
      table = state.table;
      mark();
      await follow(state);
    } catch (reason) { mark(); show(board); fail(reason); }
  }
  async function follow(state) {
    while (!gone && state.kind !== "ask") {
      show(board, h("p", { class: "faint", role: "status" }, WORDS[state.kind] ?? WORDS.thinking), state.last ? lastHand(state.last, state.seat) : null);
      await new Promise((resume) => setTimeout(resume, 200));
      if (!gone) state = await get(`tables/${table}`);
    }
    if (!gone) draw(state);
  }
  async function act(action) {
    board.querySelectorAll("button").forEach((one) => { one.disabled = true; });
    try { await follow(await post(`tables/${table}/move`, { action })); } catch (reason) { fail(reason); }
  }
  async function stand() {
    await post(`tables/${table}/leave`).catch(() => null);
    table = null;
    mark();
    show(board);
  }
  function draw(state) {
    const buttons = state.actions.map((action, k) => h("button", { type: "button", class: "main", "data-key": k + 1, onclick: () => act(action) }, `${k + 1} ${action}`));
    show(board, state.last ? lastHand(state.last, state.seat) : null,
      h("section", { class: "panel" }, (state.picture ?? state.infoset).split("\n").map((line) => h("p", { class: "big" }, line)), h("p", {}, state.infoset), h("div", { class: "chips" }, buttons)),
      h("section", { class: "panel", id: "score" }, h("h2", {}, "Result"), score(state.score)),
      h("button", { type: "button", id: "leave", onclick: stand }, "Leave the table"));
  }
  const onKey = (event) => {
    if (event.target.matches("input, textarea, select")) return;
    board.querySelector(`[data-key="${event.key}"]`)?.click();
  };
  document.addEventListener("keydown", onKey);
  game.addEventListener("change", offer);
  show(view, h("datalist", { id: "table-games" }, spots.map((one) => h("option", { value: one.name }, `solved spot ${one.board}`)), players.blueprints.map((value) => h("option", { value }, "whole hold'em: the game of this blueprint")),
    known.games.map((one) => h("option", { value: one.text }, one.about))), agents,
    h("div", { class: "columns" }, h("section", { class: "panel" }, h("h2", {}, "A table"), h("label", {}, "Game, solved spot, or blueprint (.cpb) in the page's folder", game), h("label", {}, "Opponent", against), h("label", {}, "You", seat),
      h("button", { type: "button", class: "main", id: "sit", onclick: sit }, "Sit down")), board));
  offer();
  if (query.table) {
    table = Number(query.table);
    get(`tables/${table}`).then(follow).catch((reason) => { table = null; fail(reason); });
  }
  return () => {
    gone = true;
    document.removeEventListener("keydown", onKey);
  };
}

function lastHand(last, seat) {
  const names = { [seat]: "you", [1 - seat]: "opponent" };
  return h("section", { class: "panel", id: "last" }, h("h2", {}, `The last hand: ${last.won >= 0 ? "won" : "lost"} ${chips(Math.abs(last.won))} chips`),
    h("p", {}, last.moves.map(([who, action]) => `${names[who] ?? "dealt"} ${action}`).join("; ")),
    (last.decisions ?? []).map((one) => h("div", {}, h("p", {}, `${one.action} at ${one.infoset}: ${price(one)}`), range(one.belief))),
    last.assumed ? h("p", { class: "faint" }, `Costs against ${last.against}. Your range ${last.assumed}.`) : null);
}

function price(one) {
  if (one.values === null) return "no price, since this opponent's play is not known here";
  const values = Object.entries(one.values).map(([name, value]) => `${name} ${chips(value)}`).join(", ");
  return `${one.cost < 0.0005 ? "cost nothing" : `cost ${chips(one.cost)}${one.error ? ` ± ${chips(one.error)}` : ""} chips`} (${values})`;
}

function range(belief) {
  if (!belief?.length) return null;
  return h("details", {}, h("summary", {}, `your range for the opponent then: ${belief.slice(0, 5).map(([text, share]) => `${text} ${percent(share)}`).join(", ")}`),
    h("table", {}, h("tbody", {}, belief.map(([text, share]) => h("tr", {}, h("td", {}, text), h("td", {}, percent(share)))))));
}

function score(found) {
  const span = (ends) => (ends ? `, 95 % interval ${chips(ends[0])} to ${chips(ends[1])}` : "");
  return [h("p", {}, `${found.hands} hand${found.hands === 1 ? "" : "s"}, ${chips(found.won)} chips in all, ${chips(found.mean)} a hand${span(found.interval)}`),
    found.corrected === null ? null : h("p", {}, word("Without luck", "The result less what the cards and the other's draws gave, in the mean the same, and surer after fewer hands."), ` ${chips(found.corrected)} chips a hand${span(found.corrected_interval)} (${found.corrected_by}${found.corrected_hands < found.hands ? `, ${found.corrected_hands} of ${found.hands} hands so far` : ""}).`),
    found.cost === null ? null : h("p", {}, "Your decisions ", word("cost", "The value of the best action less that of the one that you took, both followed by best play."), ` ${chips(found.cost)} chips against ${found.against}.`)];
}
