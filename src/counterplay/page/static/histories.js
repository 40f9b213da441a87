// Hand histories of the opponent: the villain card, what of the spot they cover, mapped sizes, and the hands behind a number.
import { get, post } from "./api.js";
import { h, percent, show, word } from "./dom.js";
import { replay } from "./replay.js";
import { quoted } from "./shell.js";

const BASIS = {
  seen: ["seen", "20 decisions or more were seen here."], little: ["little", "Fewer than 20 decisions were seen here."],
  guessed: ["guessed", "Nothing was seen here: whatever is said about this is assumed."],
};
const STATISTICS = {
  VPIP: "Voluntarily put in pot: calls or raises before the flop.", PFR: "Pre-flop raise: raises before the flop at least once.",
  "3-bet": "Raises an opening raise.", "fold to raise": "Folds to an opening raise.", "fold to 3-bet": "Folds to a raise of the own raise before the flop.", "c-bet": "Continuation bet: bets first, after the last raise of the street before.",
  "fold to c-bet": "Folds to such a continuation bet.", "fold to pot": "Folds to a bet or raise of 0.75 to 1.25 pots.", "check-raise": "Raises after a check in the same street.",
  aggression: "Bets or raises, of all bets, raises and calls after the flop.", WTSD: "Went to showdown, of the hands that see a flop.", W$SD: "Collected the pot or a part of it at showdown, whoever showed.",
};

/**
 * The panel. `about` = { spot, file, streets, seat(), add(leak), answer(villain, button), page, told(state) }; `state` = { hands, player, show } opens it as it was.
 * Returns { root, drawn() }, where `drawn` draws anew, as after another seat.
 */
export function histories(about, state) {
  const root = h("div", {}), found = h("div", { id: "histories" }), card = h("div", { id: "card" }), shown = h("div", { id: "shown" }, h("p", { class: "faint" }, "Click a count to replay the hands behind it."));
  let kept = null;
  const file = h("input", { type: "file", id: "file", accept: ".phh,.phhs,.jsonl,.log,.txt,.spiel", onchange: () => tried(async () => {
    const chosen = file.files[0];
    if (!chosen) return;
    show(found, h("p", { class: "faint" }, `Reading ${chosen.name} …`));
    const read = await post("hands", { file: chosen.name, text: await chosen.text() });
    Object.assign(state, { hands: read.name, player: "", show: "" });
    await open(read);
  }) });
  const answer = h("button", { type: "button", class: "main", id: "answer-player", onclick: () => about.answer({ hands: state.hands, player: state.player, seat: about.seat() }, answer) }, "Answer this player");
  const drop = h("label", { class: "drop" }, "Drop a file here, or choose one (.phh, .phhs, .jsonl, .log, .txt)", file);
  drop.addEventListener("dragover", (event) => event.preventDefault());
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    file.files = event.dataTransfer.files;
    file.dispatchEvent(new Event("change"));
  });
  show(root, drop, found);

  async function tried(work) {
    about.page.clear();
    try { await work(); } catch (reason) { about.page.fail(reason); }
  }
  async function open(read) {
    kept = read;
    const names = Object.entries(kept.players).sort((one, other) => other[1] - one[1]);
    if (!state.player) state.player = names[0]?.[0] ?? "";
    const player = h("select", { id: "player", onchange: () => { state.player = player.value; state.show = ""; tried(drawn); } },
      names.map(([one, hands]) => h("option", { value: one, selected: one === state.player }, `${one} (${hands} hands)`)));
    show(found, h("p", {}, `${kept.hands.toLocaleString("en")} hands, ${kept.showdowns.toLocaleString("en")} showdowns`, Object.keys(kept.left_out).length ? `; left out: ${Object.entries(kept.left_out).map(([why, count]) => `${count} ${why}`).join(", ")}` : ""),
      kept.reports.length ? h("details", {}, h("summary", {}, "What was left out"), kept.reports.map((one) => h("p", { class: "faint" }, one))) : null,
      h("label", {}, "Whose card", player),
      h("p", {}, answer, " ", word("as these hands support", "Each frequency that hands say something about moves to the near end of its 95 % interval, by the smallest change of the equilibrium; elsewhere they play their best against you.")), card);
    await drawn();
  }
  async function drawn() {
    if (!state.hands || !state.player) return;
    const seat = about.seat();
    const facts = await post(`hands/${state.hands}/card`, { player: state.player, spot: about.spot, seat });
    const command = `${shell()} --spot ${quoted(about.file)} --seat ${["oop", "ip"][seat]}`;
    show(card, h("div", { class: "columns" }, cardTable(facts, about, reveal), h("div", {}, coverageTable(facts.coverage, seat, reveal), sizesTable(facts.sizes),
      h("h3", {}, "The same from a shell"), h("code", { class: "command", id: "villain-command" }, command)), shown));
    about.told(state);
    if (state.show) await reveal(state.show, state.seated, false);
  }
  function reveal(what, seat = null, jump = true) {
    return tried(async () => {
      const behind = await post(`hands/${state.hands}/shown`, { player: state.player, what, seat });
      Object.assign(state, { show: what, seated: seat });
      about.told(state);
      show(shown, replay(behind, `${shell()} --show ${quoted(what)}${seat === null ? "" : ` --seat ${["oop", "ip"][seat]}`}`));
      if (jump) { shown.scrollIntoView({ block: "nearest" }); shown.querySelector("#replay")?.focus(); }
    });
  }
  const shell = () => `counterplay villain ${quoted(kept.file)} --player ${quoted(state.player)}`;
  if (state.hands) tried(async () => open(await get(`hands/${state.hands}`)));
  return { root, drawn: () => tried(drawn) };
}

