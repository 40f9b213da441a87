// A table: play against an equilibrium, a model or a searcher; what decisions cost, and the running result.
import { get, post } from "./api.js";
import { chips, h, percent, show } from "./dom.js";

export async function showPlay(view, page, target, query) {
  const [known, spots] = [await get("games"), await get("spots")];
  const spot = page.known("spot"), answer = page.known("answer");
  const game = h("input", { type: "text", id: "table-game", value: query.game ?? (spot || "leduc"), list: "table-games" });
  const against = h("input", { type: "text", id: "against", value: query.against ?? "nash", list: "table-agents" });
  const seat = h("select", { id: "table-seat" }, ["0", "1"].map((value) => h("option", { value, selected: value === query.seat }, `seat ${value}`)));
  const board = h("div", { id: "table" });
  let table = null, gone = false;

  async function sit() {
    page.clear();
    page.mark("play", "", { game: game.value, against: against.value, seat: seat.value });
    try {
      if (table) await post(`tables/${table}/leave`);
      const state = await post("tables", { game: game.value, against: against.value, seat: Number(seat.value), seed: Math.floor(2 ** 30 * Math.random()) });
      table = state.table;
      await follow(state);
    } catch (reason) { page.fail(reason); }
  }
  async function follow(state) {
    while (!gone && state.kind !== "ask") {
      show(board, h("p", { class: "faint" }, state.kind === "starting" ? "The table is being set." : "The opponent thinks."));
      await new Promise((resume) => setTimeout(resume, 200));
      state = await get(`tables/${table}`);
    }
    if (!gone) draw(state);
  }
  async function act(action) {
    try { await follow(await post(`tables/${table}/move`, { action })); } catch (reason) { page.fail(reason); }
  }
  function draw(state) {
    const buttons = state.actions.map((action, k) => h("button", { type: "button", class: "main", "data-key": k + 1, onclick: () => act(action) }, `${k + 1} ${action}`));
    show(board, state.last ? lastHand(state.last, state.seat) : null,
      h("section", { class: "panel" }, h("p", { class: "big" }, state.picture ?? state.infoset), h("p", {}, state.infoset), h("div", { class: "chips" }, buttons)),
      h("section", { class: "panel" }, h("h2", {}, "Result"), score(state.score)),
      state.belief.length ? h("section", { class: "panel" }, h("h2", {}, "What the opponent thinks you may hold"), h("table", {}, h("tbody", {}, state.belief.map(([text, share]) => h("tr", {}, h("td", {}, text), h("td", {}, percent(share))))))) : null);
  }
  const onKey = (event) => {
    if (event.target.matches("input, textarea, select")) return;
    board.querySelector(`[data-key="${event.key}"]`)?.click();
  };
  document.addEventListener("keydown", onKey);
  show(view, h("datalist", { id: "table-games" }, spots.map((one) => h("option", { value: one.name }, `solved spot ${one.board}`)), known.games.map((one) => h("option", { value: one.text }, one.about))),
    h("datalist", { id: "table-agents" }, Object.entries(known.opponents).map(([value, about]) => h("option", { value }, about)),
      answer ? [h("option", { value: `villain:${answer}` }, "the player with the leaks"), h("option", { value: `answer:${answer}` }, "the full exploit of the leaks")] : []),
    h("div", { class: "columns" }, h("section", { class: "panel" }, h("h2", {}, "A table"), h("label", {}, "Game, or the name of a solved spot", game), h("label", {}, "Opponent", against), h("label", {}, "You", seat),
      h("button", { type: "button", class: "main", id: "sit", onclick: sit }, "Sit down")), board));
  return () => {
    gone = true;
    document.removeEventListener("keydown", onKey);
    if (table) post(`tables/${table}/leave`).catch(() => null);
  };
}

function lastHand(last, seat) {
  const names = { [seat]: "you", [1 - seat]: "opponent" };
  return h("section", { class: "panel", id: "last" }, h("h2", {}, `The last hand: ${last.won >= 0 ? "won" : "lost"} ${chips(Math.abs(last.won))} chips`),
    h("p", {}, last.moves.map(([who, action]) => `${names[who] ?? "dealt"} ${action}`).join("; ")),
    last.decisions.map((one) => h("p", {}, `${one.action} at ${one.infoset}: `, one.cost < 0.005 ? "cost nothing" : `cost ${chips(one.cost)} chips`, ` (${Object.entries(one.values).map(([name, value]) => `${name} ${chips(value)}`).join(", ")})`)));
}

function score({ hands, won, mean, error, cost }) {
  return [h("p", {}, `${hands} hands, ${chips(won)} chips in all, ${chips(mean)}${error === null ? "" : ` ± ${chips(error)}`} a hand (95 %)`),
    cost === null ? null : h("p", {}, `Your decisions cost ${chips(cost)} chips against an equilibrium.`)];
}
