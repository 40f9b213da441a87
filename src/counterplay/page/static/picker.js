// A choice among named texts in groups, or of another text that is typed.
import { h, show } from "./dom.js";

const OTHER = "another text …";

/**
 * A picker. `fill(groups)` takes {title: [[value, name], …]}; `value` is the text that is chosen, and `changed()` is called where it
 * changes by hand. A text that is in no group is kept as a typed one.
 */
export function makePicker(id, value, changed) {
  const typed = h("input", { type: "text", id: `${id}-text`, "aria-label": "Another text", oninput: () => { chosen = typed.value.trim(); changed(); } });
  const select = h("select", { id, onchange: () => {
    typed.hidden = select.value !== OTHER;
    if (typed.hidden) chosen = select.value;
    else typed.focus();
    changed();
  } });
  let chosen = value, known = new Set();
  const choose = (text) => {
    chosen = text;
    typed.hidden = known.has(text);
    select.value = typed.hidden ? text : OTHER;
    typed.value = text;
  };
  return {
    root: h("div", {}, select, typed),
    get value() { return chosen; },
    set value(text) { choose(text); },
    fill(groups) {
      known = new Set(Object.values(groups).flat().map(([one]) => one));
      show(select, Object.entries(groups).filter(([, entries]) => entries.length).map(([title, entries]) => h("optgroup", { label: title }, entries.map(([one, name]) => h("option", { value: one }, name)))), h("option", { value: OTHER }, OTHER));
      choose(chosen);
    },
    has: (text) => known.has(text),
  };
}

/** The solved spots as a group of a picker. */
export function spotGroup(spots) {
  return spots.map((one) => [one.name, `${one.street} ${one.board}, pot ${one.pot}, bets ${one.bets ?? "as usual"}`]);
}

/** The games of the catalogue as a group of a picker. */
export function gameGroup(games) {
  return games.map((one) => [one.text, `${one.text}: ${one.about}`]);
}
