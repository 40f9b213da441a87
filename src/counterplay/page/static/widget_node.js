// The widget of a node in a notebook.
import { h, show } from "./dom.js";
import { makeGrid, numberCells, strategyCells } from "./grid.js";
import { legend } from "./strip.js";

const VIEWS = ["strategy", "ev", "equity"];

function render({ model, el }) {
  const classes = model.get("classes");
  function draw() {
    const node = model.get("node"), seat = node.player ?? 0, player = node.players[seat];
    const grid = makeGrid(classes, { label: node.path || "root" });
    const view = h("select", { "aria-label": "What is shown" }, VIEWS.filter((one) => one !== "strategy" || node.player !== null).map((value) => h("option", { value }, value)));
    const paint = () => grid.draw(view.value === "strategy" ? strategyCells(player.share, node.strategy, node.actions)
      : numberCells(player.share, player[view.value], (x) => x.toPrecision(3)));
    view.addEventListener("change", paint);
    grid.root.style.maxWidth = "34rem";
    show(el, h("div", { class: "counterplay" }, h("p", {}, `${node.path || "root"}: ${node.board}, pot ${node.pot}; ${["oop", "ip"][seat]} `, view), grid.root,
      node.player === null ? null : legend(node.actions)));
    paint();
  }
  model.on("change:node", draw);
  draw();
}
export default { render };
