// The way to a node: a step for each decision and card, and the choices at the node.
import { cards, h, percent } from "./dom.js";

const NAMES = ["oop", "ip"];

/** The strip; `go(path)` opens another node. */
export function makeStrip(node, go) {
  const steps = node.strip.map((step, k) => h("div", { class: "step" },
    h("b", {}, step.player === null ? "card" : NAMES[step.player]),
    step.player === null
      ? link(step.path, cards(step.taken), true, go, `way-${k}`)
      : step.actions.map((action, a) => link(action.path, `${action.name} ${percent(action.share, 0)}`, action.name === step.taken, go, `way-${k}-${a}`))));
  const now = node.player === null ? [] : [h("div", { class: "step now" }, h("b", {}, `${NAMES[node.player]} to act`),
    node.actions.map((action, index) => link(action.path, `${index + 1} ${action.name} ${percent(action.share, 0)}`, false, go, `act-${index}`)))];
  return h("nav", { class: "strip", "aria-label": "The way to this node" },
    h("div", { class: "step" }, h("b", {}, "start"), link("", "root", false, go, "way-root")), steps, now);
}

function link(path, text, taken, go, id) {
  return h("a", { id, href: "#", class: taken ? "taken" : null, onclick: (event) => { event.preventDefault(); go(path); } }, text);
}

/** Keys of a node: a digit takes an action, Backspace goes back; returns how to stop listening. */
export function listen(node, go) {
  const onKey = (event) => {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = node().actions?.[Number(event.key) - 1];
    if (action) go(action.path);
    else if (event.key === "Backspace" && node().strip.length) go(node().strip.at(-1).path);
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

/** The actions with their colours, letters and shares. */
export function legend(actions, more = () => null) {
  return h("table", { class: "legend" }, h("tbody", {}, actions.map((action) => {
    const swatch = h("span", { class: "swatch" }, action.letter);
    swatch.style.background = action.colour;
    swatch.style.color = isDark(action.colour) ? "#fff" : "#000";
    return h("tr", {}, h("td", {}, swatch, action.name), h("td", {}, percent(action.share)), more(action));
  })));
}

function isDark(colour) {
  const [red, green, blue] = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16) / 255);
  return 0.2126 * red ** 2.2 + 0.7152 * green ** 2.2 + 0.0722 * blue ** 2.2 < 0.179;
}
