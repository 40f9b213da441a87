// The curve of gain against what a perfect opponent wins back.
import { chips, s } from "./dom.js";

const WIDTH = 560, HEIGHT = 200, LEFT = 64, BOTTOM = 36, TOP = 12, RIGHT = 24;

/** A curve through corners of {exploitability, gain}; `draw(corners)`, `mark(point)`, `picked(risk)` on a click. */
export function makeCurve(picked) {
  const root = s("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Gain against risk" });
  const here = s("circle", { class: "here", r: 6 });
  let span = { risk: 1, gain: 1 };
  const x = (risk) => LEFT + ((WIDTH - LEFT - RIGHT) * risk) / span.risk;
  const y = (gain) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * gain) / span.gain;

  root.addEventListener("click", (event) => {
    const box = root.getBoundingClientRect();
    const place = (WIDTH * (event.clientX - box.left)) / box.width;
    picked(Math.max(0, Math.min(span.risk, (span.risk * (place - LEFT)) / (WIDTH - LEFT - RIGHT))));
  });
  return {
    root,
    draw(corners) {
      span = {
        risk: Math.max(1e-9, ...corners.map((one) => one.exploitability)),
        gain: Math.max(1e-9, ...corners.map((one) => one.gain)),
      };
      const points = corners.map((one) => `${x(one.exploitability)},${y(one.gain)}`).join(" ");
      const ticks = [0, 0.5, 1].flatMap((share) => [
        s("text", { x: x(share * span.risk), y: HEIGHT - BOTTOM + 14, "text-anchor": "middle" }, chips(share * span.risk)),
        s("text", { x: LEFT - 4, y: y(share * span.gain) + 4, "text-anchor": "end" }, chips(share * span.gain)),
      ]);
      root.replaceChildren(
        s("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: y(0), y2: y(0) }),
        s("line", { class: "axis", x1: LEFT, x2: LEFT, y1: TOP, y2: y(0) }), ...ticks,
        s("text", { x: WIDTH / 2, y: HEIGHT - 4, "text-anchor": "middle" }, "loses at most (chips a hand)"),
        s("text", { x: 12, y: HEIGHT / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${HEIGHT / 2})` },
          "wins at least (chips)"),
        s("polyline", { class: "line", points }),
        ...corners.map((one) => s("circle", { class: "corner", r: 4, cx: x(one.exploitability), cy: y(one.gain) },
          s("title", {}, `p ${one.p.toFixed(3)}: wins ${chips(one.gain)}, loses at most ${chips(one.exploitability)}`))),
        here);
    },
    mark({ exploitability, gain }) {
      here.setAttribute("cx", x(exploitability));
      here.setAttribute("cy", y(gain));
    },
  };
}
