// The page: one view at a time, each with an address that opens it again.
import { finished, get } from "./api.js";
import { duration, h, keepFocus, show } from "./dom.js";
import { showAnswer } from "./answer.js";
import { showBuild } from "./build.js";
import { showExplore } from "./explore.js";
import { showPlay } from "./play.js";
import { showResearch } from "./research.js";
import { showSpots } from "./spots.js";
import { showVillain } from "./villain.js";

const VIEWS = {
  build: ["Build", showBuild, "b"],
  explore: ["Explore", showExplore, "e", "spot"],
  villain: ["Villain", showVillain, "v", "spot"],
  answer: ["Answer", showAnswer, "a", "answer"],
  research: ["Games", showResearch, "g"],
  play: ["Play", showPlay, "p"],
  spots: ["Spots", showSpots, "s"],
};
const WORK = { solve: "Solving", answer: "Answering", frontier: "Responding", curve: "Solving", gadget: "Solving", reproduce: "Reproducing" };
const view = document.getElementById("view");
const error = document.getElementById("error");
const jobs = document.getElementById("jobs");
const known = { spot: null, answer: null };
let leave = null;

/** What views get: facts of the page, and ways to other views. */
const page = {
  facts: null,
  go(name, target = "", query = {}) {
    const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value !== null)).toString();
    location.hash = `#/${name}${target ? `/${target}` : ""}${words ? `?${words}` : ""}`;
  },
  /** Change the address of this view without opening it anew. */
  mark(name, target, query) {
    const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value !== null)).toString();
    history.replaceState(null, "", `#/${name}${target ? `/${target}` : ""}${words ? `?${words}` : ""}`);
  },
  fail(reason) {
    error.textContent = reason.message ?? String(reason);
    error.hidden = false;
  },
  clear() { error.hidden = true; },
  know(kind, name) { known[kind] = name; drawNav(); },
  known: (kind) => known[kind],
  async wait(job, told = () => null) { return finished(job, (now) => { drawJob(now); told(now); }); },
};

const rows = new Map();

/** A line of a job of this tab, or of one that was running when the page was opened; several may be there at once. */
function drawJob(job) {
  if (!["waiting", "running"].includes(job.state)) {
    rows.get(job.job)?.remove();
    rows.delete(job.job);
    return;
  }
  if (!rows.has(job.job)) {
    rows.set(job.job, h("div", { class: "job" }));
    jobs.append(rows.get(job.job));
  }
  const far = job.state === "waiting" ? "waits for the work before it" : job.pieces !== undefined ? `${job.done} of ${job.pieces} numbers, now ${job.piece}` : job.piece ? job.piece : job.points ? `${job.points.length} points` : job.exploitability !== undefined ? `${job.iterations} iterations, exploitability ${job.exploitability.toPrecision(3)} chips` : "starting";
  const left = job.left === null ? "" : `, about ${duration(job.left)} left`;
  const corners = job.corners ? `${job.corners} corners, ` : "";
  const stop = h("button", { type: "button", class: "stop", id: `stop-${job.job}`, onclick: () => fetch(`api/jobs/${job.job}/stop`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }) }, "Stop");
  keepFocus(() => show(rows.get(job.job), h("span", {}, `${WORK[job.what]}: ${corners}${far}, ${duration(job.seconds)}${left}`),
    h("progress", job.share === null ? {} : { value: job.share, max: 1 }), stop));
}

/** Show the work that goes on from before, such as from a tab that was closed, and where its result is. */
async function resume() {
  for (const job of await get("jobs")) {
    if (!["waiting", "running"].includes(job.state)) continue;
    page.wait(job).then((ended) => {
      const there = { solve: `#/explore/${job.target}`, answer: `#/answer/${job.target}` }[job.what];
      if (there && ended.state === "done") jobs.append(h("div", { class: "job" }, h("a", { href: there, onclick: (event) => event.currentTarget.parentElement.remove() }, `${WORK[job.what]} has ended: open it`)));
    }, page.fail);
  }
}

function drawNav() {
  const now = location.hash.slice(2).split(/[/?]/)[0] || "build";
  show(document.getElementById("nav"), Object.entries(VIEWS).map(([name, [title, , key, needs]]) => {
    const target = needs ? known[needs] : "";
    return h("a", {
      href: target === null ? null : `#/${name}${target ? `/${target}` : ""}`, "aria-disabled": target === null ? "true" : null,
      "aria-current": name === now ? "page" : null, "aria-keyshortcuts": key,
    }, title);
  }));
}

async function open() {
  const [place, words = ""] = location.hash.slice(2).split("?");
  const [name, target = ""] = place.split("/");
  const entry = VIEWS[name] ?? VIEWS.build;
  page.clear();
  leave?.();
  leave = null;
  if (entry[3] && target) known[entry[3]] = target;
  drawNav();
  try {
    leave = (await entry[1](view, page, target, Object.fromEntries(new URLSearchParams(words)))) ?? null;
  } catch (reason) {
    page.fail(reason);
  }
}

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const name = Object.keys(VIEWS).find((one) => VIEWS[one][2] === event.key);
  if (name) {
    const needs = VIEWS[name][3];
    if (!needs || known[needs]) page.go(name, needs ? known[needs] : "");
  } else if (event.key === "?") document.getElementById("keys").showModal();
});
document.getElementById("help").addEventListener("click", () => document.getElementById("keys").showModal());
window.addEventListener("hashchange", open);

try {
  page.facts = await get("page");
  document.getElementById("about").textContent = page.facts.version;
  known.spot = page.facts.opened;
  if (!location.hash && known.spot) page.mark("explore", known.spot, {});
  await open();
  await resume();
} catch (reason) {
  page.fail(reason);
}
document.body.dataset.ready = "true";
