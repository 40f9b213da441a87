// Elements, numbers and words.

/** An element: attributes, listeners under `on…`, and children. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same in SVG. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || (value === false && !name.startsWith("aria-"))) continue;
    if (name.startsWith("aria-")) element.setAttribute(name, String(value));
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Put children in place of those that are there. */
export function show(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A share as per cent. */
export function percent(share, digits = 1) {
  return share === null || share === undefined ? "–" : `${(100 * share).toFixed(digits)} %`;
}

/** Chips, with three significant decimals at most. */
export function chips(number) {
  if (number === null || number === undefined) return "–";
  return fixed(number, Math.abs(number) >= 100 ? 1 : Math.abs(number) >= 10 ? 2 : 3);
}

/** A number with so many decimals; what is rounded to 0 has no sign. */
export function fixed(number, decimals) {
  const text = number.toFixed(decimals);
  return /[1-9]/.test(text) ? text : text.replace("-", "");
}

/** Chips in the units of players: of the pot, and big blinds where they are known. */
export function worth(number, pot, blind) {
  const bb = blind ? `, ${(number / blind).toFixed(2)} bb` : "";
  return `${chips(number)} chips, ${((100 * number) / pot).toFixed(2)} % of the pot${bb}`;
}

/** Seconds as a person says them. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  return seconds < 90 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${(seconds / 60).toFixed(1)} min`;
}

/** A word with its explanation. */
export function word(text, meaning) {
  return h("abbr", { title: meaning, tabindex: 0 }, text);
}

const MEANINGS = {
  EV: "Expected value: what a player wins on average, chips of the pot included.", equity: "The share of the pot that a player would win on average if all hands were shown down now.",
  combos: "Hands of two cards, each counted by its weight.", exploitability: "What a perfect opponent would win on average beyond the value of the spot; 0 for an equilibrium.",
  oop: "Out of position: acts first on every street after the flop.", ip: "In position: acts last.", equilibrium: "Strategies from which neither player gains by changing alone.",
  corner: "A point of the curve that one strategy reaches by itself, as the answer to an opponent who has the leaks with some probability and plays perfectly otherwise.",
  AIVAT: "A way to take luck out of results that knows both strategies: in the mean it changes nothing.",
  nodes: "Places in the tree of bets and cards.", sequences: "Actions of both players, with each hand: what a solve has to store.",
};

/** A word of the field with its explanation. */
export function term(text, name = text) {
  return word(text, MEANINGS[name]);
}

const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };

/** Cards such as "Qs Jh" with suits that colour and sign tell apart. */
export function cards(text) {
  return text.split(" ").filter(Boolean).map((card) => h("span", { class: card[1] }, ` ${card[0]}${SUITS[card[1]]}`));
}

/** A text whose cards, such as "QsJh", have suits that colour and sign tell apart. */
export function inked(text) {
  return text.split(/((?:\b|(?<=[shdc]))[2-9TJQKA][shdc](?=[^a-z]|[2-9TJQKA][shdc]|$))/).map((part, k) => (k % 2 ? h("span", { class: part[1] }, `${part[0]}${SUITS[part[1]]}`) : part));
}

/** Draw anew, and leave the focus on the element of the same id, so that keys go on where they were. */
export function keepFocus(draw) {
  const id = document.activeElement?.id;
  draw();
  if (id) document.getElementById(id)?.focus({ preventScroll: true });
}

/** Call after the last of many calls. */
export function debounced(action, wait = 150) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), wait);
  };
}

/** Links to the ranges of a node's actions, as programs write them. */
export function rangeLinks(path, query) {
  return ["plain", "percent", "gto+", "pio"].flatMap((notation) => [h("a", { href: `api/${path}/ranges.txt?${new URLSearchParams({ ...query, notation })}` }, `ranges (${notation})`), " "]);
}

/** A link that takes a drawing along as a picture (.svg), with the colours that it has on the page. */
export function pictureLink(drawing, name) {
  return h("a", { href: "#", download: name, onclick: (event) => {
    const svg = drawing();
    const copy = svg.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const [from, to] = [svg, copy].map((root) => [root, ...root.querySelectorAll("*")]);
    from.forEach((element, k) => {
      const style = getComputedStyle(element);
      for (const property of ["fill", "stroke", "stroke-width", "font-size", "font-family", "paint-order"]) to[k].setAttribute(property, style.getPropertyValue(property));
    });
    event.currentTarget.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
  } }, name);
}
