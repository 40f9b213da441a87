// The gadget of a subgame: the opponent's roots, the branches there with their payoffs, and how the solution uses them.
import { h, percent, s, word } from "./dom.js";

const WIDTH = 720, ROW = 64, TOP = 34, START = 46, ROOT = 210, BRANCH = 420, END = 560;
const DRAWN = 12, LISTED = 40;
/** How a branch is drawn: dashes besides the width of the line, and what is behind it. */
const BRANCHES = { enter: ["enter", "", true], leave: ["leave", "5 4", false], choose: ["", "", true], dealt: ["dealt in", "", true], path: ["on its path", "", true] };

const number = (value) => (value === null ? "never" : Number(value.toPrecision(4)).toString());

/** The drawing and the table of facts from /api/results. */
export function gadgetDrawing(facts) {
  const drawn = largest(facts.roots, DRAWN), roots = largest(facts.roots, LISTED), height = TOP + ROW * drawn.length + 10, middle = TOP + (ROW * drawn.length) / 2;
  const opener = facts.one_choice ? "O: opponent" : "C: reach";
  const rows = drawn.flatMap((root, k) => drawRoot(root, TOP + ROW * (k + 0.5), middle, facts.one_choice));
  const heads = [[START + 22, opener], [ROOT, "root: opponent's hand"], [BRANCH + 20, facts.one_choice ? "pays" : "opponent"], [END + 80, "behind it"]];
  const picture = s("svg", { class: "gadget", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `${facts.gadget} gadget, ${facts.roots.length} roots` },
    heads.map(([x, text]) => s("text", { class: "head", x, y: 16, "text-anchor": "middle" }, text)),
    ...rows, s("circle", { class: facts.one_choice ? "opponent" : "chance", cx: START, cy: middle, r: 14 }), s("text", { x: START, y: middle + 4, "text-anchor": "middle", class: "inside" }, facts.one_choice ? "O" : "C"));
  const kinds = [...new Set(facts.roots.flatMap((root) => root.branches.map((branch) => branch.kind)))];
  return h("div", {}, h("p", {}, `${facts.gadget} gadget of ${facts.game} at ${facts.at}, subgame ${facts.number} of ${facts.subgames}; ${["player 0", "player 1"][facts.resolver]} solves it again.`),
    h("div", { class: "scroll" }, picture), facts.roots.length > drawn.length ? h("p", { class: "faint", id: "left-out" }, `Drawn are the ${drawn.length} roots of ${facts.roots.length} that are reached most; the table has ${roots.length}.`) : null,
    h("ul", {}, h("li", {}, facts.one_choice ? "O: the opponent chooses a root" : "C: chance and the resolver decide which root is reached; O: the opponent decides"), kinds.map((kind) => h("li", {}, `${BRANCHES[kind][0] || "choose"}: ${facts.kinds[kind]}`))),
    h("table", { id: "roots" }, h("thead", {}, h("tr", {}, [h("th", {}, "root"), h("th", {}, word("reach", "Chance's and the resolver's reach, as a share of all roots.")), h("th", {}, word("before", "The opponent's best value here against the blueprint, given that it is reached, in chips.")), h("th", {}, word("after", "The same against the new strategy.")), h("th", {}, word("margin", "What the opponent loses by the new strategy: before less after."))])),
      h("tbody", {}, roots.map((root) => h("tr", {}, h("td", {}, root.name), h("td", {}, percent(root.share)), h("td", {}, number(root.before)), h("td", {}, number(root.after)), h("td", {}, root.before === null ? "–" : number(root.before - root.after)))))));
}

/** Of many roots those that are reached most, in their order. */
function largest(roots, most) {
  if (roots.length <= most) return roots;
  const kept = new Set([...roots].sort((one, other) => other.share - one.share).slice(0, most));
  return roots.filter((one) => kept.has(one));
}

function drawRoot(root, y, middle, oneChoice) {
  const coming = root.branches.find((branch) => branch.kind === "choose")?.odds;
  const width = 1 + 5 * (oneChoice ? coming ?? 0 : root.share), shown = oneChoice ? coming : root.share;
  const parts = [s("line", { x1: START + 14, y1: middle, x2: ROOT - 66, y2: y, "stroke-width": width }), s("text", { x: ROOT - 72, y: y - 5, "text-anchor": "end" }, shown === undefined ? "never" : percent(shown, 0)),
    s("rect", { class: "root", x: ROOT - 66, y: y - 15, width: 132, height: 30, rx: 5 }), s("text", { x: ROOT, y: y + 4, "text-anchor": "middle" }, root.name.length > 20 ? `${root.name.slice(0, 19)}…` : root.name, s("title", {}, root.name))];
  const asks = !oneChoice && root.branches.length > 1;
  if (asks) parts.push(s("line", { x1: ROOT + 66, y1: y, x2: BRANCH - 12, y2: y }), s("circle", { class: "opponent", cx: BRANCH, cy: y, r: 11 }), s("text", { class: "inside", x: BRANCH, y: y + 4, "text-anchor": "middle" }, "O"));
  root.branches.forEach((branch, k) => {
    const [name, dashes, inside] = BRANCHES[branch.kind], at = y + (root.branches.length > 1 ? [-13, 13][k] ?? 0 : 0);
    parts.push(s("line", { x1: asks ? BRANCH + 11 : ROOT + 66, y1: y, x2: END, y2: at, "stroke-width": 1 + 5 * (asks ? branch.odds : 0.2), "stroke-dasharray": dashes || null }));
    const said = [name, asks ? percent(branch.odds, 0) : "", branch.kind === "choose" && branch.pays !== null ? `pays ${number(branch.pays)}` : ""].filter(Boolean).join(" ");
    parts.push(s("text", { x: (asks ? BRANCH : ROOT + 110) + 72, y: at + (k ? 13 : -5), "text-anchor": "middle" }, said));
    if (inside) parts.push(s("path", { class: "subgame", d: `M ${END} ${at} l 26 -11 v 22 Z` }), s("text", { x: END + 34, y: at + 4 }, `subgame: ${number(root.after)}`));
    else parts.push(s("rect", { class: "end", x: END, y: at - 9, width: 12, height: 18 }), s("text", { x: END + 34, y: at + 4 }, `${number(branch.pays)} chips`));
  });
  return parts;
}
