// A frontier as a chart: a series for each method.
import { chart } from "./chart.js";

/** The chart of points {method, dial, gain, exploitability}. */
export function frontierChart(points) {
  return chart([...new Set(points.map((one) => one.method))].map((name) => ({
    name, line: true,
    points: points.filter((one) => one.method === name).map((one) => ({ x: one.exploitability, y: one.gain, text: `${one.dial === null ? "" : `dial ${one.dial.toPrecision(3)}, `}gain ${one.gain.toPrecision(4)}, exploitability ${one.exploitability.toPrecision(4)} chips` })),
  })), { x: "exploitability (chips a hand)", y: "gain (chips a hand)" });
}
