// The floor: rows by table. A message changes the cells that it names and no other; a row moves only when it has to.
import { on } from "./live.js";
import { byAmount, money, percent, read, signed } from "./money.js";

const grid = document.querySelector("[data-floor]");
const blank = document.querySelector("#floor-row").content.firstElementChild;
const { tables, games, scales } = read(document.querySelector("#floor-facts").textContent);
const filter = document.querySelector("[data-filter]");
const kinds = [...document.querySelectorAll("[data-only]")];
const facts = new Map();
const rows = new Map();
let order = { by: "table", down: false };
let ordered = false;

const words = (name) => name.replaceAll("_", " ");
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const scale = (one) => scales[one.currency] ?? 2;
const isPlaying = (one) => one.is_open && one.round_began_us !== null;

function state(one) {
  if (!one.is_open) return "closed";
  if (one.suspended) return "suspended";
  return isPlaying(one) ? "playing" : "open";
}

function street(one) {
  if (!one.is_open) return "Closed";
  if (!isPlaying(one)) return "Between rounds";
  return capital(words(one.street ?? one.stage ?? ""));
}

const SHOWN = {
  table: (one) => one.table,
  game: (one) => games[one.game] ?? capital(words(one.game)),
  street,
  asked: (one) => (isPlaying(one) && one.asked ? `asks seat ${one.asked}` : ""),
  seats: (one) => (isPlaying(one) ? String(one.seats.length) : "–"),
  pace: (one) => (one.is_open && one.pace !== null ? String(one.pace) : "–"),
  round_no: (one) => (one.round_no ? String(one.round_no) : "–"),
  handle: (one) => money(one.handle, scale(one)),
  win: (one) => signed(one.win, scale(one)),
  hold: (one) => percent(one.win, one.handle),
};
// An order and no figure, so four digits of it do.
const share = (one) => (BigInt(one.handle) === 0n ? -Infinity : Number((BigInt(one.win) * 10000n) / BigInt(one.handle)));
const text = (name) => (a, b) => SHOWN[name](a).localeCompare(SHOWN[name](b), "en", { numeric: true });
const ORDERS = {
  table: text("table"),
  game: text("game"),
  street: text("street"),
  seats: (a, b) => (isPlaying(a) ? a.seats.length : -1) - (isPlaying(b) ? b.seats.length : -1),
  round_no: (a, b) => a.round_no - b.round_no,
  pace: (a, b) => (a.pace ?? -1) - (b.pace ?? -1),
  handle: (a, b) => byAmount(a.handle, b.handle),
  win: (a, b) => byAmount(a.win, b.win),
  hold: (a, b) => share(a) - share(b),
};

function draw(one) {
  let row = rows.get(one.table);
  if (!row) {
    row = blank.cloneNode(true);
    row.dataset.table = one.table;
    row.querySelector("a").href = `/tables/${encodeURIComponent(one.table)}`;
    row.cellsOf = Object.fromEntries([...row.querySelectorAll("[data-f]")].map((cell) => [cell.dataset.f, cell.appendChild(document.createTextNode(""))]));
    rows.set(one.table, row);
    grid.append(row);
    ordered = false;
  }
  for (const [name, shown] of Object.entries(SHOWN)) {
    const [node, now] = [row.cellsOf[name], shown(one)];
    if (node.data !== now) node.data = now;
  }
  const below = BigInt(one.win) < 0n;
  for (const name of ["win", "hold"]) row.cellsOf[name].parentElement.classList.toggle("bad", below);
  row.dataset.state = state(one);
}

function take(list) {
  for (const one of list) {
    facts.set(one.table, one);
    draw(one);
  }
  if (order.by !== "table") ordered = false;
  totals();
  arrange();
}

/** Which tables are asked for, as one function for all of them. */
function asked() {
  const parts = filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const only = (group) => kinds.filter((kind) => kind.dataset.only === group && kind.getAttribute("aria-pressed") === "true").map((kind) => kind.value);
  const [states, wanted] = [only("state"), only("game")];
  const says = (one) => `${one.table} ${SHOWN.game(one)} ${SHOWN.street(one)} ${state(one)}`.toLowerCase();
  return (one) =>
    (!states.length || states.includes(state(one))) && (!wanted.length || wanted.includes(one.game)) &&
    (!parts.length || parts.every((word) => says(one).includes(word)));
}

function arrange() {
  const [list, shows] = [[...facts.values()], asked()];
  let shown = 0;
  for (const one of list) {
    const [row, hidden] = [rows.get(one.table), !shows(one)];
    if (row.hidden !== hidden) row.hidden = hidden;
    if (!hidden) shown += 1;
  }
  say("[data-shown]", shown === list.length ? `${shown} tables` : `${shown} of ${list.length} tables`);
  document.querySelector("[data-none]").hidden = shown > 0 || !list.length;
  document.querySelector("[data-no-tables]").hidden = list.length > 0;
  if (ordered) return;
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

/** What the whole floor comes to, by currency: sums of different money mean nothing. */
function totals() {
  const sums = new Map();
  let [open, playing, pace] = [0, 0, 0];
  for (const one of facts.values()) {
    const sum = sums.get(one.currency) ?? { handle: 0n, win: 0n, one };
    sum.handle += BigInt(one.handle);
    sum.win += BigInt(one.win);
    sums.set(one.currency, sum);
    if (one.is_open) [open, pace] = [open + 1, pace + (one.pace ?? 0)];
    if (isPlaying(one)) playing += 1;
  }
  const each = (shown) => [...sums.values()].map((sum) => shown(sum)).join(" · ");
  const unit = (sum) => (sums.size > 1 ? ` ${sum.one.currency}` : "");
  say("[data-total=open]", String(open));
  say("[data-total=playing]", String(playing));
  say("[data-total=pace]", pace.toLocaleString("en-US"));
  say("[data-total=handle]", each((sum) => money(sum.handle, scale(sum.one)) + unit(sum)) || "–");
  say("[data-total=win]", each((sum) => signed(sum.win, scale(sum.one)) + unit(sum)) || "–");
  say("[data-total=hold]", each((sum) => percent(sum.win, sum.handle)) || "–");
}

function say(selector, told) {
  const place = document.querySelector(selector);
  if (place && place.textContent !== told) place.textContent = told;
}

for (const head of document.querySelectorAll("[data-sort]")) {
  head.addEventListener("click", () => {
    const by = head.dataset.sort;
    order = { by, down: order.by === by ? !order.down : !["table", "game", "street"].includes(by) };
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
take(tables);
performance.mark("floor");
on("floor", (list) => take([...new Map(list.flatMap((message) => message.tables).map((one) => [one.table, one])).values()]));
