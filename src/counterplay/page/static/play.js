// A table: play against an equilibrium, a model, a blueprint or a searcher; what decisions cost, the range that you showed, and
// the running result. A table goes on when the tab is closed; its address opens it again.
import { get, post } from "./api.js";
import { chips, h, inked, percent, show, term, word } from "./dom.js";
import { gameGroup, makePicker, spotGroup } from "./picker.js";

const WORDS = { starting: "The table is being set; a blueprint or an equilibrium may take a while.", pricing: "The hand is over; what your decisions cost is being worked out.", correcting: "Luck is being taken out of the result.", thinking: "The opponent thinks." };

export async function showPlay(view, page, target, query) {
  const [known, spots, players] = [await get("games"), await get("spots"), await get("players")];
  const answer = page.known("answer");
  const game = makePicker("table-game", query.game ?? (page.known("spot") || "leduc"), () => offer());
  const against = makePicker("against", query.against ?? "nash", () => tell());
  const seat = h("select", { id: "table-seat" });
  const about = h("p", { class: "faint", id: "against-about" });
  const board = h("div", { id: "table", "aria-live": "polite" }), score = h("div", { id: "score" });
  let table = null, gone = false, offered = {}, uploaded = await get("uploads");

  const mark = () => page.mark("play", "", { game: game.value, against: against.value, seat: seat.value, table });
  const fail = (reason) => { if (!gone) page.fail(reason); };
  const isWhole = () => game.value.endsWith(".cpb");
  function fill() {
    game.fill({ "Solved spots": spotGroup(spots), "Whole hold'em": players.blueprints.map((name) => [name, `the game of the blueprint ${name}`]), Games: gameGroup(known.games) });
    offer();
  }
  /** Who can be met in the game that is chosen. */
  function offer() {
    const text = game.value, solved = spots.some((one) => one.name === text);
    const theirs = solved ? players.spots : isWhole() ? players.whole : text.startsWith("holdem:") ? { passive: players.whole.passive, uniform: players.whole.uniform } : players.games;
    const leaks = solved && answer ? { [`villain:${answer}`]: "the player with the leaks", [`answer:${answer}`]: "the full exploit of the leaks" } : {};
    const files = Object.fromEntries([...(isWhole() ? players.blueprints.filter((name) => name !== text).map((name) => [name, "another blueprint"]) : []), ...uploaded.filter((one) => one.games.includes(kindOf(text, solved))).map((one) => [one.name, one.about])]);
    offered = { ...theirs, ...leaks, ...files };
    const named = (entries) => Object.entries(entries).map(([name, told]) => [name, `${name.length > 24 ? `${name.slice(0, 12)}…` : name}: ${told}`]);
    against.fill({ Players: named(theirs), "Of your answer": named(leaks), Files: named(files) });
    if (!against.has(against.value) && (solved || isWhole() || text.startsWith("holdem:")) && !query.table) against.value = Object.keys(offered)[0];
    const names = solved ? ["oop: acts first", "ip: acts last"] : isWhole() || text.startsWith("holdem:") ? ["big blind", "button, small blind"] : ["acts first", "acts second"];
    const chosen = seat.value || query.seat || "0";
    show(seat, names.map((name, k) => h("option", { value: k, selected: String(k) === chosen }, `seat ${k} (${name})`)));
    tell();
  }
  function tell() {
    about.textContent = against.value in offered ? "" : "A model of the library, such as cfr+:10, noise:0.2:nash or random:1.";
  }
  async function upload(input) {
    page.clear();
    try {
      const file = input.files[0];
      if (!file) return;
      const kept = await post("uploads", { file: file.name, content: await base64(file) });
      uploaded = await get("uploads");
      Object.assign(players, await get("players"));
      fill();
      if (kept.games.includes(kindOf(game.value, spots.some((one) => one.name === game.value)))) { against.value = kept.name; tell(); }
      show(told, kept.said);
    } catch (reason) { fail(reason); } finally { input.value = ""; }
  }
  const told = h("p", { class: "faint", id: "uploaded", "aria-live": "polite" });
  const file = h("input", { type: "file", id: "player-file", accept: ".cpb,.json,.cps,.phh,.phhs,.jsonl,.log,.txt", onchange: () => upload(file) });
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
      show(board, h("section", { class: "panel now" }, h("p", { class: "faint", role: "status" }, WORDS[state.kind] ?? WORDS.thinking)), state.last ? lastHand(state.last, state.seat) : null);
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
    show(score);
  }
  function draw(state) {
    const buttons = state.actions.map((action, k) => h("button", { type: "button", class: "main", "data-key": k + 1, onclick: () => act(action) }, `${k + 1} ${action}`));
    show(board, h("section", { class: "panel now" }, h("h2", {}, "Your decision"), (state.picture ?? state.infoset).split("\n").map((line) => h("p", { class: "big" }, inked(line))), h("p", { class: "faint" }, inked(state.infoset)), h("div", { class: "chips" }, buttons)),
      state.last ? lastHand(state.last, state.seat) : null);
    show(score, h("h2", {}, "Result"), result(state.score), h("button", { type: "button", id: "leave", onclick: stand }, "Leave the table"));
  }
  const onKey = (event) => {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    board.querySelector(`[data-key="${event.key}"]`)?.click();
  };
  document.addEventListener("keydown", onKey);
  show(view, h("div", { class: "columns table" }, board, h("div", {}, score, h("section", { class: "panel" }, h("h2", {}, "A table"), h("label", {}, word("What is played", "A game, a spot that was solved here, or whole hold'em: the game of a blueprint."), game.root), h("label", {}, "Opponent", against.root), about, h("label", {}, "You", seat),
    h("button", { type: "button", class: "main", id: "sit", onclick: sit }, "Sit down"),
    h("label", { class: "drop" }, word("A player from a file", "A blueprint of whole hold'em (.cpb), a strategy of a game (.json, .cps), or hand histories of a player whom you want to meet (.phh, .phhs, .jsonl, .log, .txt)."), file), told))));
  score.className = "panel";
  fill();
  if (query.table) {
    table = Number(query.table);
    get(`tables/${table}`).then(follow).catch((reason) => { table = null; fail(reason); });
  }
  return () => {
    gone = true;
    document.removeEventListener("keydown", onKey);
  };
}

