// The 13×13 grid of hand classes: strategy as bars, numbers as shades, or weights to paint.
import { s } from "./dom.js";

const SIZE = 40;

/**
 * A grid. `chosen(cell)` is called where a class is chosen, `painted(cell)` while the pointer is held down over classes.
 * `draw(cells)` takes 169 of {share, parts: [{part, colour, letter}], number, title}.
 */
export function makeGrid(classes, { label, chosen = null, painted = null }) {
  const cells = classes.map((name, index) => makeCell(name, index));
  const root = s("svg", {
    class: "grid", viewBox: `0 0 ${13 * SIZE} ${13 * SIZE}`, role: "grid", "aria-label": label, tabindex: 0,
  }, cells.map((cell) => cell.group));
  let at = 0;
  let held = false;

  function move(to) {
    cells[at].group.classList.remove("at");
    at = Math.max(0, Math.min(168, to));
    cells[at].group.classList.add("at");
    root.setAttribute("aria-activedescendant", `${root.id}-${at}`);
    root.setAttribute("aria-label", `${label}: ${cells[at].title.textContent || classes[at]}`);
  }
  const under = (event) => {
    const box = root.getBoundingClientRect();
    const column = Math.floor((13 * (event.clientX - box.left)) / box.width);
    const row = Math.floor((13 * (event.clientY - box.top)) / box.height);
    return row >= 0 && row < 13 && column >= 0 && column < 13 ? 13 * row + column : null;
  };
  root.addEventListener("pointerdown", (event) => {
    const cell = under(event);
    if (cell === null) return;
    held = true;
    move(cell);
    painted?.(cell, true);
    chosen?.(cell);
  });
  root.addEventListener("pointermove", (event) => {
    const cell = held ? under(event) : null;
    if (cell !== null && cell !== at) { move(cell); painted?.(cell, false); }
  });
  for (const end of ["pointerup", "pointerleave"]) root.addEventListener(end, () => { held = false; });
  root.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13 }[event.key];
    if (step) move(at + step);
    else if (event.key === "Enter" || event.key === " ") { painted?.(at, true); chosen?.(at); } else return;
    event.preventDefault();
  });
  return { root, draw: (drawn) => drawn.forEach((one, index) => drawCell(cells[index], one)), move };
}

function makeCell(name, index) {
  const x = SIZE * (index % 13), y = SIZE * Math.floor(index / 13);
  const parts = s("g");
  const mark = s("text", { class: "mark halo", x: x + SIZE - 3, y: y + SIZE - 4 });
  const number = s("text", { class: "number halo", x: x + SIZE / 2, y: y + SIZE - 5 });
  const title = s("title");
  const group = s("g", { class: "cell", role: "gridcell" },
    s("rect", { class: "empty", x, y, width: SIZE, height: SIZE }), parts,
    s("text", { class: "halo", x: x + 3, y: y + 13 }, name), mark, number,
    s("rect", { class: "frame", x: x + 0.5, y: y + 0.5, width: SIZE - 1, height: SIZE - 1 }), title);
  return { group, parts, mark, number, title, x, y, name, bars: [] };
}

function drawCell(cell, { share = 0, parts = [], number = "", title = "" }) {
  const height = SIZE * Math.min(1, share);
  while (cell.bars.length < parts.length) {
    const bar = s("rect");
    cell.bars.push(bar);
    cell.parts.append(bar);
  }
  let x = cell.x;
  let most = null;
  cell.bars.forEach((bar, index) => {
    const one = share > 0.001 ? parts[index] : undefined;
    const width = one ? SIZE * one.part : 0;
    bar.setAttribute("x", x);
    bar.setAttribute("y", cell.y + SIZE - height);
    bar.setAttribute("width", width);
    bar.setAttribute("height", one ? height : 0);
    if (one) {
      bar.setAttribute("fill", one.colour);
      if (most === null || one.part > most.part) most = one;
    }
    x += width;
  });
  cell.mark.textContent = most?.letter ?? "";
  cell.number.textContent = number;
  cell.title.textContent = `${cell.name}${title ? `: ${title}` : ""}`;
}

/** Cells of a strategy: the rows are frequencies of actions, the share is how much of the class is there. */
export function strategyCells(share, rows, actions) {
  return share.map((part, cell) => {
    const row = rows[cell];
    if (!(part > 0.001) || row.some((one) => one === null)) return { share: 0 };
    const parts = actions.map((action, index) => ({ part: row[index], colour: action.colour, letter: action.letter }));
    const title = actions.map((action, index) => `${action.name} ${Math.round(100 * row[index])} %`).join(", ");
    return { share: part, parts, title };
  });
}

/** Cells of numbers, shaded from the least to the largest. */
export function numberCells(share, numbers, text) {
  const known = numbers.filter((number, cell) => number !== null && share[cell] > 0.001);
  const least = Math.min(...known), most = Math.max(...known);
  return numbers.map((number, cell) => {
    if (number === null || !(share[cell] > 0.001)) return { share: 0 };
    const place = most > least ? (number - least) / (most - least) : 0.5;
    return { share: 1, parts: [{ part: 1, colour: shade(place) }], number: text(number), title: text(number) };
  });
}

/** Cells of a difference: more is orange with a plus, less is blue with a minus; the largest fills its cell. */
export function differenceCells(share, deltas) {
  const most = Math.max(...deltas.map((delta, cell) => (share[cell] > 0.001 ? Math.abs(delta ?? 0) : 0)));
  return deltas.map((delta, cell) => {
    if (delta === null || !(share[cell] > 0.001)) return { share: 0 };
    const points = Math.round(100 * delta);
    const colour = points > 0 ? "#d55e00" : "#0072b2";
    const parts = points === 0 ? [] : [{ part: Math.abs(delta) / most, colour }];
    return { share: 1, parts, number: points > 0 ? `+${points}` : `${points}`, title: `${points} points` };
  });
}

// From purple over green to yellow, darker to lighter, so that lightness alone orders the numbers.
const SHADES = [[68, 57, 131], [49, 104, 142], [53, 153, 138], [109, 195, 95], [240, 228, 66]];

/** The colour of a place from 0 to 1. */
export function shade(place) {
  const way = place * (SHADES.length - 1), first = Math.min(SHADES.length - 2, Math.floor(way)), rest = way - first;
  const mixed = SHADES[first].map((one, k) => Math.round((1 - rest) * one + rest * SHADES[first + 1][k]));
  return `rgb(${mixed.join(",")})`;
}
