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
/** Where each view was left, of each spot or answer: its link leads there again, with the leaks or the risk that was chosen. */
const places = new Map();
const MISSING = { spot: "Solve a spot first, or open one under Spots.", answer: "Answer the leaks of an opponent first: Villain." };
let leave = null, turn = 0;

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
    const place = `#/${name}${target ? `/${target}` : ""}${words ? `?${words}` : ""}`;
    history.replaceState(null, "", place);
    places.set(`${name}/${target}`, place);
    drawNav();
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
      if (there && ended.state === "done") tell(there, `${WORK[job.what]} has ended`);
    }, page.fail);
  }
}

function drawNav() {
  const now = location.hash.slice(2).split(/[/?]/)[0] || "build";
  keepFocus(() => show(document.getElementById("nav"), Object.entries(VIEWS).map(([name, [title, , key, needs]]) => {
    const target = needs ? known[needs] : "";
    return h("a", {
      id: `nav-${name}`, href: target === null ? null : placeOf(name, target), title: target === null ? MISSING[needs] : null, "aria-disabled": target === null ? "true" : null,
      "aria-current": name === now ? "page" : null, "aria-keyshortcuts": key,
    }, title);
  })));
}

function placeOf(name, target) {
  return places.get(`${name}/${target}`) ?? `#/${name}${target ? `/${target}` : ""}`;
}

async function open() {
  const [place, words = ""] = location.hash.slice(2).split("?");
  const [name, target = ""] = place.split("/");
  const entry = Object.hasOwn(VIEWS, name) ? VIEWS[name] : VIEWS.build;
  const mine = ++turn, here = h("div", {});
  page.clear();
  leave?.();
  leave = null;
  show(view, here);
  if (entry[3] && target) known[entry[3]] = target;
  drawNav();
  try {
    const left = await entry[1](here, ownPage(mine), target, Object.fromEntries(new URLSearchParams(words)));
    if (mine === turn) leave = left ?? null;
    else left?.();
  } catch (reason) {
    if (mine === turn) page.fail(reason);
  }
}

/** The page as a view sees it. One that was left meanwhile changes nothing, and says where the result of its work is. */
function ownPage(mine) {
  const now = (action) => (...given) => { if (mine === turn) action(...given); };
  return {
    ...page, mark: now(page.mark), fail: now(page.fail), clear: now(page.clear),
    go(name, target = "", query = {}) {
      if (mine === turn) page.go(name, target, query);
      else if (target) tell(`#/${name}/${target}`, `${VIEWS[name][0]} is ready`);
    },
  };
}

/** A line with a link to what has ended. */
function tell(place, said) {
  jobs.append(h("div", { class: "job" }, h("a", { href: place, onclick: (event) => event.currentTarget.parentElement.remove() }, `${said}: open it`)));
}

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const name = Object.keys(VIEWS).find((one) => VIEWS[one][2] === event.key);
  if (name) {
    const needs = VIEWS[name][3];
    if (!needs || known[needs]) location.hash = placeOf(name, needs ? known[needs] : "");
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
