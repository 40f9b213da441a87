// A frontier as a chart: a series for each method.
import { chart } from "./chart.js";

/** The chart of points {method, dial, gain, exploitability}, in whole hold'em {method, dial, edge, risk}. */
export function frontierChart(points) {
  const [won, risked] = points.some((one) => "edge" in one) ? ["edge", "risk"] : ["gain", "exploitability"];
  return chart([...new Set(points.map((one) => one.method))].map((name) => ({
    name, line: true,
    points: points.filter((one) => one.method === name).map((one) => ({ x: one[risked], y: one[won], text: `${one.dial === null ? "" : `dial ${one.dial.toPrecision(3)}, `}${won} ${one[won].toPrecision(4)}, ${risked} ${one[risked].toPrecision(4)} chips` })),
  })), { x: `${risked} (chips a hand)`, y: `${won} (chips a hand)` });
}