/** The kind of a game, as uploads name those in which they play. */
function kindOf(text, solved) {
  return solved ? "spot" : text.endsWith(".cpb") ? "whole" : text.startsWith("holdem:") ? "" : "game";
}

/** A file's content, in letters that JSON carries. */
async function base64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let k = 0; k < bytes.length; k += 32768) text += String.fromCharCode(...bytes.subarray(k, k + 32768));
  return btoa(text);
}

function lastHand(last, seat) {
  const names = { [seat]: "you", [1 - seat]: "opponent" };
  return h("section", { class: "panel", id: "last" }, h("h2", {}, `The last hand: ${last.won >= 0 ? "won" : "lost"} ${chips(Math.abs(last.won))} chips`),
    h("p", {}, last.moves.flatMap(([who, action]) => [`${names[who] ?? "dealt"} `, inked(action), "; "]).slice(0, -1)),
    (last.decisions ?? []).map((one) => h("div", { class: "decision" }, h("p", {}, h("b", {}, one.action), " at ", inked(one.infoset), `: ${price(one)}`), range(one.belief))),
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

function result(found) {
  const span = (ends) => (ends ? `, 95 % interval ${chips(ends[0])} to ${chips(ends[1])}` : "");
  return [h("p", {}, `${found.hands} hand${found.hands === 1 ? "" : "s"}, ${chips(found.won)} chips in all, ${chips(found.mean)} a hand${span(found.interval)}`),
    found.corrected === null ? null : h("p", {}, word("Without luck", "The result less what the cards and the other's draws gave, in the mean the same, and surer after fewer hands."), ` ${chips(found.corrected)} chips a hand${span(found.corrected_interval)} (`, found.corrected_by === "AIVAT" ? term("AIVAT") : found.corrected_by, `${found.corrected_hands < found.hands ? `, ${found.corrected_hands} of ${found.hands} hands so far` : ""}).`),
    found.cost === null ? null : h("p", {}, "Your decisions ", word("cost", "The value of the best action less that of the one that you took, both followed by best play."), ` ${chips(found.cost)} chips against ${found.against}.`)];
}
