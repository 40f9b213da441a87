// The widget of a frontier in a notebook.
import { h, show } from "./dom.js";
import { frontierChart } from "./frontier.js";

function render({ model, el }) {
  const draw = () => show(el, h("div", { class: "counterplay" }, frontierChart(model.get("points")), h("p", {}, model.get("origin"))));
  model.on("change:points", draw);
  draw();
}
export default { render };
