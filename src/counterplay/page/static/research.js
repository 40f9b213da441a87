// Games in memory: methods against a model, and minimisers over their iterations.
import { get, post } from "./api.js";
import { chart } from "./chart.js";
import { h, show, word } from "./dom.js";
import { frontierChart } from "./frontier.js";

export async function showResearch(view, page, target, query) {
  const known = await get("games");
  const game = h("input", { type: "text", id: "game", value: query.game ?? "leduc", list: "games" });
  const model = h("input", { type: "text", id: "model", value: query.model ?? "cfr+:10", list: "opponents" });
  const methods = h("input", { type: "text", id: "methods", value: query.methods ?? "rnr,mix,safe,br" });
  const minimisers = h("input", { type: "text", id: "minimisers", value: query.minimisers ?? "cfr,cfr+,dcfr,pcfr+" });
  const iterations = h("input", { type: "number", id: "iterations", value: query.iterations ?? "300" });
  const picture = h("div", { id: "frontier" }), curves = h("div", { id: "curves" });
  const shell = h("code", { class: "command" });
  const list = (field) => field.value.split(",").map((one) => one.trim()).filter(Boolean);
  const tell = () => show(shell, `counterplay frontier ${game.value} --to '${model.value}' --methods ${methods.value}`);
  for (const field of [game, model, methods]) field.addEventListener("input", tell);

  async function run(path, body, draw, where) {
    page.clear();
    page.mark("research", "", { game: game.value, model: model.value, methods: methods.value, minimisers: minimisers.value, iterations: iterations.value });
    try {
      const begun = await post(path, body);
      if (begun.job) await page.wait(begun.job, (job) => show(where, draw(job)));
      show(where, draw(await get(`results/${begun.name}`)));
    } catch (reason) { page.fail(reason); }
  }
  const drawFrontier = ({ points = [] }) => [frontierChart(points)];
  const drawCurves = ({ curves: found = {} }) => [
    chart(Object.entries(found).map(([name, points]) => ({ name, line: true, points: points.map(([x, y]) => ({ x, y, text: `${x} iterations, exploitability ${y.toPrecision(3)} chips` })) })),
      { x: "iterations", y: "exploitability (chips a hand)", logX: true, logY: true }),
  ];
  show(view, h("datalist", { id: "games" }, known.games.map((one) => h("option", { value: one.text }, one.about))),
    h("datalist", { id: "opponents" }, ["nash", "uniform", "cfr+:10", "random:1", "noise:0.2:nash"].map((value) => h("option", { value }))),
    h("div", { class: "columns" },
      h("section", { class: "panel" }, h("h2", {}, "Gain against exploitability"),
        h("label", {}, "Game", game), h("label", {}, word("Model of the opponent", "A text such as cfr+:10, random:1 or noise:0.2:nash."), model),
        h("label", {}, word("Methods", Object.entries(known.methods).map(([name, about]) => `${name}: ${about}`).join("; ")), methods),
        h("button", { type: "button", class: "main", id: "draw", onclick: () => run("frontiers", { game: game.value, model: model.value, methods: list(methods) }, drawFrontier, picture) }, "Draw"),
        picture, h("h3", {}, "The same from a shell"), shell),
      h("section", { class: "panel" }, h("h2", {}, "Exploitability over iterations"),
        h("label", {}, "Regret minimisers", minimisers), h("label", {}, "Iterations of each", iterations),
        h("button", { type: "button", class: "main", id: "compare", onclick: () => run("solves", { game: game.value, methods: list(minimisers), iterations: Number(iterations.value) }, drawCurves, curves) }, "Compare"), curves)));
  tell();
}
