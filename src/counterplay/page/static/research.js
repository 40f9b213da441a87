// Games in memory: methods against models, minimisers over their iterations, the gadget of a subgame, tables of papers.
import { get, post } from "./api.js";
import { chart } from "./chart.js";
import { cards, h, pictureLink, show, word } from "./dom.js";
import { frontierChart } from "./frontier.js";
import { gadgetDrawing } from "./gadget.js";
import { gameGroup, makePicker, spotGroup } from "./picker.js";
import { reproductions } from "./reproduce.js";
import { quoted } from "./shell.js";

const FIELDS = { game: "leduc", model: "cfr+:10", methods: "rnr,mix,safe,br", minimisers: "cfr,cfr+,dcfr,pcfr+", iterations: "300", blueprint: "cfr:10", at: "round", gadget: "resolving", subgame: "1", only: "", resolver: "0", paper: "" };

export async function showResearch(view, page, target, query) {
  const [known, spots] = [await get("games"), await get("spots")];
  const state = { ...FIELDS, ...query };
  const shells = { frontier: h("code", { class: "command" }), curves: h("code", { class: "command" }), gadget: h("code", { class: "command" }) };
  const game = makePicker("game", state.game, () => { state.game = game.value; tell(); mark(); });
  game.fill({ "Solved spots": spotGroup(spots), Games: gameGroup(known.games) });
  const which = h("span", { class: "faint", id: "which" });
  const picture = h("div", { id: "frontier" }), curves = h("div", { id: "curves" }), drawing = h("div", { id: "gadget-drawing" });
  const mark = () => page.mark("research", "", Object.fromEntries(Object.entries(state).filter(([name, value]) => value !== FIELDS[name])));
  const field = (name, more = {}) => h("input", { type: "text", id: name, value: state[name], ...more, oninput: (event) => { state[name] = event.target.value; tell(); mark(); } });
  const select = (name, values) => h("select", { id: name, onchange: (event) => { state[name] = event.target.value; tell(); mark(); } }, values.map(([value, title]) => h("option", { value, selected: value === state[name] }, title)));
  const list = (name, by = ",") => state[name].split(by).map((one) => one.trim()).filter(Boolean);
  const spot = () => spots.find((one) => one.name === state.game);
  const tell = () => {
    const solved = spot(), source = quoted(solved?.file ?? state.game), text = (one) => quoted(solved && one === "solution" ? solved.file : one);
    show(which, solved ? [`The solved ${solved.street} `, cards(solved.board), `, pot ${solved.pot}.`] : known.games.find((one) => one.text === state.game)?.about ?? "");
    show(shells.frontier, list("model", ";").map((model) => `counterplay frontier ${source} --to ${text(model)} --methods ${quoted(state.methods)}`).join("\n"));
    show(shells.curves, list("minimisers").map((one) => `counterplay solve ${source} --method ${quoted(one)} --iterations ${quoted(String(state.iterations))}`).join("\n"));
    show(shells.gadget, `counterplay gadget ${source} --blueprint ${text(state.blueprint)} --at ${quoted(state.at)} --gadget ${quoted(state.gadget)} ${state.only ? `--only ${quoted(state.only)}` : `--subgame ${quoted(String(state.subgame))}`} --seat ${quoted(String(state.resolver))}${solved ? "" : " --solver lp"}`);
  };

  async function result(path, body, told = () => null) {
    const begun = await post(path, body);
    if (begun.job) await page.wait(begun.job, told);
    return get(`results/${begun.name}`);
  }
  async function tried(button, work) {
    page.clear();
    mark();
    button.disabled = true;
    try { await work(); } catch (reason) { page.fail(reason); } finally { button.disabled = false; }
  }
  const button = (id, text, work) => { const one = h("button", { type: "button", class: "main", id, onclick: () => tried(one, work) }, text); return one; };
  async function drawFrontiers() {
    const models = list("model", ";"), found = new Map(), values = new Map();
    const draw = () => show(picture, [...found].map(([model, points]) => {
      const drawn = frontierChart(points), svg = drawn.querySelector("svg");
      return h("div", {}, models.length > 1 ? h("h3", {}, `against ${model}`) : null, drawn, svg ? pictureLink(() => svg, "frontier.svg") : null, values.has(model) ? h("p", { class: "faint" }, values.get(model)) : null);
    }), models.length > 1 ? matrix(models, found) : null);
    for (const model of models) {
      const last = await result("frontiers", { game: state.game, model, methods: list("methods") }, (job) => { if (job.points) { found.set(model, job.points); draw(); } });
      found.set(model, last.points);
      if (last.game_value_gap != null) values.set(model, `Gain counts from the value of the game, ${last.game_value.toPrecision(6)} chips${last.game_value_gap > 0 ? `, known to ${last.game_value_gap.toPrecision(2)}` : ""}.`);
      draw();
    }
  }
  const drawCurves = ({ curves: found = {} }) => show(curves,
    chart(Object.entries(found).map(([name, points]) => ({ name, line: true, points: points.map(([x, y]) => ({ x, y, text: `${x} iterations, exploitability ${y.toPrecision(3)} chips` })) })),
      { x: "iterations", y: "exploitability (chips a hand)", logX: true, logY: true }));
  const body = () => ({ game: state.game, blueprint: state.blueprint, at: state.at, gadget: state.gadget, subgame: Number(state.subgame), seat: Number(state.resolver), only: state.only.trim() || null });
  async function step(to) {
    Object.assign(state, { subgame: String(Math.max(1, to)), only: "" });
    for (const name of ["subgame", "only"]) document.getElementById(name).value = state[name];
    tell();
    await drawGadget();
  }
  async function drawGadget() {
    const facts = await result("gadgets", body()), drawn = gadgetDrawing(facts);
    show(drawing, drawn, pictureLink(() => drawn.querySelector("svg"), "gadget.svg"));
  }
  const back = button("before", "‹ subgame", () => step(Number(state.subgame) - 1)), on = button("after", "subgame ›", () => step(Number(state.subgame) + 1));
  for (const one of [back, on]) one.classList.remove("main");
  show(view, h("datalist", { id: "opponents" }, ["nash", "uniform", "cfr+:10", "random:1", "noise:0.2:nash"].map((value) => h("option", { value })), h("option", { value: "solution" }, "of a solved spot: its solution")),
    h("section", { class: "panel" }, h("label", {}, h("h2", {}, "Game"), game.root), which),
    h("div", { class: "columns two" },
      h("section", { class: "panel" }, h("h2", {}, word("Gain", "Chips a hand that a response wins from the model, beyond the value of the game."), " against ", word("exploitability", "Chips a hand that a perfect opponent would win from the strategy, beyond the value of the game.")),
        h("label", {}, word("Models of the opponent", "A text such as cfr+:10, random:1 or noise:0.2:nash; several with semicolons."), field("model", { list: "opponents" })),
        h("label", {}, word("Methods", Object.entries(known.methods).map(([name, about]) => `${name}: ${about}`).join("; ")), field("methods")),
        button("draw", "Draw", drawFrontiers), picture, h("h3", {}, "The same from a shell"), shells.frontier),
      h("section", { class: "panel" }, h("h2", {}, "Exploitability over iterations"),
        h("label", {}, word("Regret minimisers", `Solvers that play against themselves: ${known.minimisers.join(", ")}.`), field("minimisers")), h("label", {}, "Iterations of each", field("iterations", { type: "number" })),
        button("compare", "Compare", async () => drawCurves(await result("solves", { game: state.game, methods: list("minimisers"), iterations: Number(state.iterations) }, drawCurves))), curves, h("h3", {}, "The same from a shell"), shells.curves),
      h("section", { class: "panel wide" }, h("h2", {}, "The ", word("gadget", "What stands before a subgame that is solved again: choices of the opponent that keep the new solution safe."), " of a subgame"),
        h("div", { class: "pair" }, h("label", {}, word("Blueprint", "The strategy whose subgame is solved again, such as cfr:10."), field("blueprint", { list: "opponents" })), h("label", {}, word("Place", "Where subgames begin: round (after each round), moves:N, or game."), field("at"))),
        h("div", { class: "pair" }, h("label", {}, "Gadget", select("gadget", known.gadgets.map((one) => [one, one]))), h("label", {}, "Who solves it again", select("resolver", [["0", "player 0"], ["1", "player 1"]]))),
        h("div", { class: "pair" }, h("label", {}, "Number of the subgame", field("subgame", { type: "number", min: 1 })), h("label", {}, word("Or only that of", "In a spot a path up to a card, such as x x Ah; in a game an infoset of the player who solves again."), field("only"))), h("div", { class: "chips" }, button("draw-gadget", "Draw", drawGadget), back, on), drawing, h("h3", {}, "The same from a shell"), shells.gadget),
      reproductions(page, state.paper, (name) => { state.paper = name; mark(); })));
  tell();
}

/** Methods by opponents: the largest gain of each dial, with the exploitability there. */
function matrix(models, found) {
  const methods = [...new Set([...found.values()].flat().map((one) => one.method))];
  const cell = (method, model) => {
    const points = (found.get(model) ?? []).filter((one) => one.method === method);
    if (!points.length) return "…";
    const best = points.reduce((x, y) => (y.gain > x.gain ? y : x));
    return `${best.gain.toFixed(3)} (${best.exploitability.toFixed(3)})`;
  };
  return h("table", { id: "matrix" }, h("thead", {}, h("tr", {}, [word("largest gain (exploitability)", "Of all settings of a method's dial; chips a hand."), ...models].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, methods.map((method) => h("tr", {}, h("td", {}, method), models.map((model) => h("td", {}, cell(method, model)))))));
}
