// The answer to leaks: one slider from the equilibrium to the full exploit, along the corners of gain against risk.
import { get } from "./api.js";
import { makeCurve } from "./curve.js";
import { chips, debounced, h, keepFocus, percent, pictureLink, rangeLinks, show, term, word, worth } from "./dom.js";
import { differenceCells, makeGrid, strategyCells } from "./grid.js";
import { quoted } from "./shell.js";
import { legend, listen, makeStrip } from "./strip.js";

const FEW = 4;
const COLUMNS = ["Equilibrium", "Safe", "Full exploit"];

export async function showAnswer(view, page, name, query) {
  const answer = await get(`answers/${name}`);
  page.know("answer", name);
  page.know("spot", answer.spot);
  const corners = answer.corners, most = corners.at(-1).exploitability;
  const state = { risk: Math.min(most, Number(query.risk ?? 0.01 * answer.pot)), path: query.path ?? "" };
  let node = null, drawn = null, asked = new AbortController();

  const curve = makeCurve((risk) => setRisk(risk));
  const slider = h("input", { type: "range", id: "risk", min: 0, max: 1000, "aria-label": "How much a perfect opponent may win back", oninput: (event) => setRisk((most * Number(event.target.value) ** 2) / 1e6) });
  const worthOf = h("p", { class: "big", id: "worth", "aria-live": "polite" });
  const how = h("p", { class: "faint", id: "how" });
  const strip = h("div", { class: "way" });
  const grids = COLUMNS.map((title) => makeGrid(page.facts.classes, { label: title }));
  const keys = COLUMNS.map(() => h("div", {}));
  const delta = makeGrid(page.facts.classes, { label: "Change of the most changed action, in points" });
  const deltaTitle = h("h2", {});
  const changes = h("div", { id: "changes" });
  const files = h("p", {}), shell = h("code", { class: "command", id: "answer-command" });
  const panels = COLUMNS.map((title, k) => h("section", { class: "panel" }, h("h2", {}, title), grids[k].root, keys[k]));
  grids.forEach((grid, k) => { grid.root.id = `grid-${k}`; });

  /** Which corners are mixed at a risk, and by what weight. */
  function mixAt(risk) {
    const next = corners.findIndex((one) => one.exploitability > risk);
    if (next === 0) return { lower: 0, weight: 0, ...corners[0] };
    if (next < 0) return { lower: corners.length - 1, weight: 0, ...corners.at(-1) };
    const [one, other] = [corners[next - 1], corners[next]];
    const weight = (risk - one.exploitability) / (other.exploitability - one.exploitability);
    const mixed = (field) => (1 - weight) * one[field] + weight * other[field];
    return { lower: next - 1, weight, gain: mixed("gain"), exploitability: mixed("exploitability") };
  }
  /** The masses and shares of a node in a mixture of corners: those of plans, and so of masses, are mixed linearly. */
  function playAt(mix) {
    const one = node.corners[Math.min(mix.lower, node.corners.length - 1)];
    const other = node.corners[mix.lower + 1];
    if (!mix.weight || !other) return one;
    const blend = (x, y) => (1 - mix.weight) * x + mix.weight * y;
    return {
      masses: one.masses.map((row, cell) => row.map((mass, k) => blend(mass, other.masses[cell][k]))),
      share: one.share.map((share, cell) => blend(share, other.share[cell])),
    };
  }
  const far = debounced(async (risk) => {
    page.mark("answer", name, { risk: risk.toPrecision(6), path: state.path });
    show(shell, commandOf(answer, risk));
    show(files, ["answer.spot", "answer.csv"].flatMap((file) => [h("a", { href: `api/answers/${name}/${file}?${new URLSearchParams({ risk, path: state.path })}` }, file), " "]), rangeLinks(`answers/${name}`, { risk, path: state.path }), ...["equilibrium", "safe", "full exploit"].flatMap((title, k) => [pictureLink(() => grids[k].root, `${title}.svg`), " "]), pictureLink(() => curve.root, "curve.svg"));
    try { drawChanges(await get(`answers/${name}/changes`, { risk })); } catch (reason) { page.fail(reason); }
  }, 300);

  function setRisk(risk) {
    state.risk = Math.max(0, Math.min(most, risk));
    const mix = mixAt(state.risk);
    slider.value = 1000 * Math.sqrt(most > 0 ? state.risk / most : 0);
    curve.mark(mix);
    show(worthOf, h("span", {}, `wins at least ${worth(mix.gain, answer.pot, answer.big_blind)}`), " ", h("span", {}, `loses at most ${worth(mix.exploitability, answer.pot, answer.big_blind)}`));
    show(how, mix.weight ? ["A mixture of two ", term("corners", "corner"), ` of the curve, ${percent(mix.weight, 0)} of the riskier one, chosen before the hand: the loss is an upper bound.`] : ["A ", term("corner"), ": both numbers are exact to the accuracy of the solve."], ` Gain counts from the value of the spot, ${answer.value_gap == null ? "whose error this older answer does not tell" : `known to ${worth(answer.value_gap, answer.pot, answer.big_blind)}`}.`);
    drawGrids(mix);
    far(state.risk);
  }
  function drawGrids(mix) {
    if (!node || node.player === null) return;
    const plays = node.player === answer.opponent ? [node.equilibrium, node.corners[0], node.corners[0]] : [node.equilibrium, playAt(mix), node.corners.at(-1)];
    plays.forEach((play, k) => {
      if (k !== 1 && drawn === node) return;  // the slider moves the safe answer alone
      const rows = play.masses.map(normal), totals = sums(play.masses);
      grids[k].draw(strategyCells(play.share, rows, node.actions));
      const whole = totals.reduce((x, y) => x + y, 0);
      show(keys[k], legend(node.actions.map((action, a) => ({ ...action, share: whole > 0 ? totals[a] / whole : null }))));
    });
    drawn = node;
    drawDelta(plays[0], plays[1]);
  }
  function drawDelta(before, after) {
    const [x, y] = [before, after].map((play) => normal(sums(play.masses)));
    const moved = node.actions.map((_, a) => Math.abs((y[a] ?? 0) - (x[a] ?? 0)));
    const action = moved.indexOf(Math.max(...moved));
    const share = before.share.map((one, cell) => Math.max(one, after.share[cell]));
    show(deltaTitle, word(`Change of ${node.actions[action].name}`, "Safe less equilibrium, in points of per cent: of the action whose share changes most here."));
    delta.draw(differenceCells(share, before.masses.map((row, cell) => {
      const [one, other] = [normal(row)[action], normal(after.masses[cell])[action]];
      return one === null || other === null ? null : other - one;
    })));
  }
  function drawChanges(found) {
    show(changes, found.length ? h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "where"), h("th", {}, word("chips", "What this change wins from the leak, a hand; all changes add up to the whole gain.")), h("th", {}, word("deals", "Share of all deals that reach this and are now played otherwise.")), h("th", {}, "equilibrium → answer"))),
      h("tbody", {}, found.map((one) => h("tr", {}, h("td", {}, h("a", { href: "#", onclick: (event) => { event.preventDefault(); go(one.path); } }, one.path || "root")), h("td", {}, chips(one.chips)), h("td", {}, percent(one.size)),
        h("td", {}, one.actions.map((action, k) => `${action} ${percent(one.before[k], 0)} → ${percent(one.after[k], 0)}`).join(", ")))))) : h("p", {}, "No change: this is the equilibrium."));
  }
  async function go(path) {
    asked.abort();
    asked = new AbortController();
    try {
      node = await get(`answers/${name}/node`, { path }, asked.signal);
      state.path = path;
      keepFocus(() => show(strip, makeStrip({ actions: [], ...node }, go)));
      setRisk(state.risk);
    } catch (reason) {
      if (reason.name !== "AbortError") page.fail(reason);
    }
  }
  curve.draw(corners);
  show(view, h("section", { class: "panel risk" }, h("div", {}, h("h2", {}, word("How much may a perfect opponent win back?", "What the best response to your strategy wins, beyond the value of the spot.")), slider, worthOf, how), curve.root),
    strip, h("div", { class: "columns grids" }, panels, h("section", { class: "panel" }, deltaTitle, delta.root)),
    h("div", { class: "columns two" }, h("section", { class: "panel" }, h("h2", {}, "What to change"), changes),
    h("section", { class: "panel" }, answer.villain ? villainPart(answer.villain) : h("h2", {}, `The leak of ${["oop", "ip"][answer.opponent]}`),
      leakList(answer.locked),
      answer.notes.map((note) => h("p", {}, note)), h("h3", {}, "Take it along"), files, h("h3", {}, "The same from a shell"), shell)));
  await go(state.path);
  const deaf = listen(() => node, go);
  return () => { deaf(); asked.abort(); };
}

