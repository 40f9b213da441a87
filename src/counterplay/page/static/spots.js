// The solved spots of this page.
import { get } from "./api.js";
import { cards, h, show, term } from "./dom.js";
import { quoted } from "./shell.js";

export async function showSpots(view) {
  const spots = await get("spots");
  show(view, h("section", { class: "panel" }, h("h2", {}, "Solved spots"),
    spots.length ? null : h("p", {}, "None yet: build one."),
    h("table", {}, h("thead", {}, h("tr", {}, ["board", "street", "pot", "bet sizes", term("exploitability"), "the same in a shell"].map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, spots.map((one) => h("tr", {},
      h("td", {}, h("a", { href: `#/explore/${one.name}` }, cards(one.board))),
      h("td", {}, one.street), h("td", {}, String(one.pot)), h("td", {}, one.bets),
      h("td", {}, `${one.exploitability_percent.toPrecision(3)} % of the pot`), h("td", {}, h("code", {}, `counterplay walk ${quoted(one.file)}`))))))));
}
