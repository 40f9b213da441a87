// Charts: points and lines with axes, one colour and mark a series, and what is under the pointer.
import { h, s, show } from "./dom.js";

const WIDTH = 560, HEIGHT = 340, LEFT = 64, BOTTOM = 40, TOP = 12, RIGHT = 16;
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
const MARKS = ["●", "■", "▲", "◆", "✚", "✖"];

/**
 * A chart of series {name, points: [{x, y, text}], line}. Logarithmic axes leave out what is not above 0.
 */
export function chart(series, { x, y, logX = false, logY = false }) {
  const kept = series.map((one) => ({ ...one, points: one.points.filter((p) => (!logX || p.x > 0) && (!logY || p.y > 0)) }));
  const all = kept.flatMap((one) => one.points);
  const told = h("p", { class: "faint", "aria-live": "polite" }, "Point at a mark, or reach it by Tab.");
  if (!all.length) return h("p", {}, "Nothing to draw yet.");
  const across = scale(all.map((p) => p.x), logX, LEFT, WIDTH - RIGHT), up = scale(all.map((p) => p.y), logY, HEIGHT - BOTTOM, TOP);
  const marks = kept.flatMap((one, k) => [
    one.line ? s("polyline", { fill: "none", stroke: COLOURS[k % 6], "stroke-width": 1.5, points: one.points.map((p) => `${across.at(p.x)},${up.at(p.y)}`).join(" ") }) : "",
    ...(one.line && one.points.length > 60 ? one.points.slice(-1) : one.points).map((p) => s("text", {
      class: "mark", fill: COLOURS[k % 6], x: across.at(p.x), y: up.at(p.y) + 4, "text-anchor": "middle", tabindex: 0, role: "img", "aria-label": `${one.name}: ${p.text}`,
      onpointerenter: () => show(told, `${one.name}: ${p.text}`), onfocus: () => show(told, `${one.name}: ${p.text}`),
    }, MARKS[k % 6])),
  ]);
  const axes = [
    s("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }), s("line", { class: "axis", x1: LEFT, x2: LEFT, y1: TOP, y2: HEIGHT - BOTTOM }),
    ...across.ticks.map((tick) => s("text", { x: across.at(tick), y: HEIGHT - BOTTOM + 14, "text-anchor": "middle" }, short(tick))),
    ...up.ticks.map((tick) => s("text", { x: LEFT - 5, y: up.at(tick) + 4, "text-anchor": "end" }, short(tick))),
    s("text", { x: WIDTH / 2, y: HEIGHT - 5, "text-anchor": "middle" }, x),
    s("text", { x: 12, y: HEIGHT / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${HEIGHT / 2})` }, y),
  ];
  const key = h("p", {}, kept.map((one, k) => {
    const mark = h("span", {}, `${MARKS[k % 6]} `);
    mark.style.color = COLOURS[k % 6];
    return h("span", {}, mark, `${one.name}  `);
  }));
  return h("div", {}, s("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": `${y} against ${x}` }, axes, marks), key, told);
}

function scale(numbers, log, from, to) {
  const way = (number) => (log ? Math.log10(number) : number);
  let least = Math.min(...numbers.map(way)), most = Math.max(...numbers.map(way));
  if (!log) least = Math.min(0, least);
  if (!(most > least)) most = least + 1;
  const at = (number) => from + ((to - from) * (way(number) - least)) / (most - least);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => least + share * (most - least)).map((place) => (log ? 10 ** place : place));
  return { at, ticks };
}

function short(number) {
  return Math.abs(number) >= 1000 ? `${(number / 1000).toPrecision(2)}k` : String(Number(number.toPrecision(2)));
}