function named(statistic) {
  const key = Object.keys(STATISTICS).filter((one) => statistic.startsWith(one)).sort((a, b) => b.length - a.length)[0];
  return key ? word(statistic, STATISTICS[key]) : statistic;
}

/** A count that shows its hands. */
function count(text, what, reveal) {
  return h("button", { type: "button", class: "link", title: `show the hands behind this: ${what}`, onclick: reveal }, text);
}

/** The villain card; a row that says a leak has a button that adds it. */
function cardTable(card, about, reveal) {
  const rows = card.rows.filter((row) => row.n);
  if (!rows.length) return h("p", {}, "No decision of this player counts in a statistic.");
  return h("div", {}, h("table", {}, head(["", word("k / n", "How often it was done, of how many chances."), "share", word("95 %", "The interval that holds the true share in 95 of 100 cases (Wilson)."), "leak"]),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("td", {}, named(row.statistic)), h("td", {}, count(`${row.k} / ${row.n}`, row.statistic, () => reveal(row.statistic))), h("td", {}, percent(row.share, 0)),
      h("td", {}, `${Math.round(100 * row.low)} to ${Math.round(100 * row.high)}`),
      h("td", {}, row.leak && about.streets.some((street) => row.leak.startsWith(`on ${street} `)) ? h("button", { type: "button", title: row.leak, onclick: () => about.add(row.leak) }, "add") : ""))))),
  h("p", { class: "faint" }, `A leak is added at the near end of its interval: it claims no more than was seen. ${card.notes.join(" ")}`));
}

function coverageTable(coverage, seat, reveal) {
  const parts = Object.entries(BASIS).filter(([name]) => coverage[name] > 0.0005);
  return h("div", { id: "coverage" }, h("h3", {}, word("Coverage", "How much of the opponent's play in this spot lies where the hands say something, if both play as it is solved.")),
    h("div", { class: "bar", role: "img", "aria-label": parts.map(([name, [title]]) => `${title} ${percent(coverage[name], 0)}`).join(", ") },
      parts.map(([name]) => { const part = h("span", { class: name }, percent(coverage[name], 0)); part.style.width = `${100 * coverage[name]}%`; return part; })),
    h("p", {}, parts.map(([name, [title, meaning]]) => [h("span", { class: `key ${name}` }), word(title, meaning), ` ${percent(coverage[name], 0)}  `])),
    h("table", {}, head(["where", "decisions seen", "share of play here", ""]), h("tbody", {}, coverage.places.map((row) => h("tr", {}, h("td", {}, row.place),
      h("td", {}, row.n ? count(String(row.n), row.place, () => reveal(row.place, seat)) : "0"), h("td", {}, percent(row.share, 0)), h("td", {}, word(...BASIS[row.basis])))))));
}

function sizesTable(sizes) {
  if (!sizes.length) return h("p", { class: "faint", id: "sizes" }, "No bets on the streets of this spot.");
  return h("div", { id: "sizes" }, h("h3", {}, word("Bet sizes", "Bets of any size become those of the tree, the likelier of the two around them (pseudo-harmonic mapping); per cent of the pot after a call.")),
    h("table", {}, head(["", "size in the tree", "bets", word("mapped", "How many of them have another size than the tree."), "seen"]), h("tbody", {}, sizes.map((row) => h("tr", {},
      h("td", {}, `${row.street} ${row.kind}`), h("td", {}, row.to === "none" ? "no such bet" : row.to), h("td", {}, String(row.n)), h("td", {}, String(row.mapped)), h("td", {}, row.sizes.slice(0, 5).map(([size, n]) => `${n} × ${size}`).join(", ") + (row.sizes.length > 5 ? ", …" : "")))))));
}

function head(titles) {
  return h("thead", {}, h("tr", {}, titles.map((title) => h("th", { scope: "col" }, title))));
}
