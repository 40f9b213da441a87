// Build a spot: cards, ranges, chips and sizes; its cost before it is solved.
import { get, post } from "./api.js";
import { debounced, duration, h, show, term, word } from "./dom.js";
import { makeGrid } from "./grid.js";

const RANKS = "AKQJT98765432", SUITS = "shdc", SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const START = {
  board: "Qs Jh 2h 8d 3c", oop: "QQ+,AQs,KQs,J8s,T9s,98s", ip: "22+,AJs+,KQo,QJs,T9s", pot: "200", stack: "900",
  bets: "50%,100%,a", raises: "", big_blind: "", rake: "", rake_cap: "", exploitability: "0.5",
};
/** Numbers of a spot that may be left out; those without a field stay as the address has them. */
const NUMBERS = ["big_blind", "rake", "rake_cap", "min_bet", "all_in_at"];
const PLAYERS = { oop: ["Out of position", "acts first on every street after the flop"], ip: ["In position", "acts last"] };

export async function showBuild(view, page, target, query) {
  const state = { ...START, ...query };
  const command = h("code", { class: "command", id: "command" });
  const size = h("p", { id: "size", "aria-live": "polite" });
  const solve = h("button", { class: "main", type: "button", id: "solve" }, "Solve");
  const weigh = debounced(async () => {
    page.mark("build", "", Object.fromEntries(Object.entries(state).filter(([name, value]) => value !== START[name])));
    try {
      const found = await post("size", spotOf(state));
      const gib = found.memory < 0.01 * 2 ** 30 ? "under 0.01" : (found.memory / 2 ** 30).toPrecision(3);
      show(size, `${found.street}: ${found.nodes.toLocaleString("en")} `, term("nodes"), `, ${found.sequences.toLocaleString("en")} `, term("sequences"), `, ${gib} GiB, about ${duration(found.seconds)} to 0.5 % on one core`,
        found.fits ? "" : ` — more than the ${(found.limit / 2 ** 30).toPrecision(3)} GiB allowed: ask for fewer bet sizes`);
      command.textContent = `${found.command} --exploitability ${state.exploitability}`;
      solve.disabled = !found.fits;
      page.clear();
    } catch (reason) {
      show(size);
      solve.disabled = true;
      page.fail(reason);
    }
  });
  solve.addEventListener("click", async () => {
    solve.disabled = true;
    try {
      const begun = await post("solve", { spot: spotOf(state), exploitability: Number(state.exploitability) });
      if (begun.job) await page.wait(begun.job);
      page.know("spot", begun.name);
      page.go("explore", begun.name);
    } catch (reason) {
      page.fail(reason);
    } finally {
      solve.disabled = false;
    }
  });
  const change = (name) => (event) => { state[name] = event.target.value; weigh(); };
  const field = (name, title, about, kind = "text") => h("label", {}, word(title, about),
    h("input", { type: kind, id: name, value: state[name], oninput: change(name), step: "any" }));
  show(view, h("div", { class: "columns" },
    h("section", { class: "panel tall" }, h("h2", {}, "Board"), boardPicker(state, weigh),
      h("h2", {}, "Chips and sizes"),
      field("pot", "Pot", "Chips in the middle.", "number"), field("stack", "Stack", "Chips left in front of each player; two numbers if they differ: 900,700."),
      field("bets", "Bet sizes", "Of the pot (50%), of the bet that is raised (2.5x), a for all-in; by street: 50%; river: 33%, a; raise: 2.5x."),
      sizesByStreet(state, weigh),
      field("raises", "Most raises", "Bets and raises a street, or of each street: 3,2,1. Empty: no cap."),
      field("big_blind", "Big blind", "In chips; shows results in bb too. May be empty.", "number"),
      h("div", { class: "pair" }, field("rake", "Rake", "Share of the pot that the house takes, such as 0.05. May be empty.", "number"), field("rake_cap", "Rake cap", "The most rake, in chips. May be empty.", "number")),
      field("exploitability", "Solve to", "Per cent of the pot that a perfect opponent would still win against either player.", "number")),
    ...["oop", "ip"].map((name) => rangePanel(name, state, page, weigh)),
    h("section", { class: "panel", id: "cost" }, h("h2", {}, "Solve"), size, solve, h("h3", {}, "The same from a shell"), command)));
  weigh();
}