/** A row of masses as frequencies; null where there is no mass. */
function normal(row) {
  const total = row.reduce((x, y) => x + y, 0);
  return row.map((mass) => (total > 0 ? mass / total : null));
}

function sums(masses) {
  return masses[0].map((_, k) => masses.reduce((total, row) => total + row[k], 0));
}

/** The locked nodes; of many all but the first few are folded away. */
function leakList(locked) {
  const list = (nodes) => h("ul", {}, nodes.map((one) => h("li", {}, `${one.path || "root"}: ${one.actions.map((action, k) => `${action} ${percent(one.before[k], 0)} → ${percent(one.after[k], 0)}`).join(", ")}`)));
  return locked.length <= FEW ? list(locked) : h("div", {}, list(locked.slice(0, FEW)), h("details", {}, h("summary", {}, `${locked.length - FEW} more nodes`), list(locked.slice(FEW))));
}

/** The command that finds an answer of the same risk by itself: its gain is the same, up to the accuracy of both. */
function commandOf(answer, risk) {
  const most = `--max-exploitability ${Number(((100 * risk) / answer.pot).toPrecision(4))}%`, spot = `counterplay spot --file ${quoted(answer.file)}`;
  if (answer.villain) return `${spot} ${answer.villain.options} ${most}`;
  return `printf '%s\\n' ${answer.leaks.trim().split("\n").map(quoted).join(" ")} > leaks.txt\n${spot} --lock leaks.txt ${most}`;
}

/** A player of hands: what was counted, beside the equilibrium and what is played of it here. */
function villainPart(villain) {
  const { player, seat, decisions, hands, left_out: left } = villain.hands;
  const rows = villain.frequencies;
  return h("div", { id: "villain" }, h("h2", {}, `${player} as ${seat}`), h("p", {}, `${decisions} decisions in ${hands} hands`, Object.keys(left).length ? `; not counted: ${Object.entries(left).map(([why, count]) => `${count} ${why}`).join(", ")}` : ""),
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["", word("k / n", "How often it was done, of how many chances."), word("95 %", "The interval that holds the true share in 95 of 100 cases (Wilson)."), "equilibrium", word("locked at", "The near end of the interval; empty where the equilibrium lies inside, so that nothing is claimed.")].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, h("td", {}, row.name), h("td", {}, row.n === undefined ? "" : `${row.k} / ${row.n}`), h("td", {}, `${Math.round(100 * row.low)} to ${Math.round(100 * row.high)}`),
        h("td", {}, row.known === null ? "not there" : percent(row.known)), h("td", {}, row.target === null ? "" : percent(row.achieved))))))));
}
