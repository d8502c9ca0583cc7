// The floor: rows by table. A message changes the cells that it names and no other; a row moves only when it has to.
import { on } from "./live.js";
import { byAmount, money, percent, signed } from "./money.js";

const grid = document.querySelector("[data-floor]");
const blank = document.querySelector("#floor-row");
const rows = new Map([...grid.querySelectorAll("[data-table]")].map((row) => [row.dataset.table, row]));
const facts = new Map(JSON.parse(document.querySelector("#floor-facts").textContent).map((one) => [one.table, one]));
const filter = document.querySelector("[data-filter]");
const kinds = [...document.querySelectorAll("[data-only]")];
let order = { by: "table", down: false };
let ordered = false;

const SHOWN = {
  seats: (one) => (one.seats_taken === null ? "–" : `${one.seats_taken}/6`),
  pace: (one) => (one.pace === null ? "–" : String(one.pace)),
  round_no: (one) => (one.round_no ? String(one.round_no) : "–"),
  handle: (one) => money(one.handle, one.scale),
  win: (one) => signed(one.win, one.scale),
  hold: (one) => percent(one.win, one.handle),
};
const ORDERS = {
  table: (a, b) => a.table.localeCompare(b.table, "en", { numeric: true }),
  game: (a, b) => a.game_name.localeCompare(b.game_name),
  street: (a, b) => a.street.localeCompare(b.street),
  seats: (a, b) => (a.seats_taken ?? -1) - (b.seats_taken ?? -1),
  round_no: (a, b) => a.round_no - b.round_no,
  pace: (a, b) => (a.pace ?? -1) - (b.pace ?? -1),
  handle: (a, b) => byAmount(a.handle, b.handle),
  win: (a, b) => byAmount(a.win, b.win),
  hold: (a, b) => share(a) - share(b),
};
// Only an order, never a figure: so four digits do.
const share = (one) => (BigInt(one.handle) === 0n ? -Infinity : Number((BigInt(one.win) * 10000n) / BigInt(one.handle)));

export function draw(row, one) {
  const set = (name, text) => {
    const cell = row.querySelector(`[data-f="${name}"]`);
    if (cell.textContent !== text) cell.textContent = text;
    return cell;
  };
  set("table", one.table);
  row.querySelector("a").href = `/tables/${encodeURIComponent(one.table)}`;
  set("game", one.game_name);
  set("street", one.street);
  set("asked", one.asked ?? "");
  for (const [name, shown] of Object.entries(SHOWN)) set(name, shown(one));
  const below = one.win.startsWith("-");
  for (const name of ["win", "hold"]) row.querySelector(`[data-f="${name}"]`).classList.toggle("bad", below);
  row.dataset.state = one.state;
  row.dataset.game = one.game;
}

function heard(list) {
  const newest = new Map();
  for (const message of list) for (const one of message.tables) newest.set(one.table, one);
  for (const [table, change] of newest) {
    const one = { ...facts.get(table), ...change };
    facts.set(table, one);
    let row = rows.get(table);
    if (!row) {
      row = blank.content.firstElementChild.cloneNode(true);
      row.dataset.table = table;
      rows.set(table, row);
      grid.append(row);
      ordered = false;
    }
    draw(row, one);
  }
  totals();
  arrange();
}

function shows(one) {
  const words = filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${one.table} ${one.game_name} ${one.street} ${one.state}`.toLowerCase();
  const only = kinds.filter((kind) => kind.getAttribute("aria-pressed") === "true").map((kind) => kind.dataset.only);
  return words.every((word) => text.includes(word)) && (!only.length || only.includes(one.state) || only.includes(one.game));
}

function arrange() {
  const list = [...facts.values()];
  let shown = 0;
  for (const one of list) {
    const hidden = !shows(one);
    const row = rows.get(one.table);
    if (row.hidden !== hidden) row.hidden = hidden;
    if (!hidden) shown += 1;
  }
  document.querySelector("[data-shown]").textContent = shown === list.length ? `${shown} tables` : `${shown} of ${list.length} tables`;
  document.querySelector("[data-none]").hidden = shown > 0;
  if (ordered && order.by === "table") return;
  list.sort((a, b) => (order.down ? -1 : 1) * ORDERS[order.by](a, b) || ORDERS.table(a, b));
  // Rows whose neighbour is right already stay where they are.
  let before = null;
  for (const one of list) {
    const row = rows.get(one.table);
    const next = before ? before.nextElementSibling : grid.firstElementChild;
    if (next !== row) grid.insertBefore(row, next);
    before = row;
  }
  ordered = true;
}

function totals() {
  let [handle, win, open, pace] = [0n, 0n, 0, 0];
  let scale = 2;
  for (const one of facts.values()) {
    handle += BigInt(one.handle);
    win += BigInt(one.win);
    if (one.state !== "closed") open += 1;
    pace += one.pace ?? 0;
    scale = one.scale;
  }
  const shown = { open: String(open), pace: String(pace), handle: money(handle, scale), win: signed(win, scale), hold: percent(win, handle) };
  for (const [name, text] of Object.entries(shown)) {
    const cell = document.querySelector(`[data-total="${name}"]`);
    if (cell && cell.firstChild.nodeValue !== text) cell.firstChild.nodeValue = text;
  }
}

for (const head of document.querySelectorAll("[data-sort]")) {
  head.addEventListener("click", () => {
    order = { by: head.dataset.sort, down: order.by === head.dataset.sort ? !order.down : !["table", "game", "street"].includes(head.dataset.sort) };
    for (const other of document.querySelectorAll("[data-sort]")) other.closest("[role=columnheader]").removeAttribute("aria-sort");
    head.closest("[role=columnheader]").setAttribute("aria-sort", order.down ? "descending" : "ascending");
    ordered = false;
    arrange();
  });
}
filter.addEventListener("input", arrange);
for (const kind of kinds) {
  kind.addEventListener("click", () => {
    kind.setAttribute("aria-pressed", String(kind.getAttribute("aria-pressed") !== "true"));
    arrange();
  });
}
on("floor", heard);
