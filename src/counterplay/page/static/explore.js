// Explore a solved spot: the tree as a strip, a grid, hands with the EV of each action, cards to come.
import { get } from "./api.js";
import { cards, chips, h, inked, keepFocus, percent, pictureLink, rangeLinks, show, term, word, worth } from "./dom.js";
import { makeGrid, numberCells, shade, strategyCells } from "./grid.js";
import { quoted } from "./shell.js";
import { legend, listen, makeStrip } from "./strip.js";

const TABS = { strategy: "Strategy", ev: "EV", equity: "Equity", range: "Range" };
const SEATS = ["Out of position: acts first on every street after the flop.", "In position: acts last."];
const WHOSE = { equilibrium: "the equilibrium", answer: "the answer", model: "the model", leak: "the leak" };

export async function showExplore(view, page, name, query) {
  const spot = await get(`spots/${name}`);
  page.know("spot", name);
  const state = { path: query.path ?? "", tab: Object.hasOwn(TABS, query.tab ?? "") ? query.tab : "strategy", seat: Number(query.seat ?? 0), cell: null };
  let node = null, asked = new AbortController();
  const body = h("div", {});
  show(view, body);

  async function go(path) {
    asked.abort();
    asked = new AbortController();
    try {
      node = await get(`spots/${name}/node`, { path }, asked.signal);
      state.path = node.path;
      if (node.player !== null) state.seat = node.player;
      state.cell = null;
      keepFocus(draw);
    } catch (reason) {
      if (reason.name !== "AbortError") page.fail(reason);
    }
  }
  function pick(tab, seat) {
    state.tab = tab;
    state.seat = seat;
    keepFocus(draw);
  }
  function draw() {
    page.clear();
    page.mark("explore", name, { path: state.path, tab: state.tab === "strategy" ? "" : state.tab, seat: state.seat || "" });
    const hands = h("div", { id: "hands" }, h("p", { class: "faint" }, "Choose a class in the grid: its hands are listed here with the EV of each action."));
    const grid = makeGrid(page.facts.classes, { label: `${TABS[state.tab]} at ${state.path || "the root"}`, chosen: async (cell) => {
      state.cell = cell;
      try {
        const found = await get(`spots/${name}/combos`, { path: state.path, cell, seat: state.seat });
        show(hands, handTable(page.facts.classes[cell], found, state.seat === node.player ? node.actions : []));
      } catch (reason) { page.fail(reason); }
    } });
    grid.root.id = "grid";
    grid.draw(cellsOf());
    const who = ["oop", "ip"][state.seat];
    show(body, makeStrip(node, go), h("div", { class: "columns first" },
      h("section", { class: "panel" }, tabs(), grid.root,
        h("p", { class: "faint" }, state.tab === "strategy" && state.seat !== node.player ? `${who} does not act here: this is the range.` : "A bar is as high as the share of the class that is here; letters name its most frequent action.")),
      h("section", { class: "panel" }, h("h2", {}, cards(node.board), ` pot ${node.pot}`),
        h("table", { id: "players" }, h("tbody", {}, node.players.map((player, seat) => h("tr", {}, h("td", {}, term(player.name)),
          h("td", {}, term("EV"), ` ${node.ev[seat] === null ? "–" : worth(node.ev[seat], node.pot, spot.big_blind)}`),
          h("td", {}, term("equity"), ` ${percent(node.equity[seat])}`), h("td", {}, `${player.combos.toFixed(1)} `, term("combos")))))),
        node.player === null ? null : [h("p", {}, `${["oop", "ip"][node.player]} plays `, node.whose === "equilibrium" ? ["the ", term("equilibrium")] : WHOSE[node.whose], "."), legend(node.actions)],
        node.deals.length ? dealTable() : null,
        node.strip.at(-1)?.player === null ? h("p", {}, h("a", { href: `#/research?${new URLSearchParams({ game: name, only: state.path, blueprint: "cfr:10" })}` }, "The gadget of this subgame"), " ", word("drawn", "A gadget stands before a subgame that is solved again, and keeps the new solution safe.")) : null,
        h("h3", {}, `Hands of ${who}`), hands),
      h("section", { class: "panel" }, h("h2", {}, "This solution"),
        h("p", {}, term("Exploitability", "exploitability"), ` ${spot.facts.exploitability_percent.toPrecision(3)} % of the pot`, spot.facts.iterations ? `, ${spot.facts.iterations} iterations, ${Number(spot.facts.seconds).toFixed(2)} s` : ""),
        h("a", { href: `api/spots/${name}/node.csv?${new URLSearchParams({ path: state.path })}` }, "This node as CSV"), " ", rangeLinks(`spots/${name}`, { path: state.path }), pictureLink(() => grid.root, "node.svg"),
        h("h3", {}, "The same from a shell"),
        h("code", { class: "command", id: "node-command" }, `counterplay spot --file ${quoted(spot.file)}${state.path ? ` --node ${quoted(state.path)}` : ""}`),
        h("h3", {}, "Solved by"), h("code", { class: "command" }, `${spot.command} --exploitability ${Number((1.005 * spot.facts.exploitability_percent).toPrecision(3))}`),
        h("p", {}, h("button", { type: "button", onclick: () => page.go("build", "", buildQuery(spot.spot)) }, "Change this spot"), " ",
          h("button", { type: "button", class: "main", onclick: () => page.go("villain", name) }, "Add leaks")))));
  }
  function cellsOf() {
    const player = node.players[state.seat];
    if (state.tab === "strategy" && state.seat === node.player) return strategyCells(player.share, node.strategy, node.actions);
    if (state.tab === "ev") return numberCells(player.share, player.ev, (x) => chips(x));
    if (state.tab === "equity") return numberCells(player.share, player.equity, (x) => (100 * x).toFixed(0));
    return player.share.map((share) => ({ share, parts: [{ part: 1, colour: "#e69f00" }], title: percent(share) }));
  }
  function tabs() {
    const kinds = Object.keys(TABS).map((tab) => h("button", { type: "button", role: "tab", id: `tab-${tab}`, "aria-selected": tab === state.tab, onclick: () => pick(tab, state.seat) }, TABS[tab]));
    const seats = ["oop", "ip"].map((who, seat) => h("button", { type: "button", role: "tab", id: `seat-${who}`, title: SEATS[seat], "aria-selected": seat === state.seat, onclick: () => pick(state.tab, seat) }, who));
    return h("div", { class: "tabs", role: "tablist" }, h("span", {}, kinds), h("span", {}, seats));
  }
  function dealTable() {
    const links = new Map(node.deals.map((card) => [card, h("a", { href: "#", class: "deal", "data-card": card, onclick: (event) => { event.preventDefault(); go(pathWith(card)); } }, cards(card), h("span", {}, "…"))]));
    fillDeals(links, state.seat, asked.signal);
    const rows = [..."shdc"].flatMap((suit) => [..."AKQJT98765432"].map((rank) => links.get(rank + suit) ?? h("span", {})));
    return h("div", {}, h("h3", {}, `Cards to come, with the EV of ${["oop", "ip"][state.seat]} in chips`), h("div", { id: "deals", class: "deals" }, rows));
  }
  const pathWith = (card) => (state.path ? `${state.path}, ${card}` : card);
  async function fillDeals(links, seat, signal) {
    const known = new Map();
    try {
      for (const [card, link] of links) {
        const { ev } = await get(`spots/${name}/card`, { path: pathWith(card) }, signal);
        known.set(card, ev[seat]);
        link.lastChild.textContent = ev[seat] === null ? "–" : Number(ev[seat].toPrecision(3)).toString();
        link.title = `${card}: EV of oop ${chips(ev[0])}, of ip ${chips(ev[1])} chips`;
      }
      const numbers = [...known.values()].filter((one) => one !== null), least = Math.min(...numbers), most = Math.max(...numbers);
      for (const [card, link] of links) {
        if (known.get(card) === null) continue;
        link.lastChild.style.background = shade(most > least ? (known.get(card) - least) / (most - least) : 0.5);
        link.lastChild.classList.add("halo");
      }
    } catch (reason) {
      if (reason.name !== "AbortError") page.fail(reason);
    }
  }
  await go(state.path);
  const deaf = listen(() => node, go);
  return () => { deaf(); asked.abort(); };
}

function handTable(name, hands, actions) {
  if (!hands.length) return h("p", {}, `${name} is not in this range.`);
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, [name, "weight", term("EV"), term("equity"), ...actions.map((one) => one.name)].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, hands.map((one) => h("tr", {}, h("td", { class: "hand" }, inked(one.hand)), h("td", {}, percent(one.weight, 0)), h("td", {}, chips(one.ev)), h("td", {}, percent(one.equity, 0)),
      one.strategy.map((share, k) => h("td", {}, percent(share, 0), h("small", {}, chips(one.action_ev[k])))))))),
  actions.length ? h("p", { class: "faint" }, "Under each action: its share, and its EV in chips.") : null);
}

function buildQuery(spot) {
  return Object.fromEntries(["board", "oop", "ip", "pot", "stack", "bets", "raises", "big_blind", "rake", "rake_cap", "min_bet", "all_in_at", "deck", "rules"].filter((name) => name in spot).map((name) => [name, String(spot[name])]));
}