function spotOf(state) {
  const stack = state.stack.split(",").map(Number), raises = state.raises.split(",").filter(Boolean).map(Number);
  const spot = {
    board: state.board, oop: state.oop, ip: state.ip, pot: Number(state.pot), stack: stack.length > 1 ? stack : stack[0], bets: state.bets,
  };
  if (raises.length) spot.raises = raises.length > 1 ? raises : raises[0];
  for (const name of NUMBERS) if (state[name]) spot[name] = Number(state[name]);
  for (const name of ["deck", "rules"]) if (state[name]) spot[name] = state[name];
  return spot;
}

/** Fields for the sizes of each street, which write the one text. */
function sizesByStreet(state, changed) {
  const names = { flop: "Flop", turn: "Turn", river: "River", raise: "Raises" };
  const fields = Object.entries(names).map(([name, title]) => [name, h("input", { type: "text", id: `sizes-${name}`, placeholder: name === "raise" ? "2.5x" : "33%, 75%, a", "aria-label": `Sizes, ${title}`, oninput: write }), title]);
  function write() {
    const text = fields.filter(([, input]) => input.value.trim()).map(([name, input]) => `${name}: ${input.value.trim()}`).join("; ");
    if (!text) return;
    state.bets = text;
    document.getElementById("bets").value = text;
    changed();
  }
  return h("details", {}, h("summary", {}, "Sizes by street"), fields.map(([, input, title]) => h("label", {}, title, input)));
}

function boardPicker(state, changed) {
  const shown = new Set(state.board.split(" ").filter(Boolean));
  const text = h("input", { type: "text", id: "board", value: state.board, "aria-label": "Board", oninput: (event) => {
    shown.clear();
    for (const card of event.target.value.match(/[2-9TJQKA][shdc]/gi) ?? []) shown.add(card[0].toUpperCase() + card[1].toLowerCase());
    state.board = event.target.value;
    draw();
    changed();
  } });
  const buttons = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => {
    const card = rank + suit;
    return [card, h("button", { type: "button", class: suit, "aria-label": card, onclick: () => {
      if (!shown.delete(card) && shown.size < 5) shown.add(card);
      state.board = [...shown].join(" ");
      text.value = state.board;
      draw();
      changed();
    } }, rank + SIGNS[suit])];
  }));
  const draw = () => buttons.forEach(([card, button]) => button.setAttribute("aria-pressed", shown.has(card)));
  draw();
  return h("div", {}, text, h("div", { class: "cards" }, buttons.map(([, button]) => button)));
}

function rangePanel(name, state, page, changed) {
  const [title, about] = PLAYERS[name];
  let weights = Array(169).fill(0), stroke = 1;
  const weight = h("input", { type: "range", id: `${name}-weight`, min: 0, max: 100, value: 100, "aria-label": `Weight of the brush, ${title}` });
  const combos = h("span", { class: "faint" });
  const text = h("textarea", { id: name, "aria-label": `Range, ${title}`, oninput: (event) => { state[name] = event.target.value; read(); } }, state[name]);
  text.value = state[name];
  const grid = makeGrid(page.facts.classes, { label: `Range, ${title}`, painted: (cell, first) => {
    const brush = Number(weight.value) / 100;
    if (first) stroke = weights[cell] === brush ? 0 : brush;
    weights[cell] = stroke;
    draw();
    write();
  } });
  grid.root.id = `${name}-grid`;
  const draw = () => grid.draw(weights.map((share) => ({ share, parts: [{ part: 1, colour: "#e69f00" }], title: `${Math.round(100 * share)} %` })));
  const take = (found) => {
    weights = found.weights.map((one) => one ?? 0);
    combos.textContent = `${found.combos.toFixed(1)} combos`;
    draw();
  };
  const read = debounced(async () => {
    try { take(await post("range", { text: text.value })); changed(); } catch (reason) { page.fail(reason); }
  });
  const write = debounced(async () => {
    try {
      const found = await post("range", { weights });
      text.value = state[name] = found.texts.plain;
      take(found);
      changed();
    } catch (reason) { page.fail(reason); }
  });
  read();
  return h("section", { class: "panel" }, h("h2", {}, word(title, about), " ", combos), grid.root,
    h("label", {}, "Weight of the brush", weight), h("label", {}, word("Range", "Hands as QQ+,AKs:0.5, or as GTO+ and PioSOLVER write them."), text));
}
