// A replay: the hands behind a number, stepped through action by action.
import { cards, h, show } from "./dom.js";

const SEATS = ["big blind", "button"];
const VERDICTS = new Map([[true, "yes"], [false, "no"], [null, ""]]);

/** The player of `behind` = { what, k, n, decisions }; keys: left and right a step, up and down a hand. */
export function replay(behind, command) {
  const title = `${behind.what.join(", ")}: ${behind.decisions.some((one) => one.hit !== null) ? `${behind.k} of ${behind.n}` : `${behind.n} decisions`}`;
  if (!behind.decisions.length) return h("p", {}, `${title}. There are no such hands.`);
  let hand = 0, step = behind.decisions[0].step;
  const felt = h("div", { class: "felt", id: "felt" }), line = h("p", { id: "line", class: "line" });
  const which = h("select", { id: "hand", "aria-label": "Hand", onchange: () => to(Number(which.value)) }, behind.decisions.map((one, k) => h("option", { value: k }, `${k + 1} of ${behind.decisions.length}${one.hit === null ? "" : `: ${VERDICTS.get(one.hit)}`}, line ${one.line}`)));
  const button = (text, about, action) => h("button", { type: "button", title: about, "aria-label": about, onclick: action }, text);
  const root = h("section", { id: "replay", tabindex: 0, "aria-label": `Replay: ${title}` }, h("h3", {}, title), h("div", { class: "chips" }, button("« hand", "hand before (arrow up)", () => to(hand - 1)), which,
    button("hand »", "next hand (arrow down)", () => to(hand + 1)), button("‹ step", "a step back (arrow left)", () => at(step - 1)), button("step ›", "a step on (arrow right)", () => at(step + 1))),
  felt, line, behind.n > behind.decisions.length ? h("p", { class: "faint" }, `The first ${behind.decisions.length} of ${behind.n}.`) : null, h("code", { class: "command" }, command));
  root.addEventListener("keydown", (event) => {
    if (event.target.matches("select")) return;
    const move = { ArrowLeft: () => at(step - 1), ArrowRight: () => at(step + 1), ArrowUp: () => to(hand - 1), ArrowDown: () => to(hand + 1) }[event.key];
    if (move) { move(); event.preventDefault(); }
  });

  function to(number) {
    hand = Math.max(0, Math.min(behind.decisions.length - 1, number));
    at(behind.decisions[hand].step);
  }
  function at(number) {
    const one = behind.decisions[hand];
    step = Math.max(0, Math.min(one.steps.length, number));
    which.value = hand;
    const now = step < one.steps.length ? one.steps[step] : one.end;
    show(felt, h("div", { class: "middle" }, h("span", { class: "big" }, now.board ? cards(now.board) : "before the flop"), ` pot ${amount(now.pot, one)}`),
      [0, 1].map((seat) => h("div", { class: `seat${seat === now.seat ? " acts" : ""}` }, h("b", {}, one.players[seat]), ` ${SEATS[seat]}${seat === one.seat ? ", whose card this is" : ""} `,
        one.holes[seat] ? cards(one.holes[seat]) : "hidden cards", `, has put in ${amount(now.put[seat], one)}, ${amount(one.stacks[seat] - now.put[seat], one)} behind`, seat === now.seat ? h("b", {}, ` → ${now.action}`) : "")),
      step === one.steps.length ? h("p", {}, one.won === null ? "The result is not known." : one.won === 0 ? "They share the pot." : `${one.players[one.won > 0 ? 0 : 1]} wins ${amount(Math.abs(one.won), one)}.`) : null);
    show(line, one.steps.flatMap((told, k) => [told.seat === null ? h("br") : null, h("button", { type: "button", class: `link${k === step ? " now" : ""}${k === one.step ? " counts" : ""}`, title: k === one.step ? "this is what counts" : null, onclick: () => at(k) },
      told.seat === null ? `${told.action} ${told.board}:` : `${one.players[told.seat]} ${told.action}`), told.seat === null ? " " : "; "]),
    h("button", { type: "button", class: `link${step === one.steps.length ? " now" : ""}${one.step === one.steps.length ? " counts" : ""}`, onclick: () => at(one.steps.length) }, "end"));
  }
  to(0);
  return root;
}

/** Chips and big blinds. */
function amount(number, hand) {
  return `${hand.currency}${Number(number.toPrecision(8))} (${Number((number / hand.big_blind).toFixed(2))} bb)`;
}
