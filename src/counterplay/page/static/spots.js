// The solved spots of this page.
import { get } from "./api.js";
import { cards, h, show } from "./dom.js";

export async function showSpots(view) {
  const spots = await get("spots");
  const rows = await Promise.all(spots.slice(0, 50).map(async (one) => ({ ...one, ...(await get(`spots/${one.name}`)) })));
  show(view, h("section", { class: "panel" }, h("h2", {}, "Solved spots"),
    rows.length ? null : h("p", {}, "None yet: build one."),
    h("table", {}, h("tbody", {}, rows.map((one) => h("tr", {},
      h("td", {}, h("a", { href: `#/explore/${one.name}` }, cards(one.board))),
      h("td", {}, one.street), h("td", {}, `pot ${one.pot}`), h("td", {}, one.spot.bets ?? "50%, 100%, a"),
      h("td", {}, `exploitability ${one.exploitability_percent.toPrecision(3)} % of the pot`)))))));
}
