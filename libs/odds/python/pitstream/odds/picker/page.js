// Cards chosen, in order: the hand, then the board. They stand in the address too, so that a decision can be passed on.
const STOPS = GAME.streets.map((_, street) => GAME.streets.slice(0, street + 1).reduce((sum, [, cards]) => sum + cards, 0));
const SLOTS = STOPS.at(-1);
const CHOICES = DATA.game === "raise_it_up_stud" && DATA.each ? [["check", "1x", "2x", "3x"], ["check", "1x", "2x"]] : [];
let chosen = [], earlier = CHOICES.map(() => "check"), run = 0;
const NAMES = { c: "♣", d: "♦", h: "♥", s: "♠" };
const SAID = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const sign = (card) => RANKS[card >> 2].replace("T", "10") + NAMES[SUITS[card & 3]];
const said = (card) => `${RANKS[card >> 2].replace("T", "10")} of ${SAID[SUITS[card & 3]]}`;
const isRed = (card) => (card & 3) === 1 || (card & 3) === 2;
const at = (id) => document.getElementById(id);

function element(tag, words, options = {}) {
  const made = Object.assign(document.createElement(tag), options);
  made.append(...[words].flat().filter((word) => word !== ""));
  return made;
}

function readAddress() {
  const [cards, words] = decodeURIComponent(location.hash.slice(1)).split("/");
  const ids = (cards.match(/.{2}/g) || []).map(idOf);
  const areCards = (cards.match(/.{2}/g) || []).every((text) => /^[2-9TJQKA][cdhs]$/.test(text)) && cards.length % 2 === 0;
  if (areCards && new Set(ids).size === ids.length && ids.length <= SLOTS) chosen = ids;
  (words || "").split(",").forEach((word, street) => {
    if (CHOICES[street] && CHOICES[street].includes(word)) earlier[street] = word;
  });
}

function show() {
  const hash = chosen.map(textOf).join("") + (CHOICES.length ? "/" + earlier.join(",") : "");
  history.replaceState(null, "", chosen.length ? `#${hash}` : "#");
  let place = 0;
  at("chosen").replaceChildren(...GAME.streets.map(([name, cards]) => {
    const slots = Array.from({ length: cards }, () => {
      const slot = place, card = chosen[slot];
      place += 1;
      if (card === undefined) {
        return element("button", "", { type: "button", disabled: true, className: slot === chosen.length ? "next" : "" });
      }
      return element("button", sign(card), {
        type: "button", className: isRed(card) ? "red" : "", ariaLabel: `take back the ${said(card)}`,
        onclick: () => { chosen.splice(slot); show(); },
      });
    });
    return element("div", [element("span", name), ...slots]);
  }));
  for (const button of at("deck").children) {
    button.disabled = chosen.includes(Number(button.value)) || chosen.length === SLOTS;
  }
  answer();
}

async function answer() {
  run += 1;
  const mine = run, own = chosen.slice(0, DATA.hole), board = chosen.slice(DATA.hole);
  const street = STOPS.indexOf(chosen.length);
  if (street < 0) {
    const next = STOPS.find((stop) => stop > chosen.length);
    tell(element("p", `Choose ${next - chosen.length} more ${next - chosen.length === 1 ? "card" : "cards"}.`));
    return;
  }
  const before = DATA.each ? earlier.slice(0, street) : [];
  tell(element("p", "Counting every deal …", { className: "soft" }));
  await pause();
  const found = await GAME.values(own, board, before, () => mine === run);
  if (found && mine === run) tell(table(found));
}

function tell(content) {
  at("answer").replaceChildren(content);
}

function table({ deals, choices }) {
  const units = deals * SCALE;
  const top = choices.reduce((best, one) => one[1] > best[1] ? one : best);
  const reach = choices.reduce((far, [, sum]) => Math.max(far, Math.abs(Number(sum) / Number(units))), 1e-9);
  const rows = choices.map(([word, sum]) => {
    const value = Number(sum) / Number(units);
    const bar = element("span", "", { className: `bar ${sum < 0n ? "minus" : "plus"}` });
    bar.style.width = `${Math.abs(value) / reach * 100}%`;
    return element("tr", [
      element("td", word), element("td", decimal(sum, units)),
      element("td", sum === top[1] ? "–" : decimal(top[1] - sum, units).replace("+", "")),
      element("td", element("div", bar), { className: "values" }),
      element("td", element("code", fraction(sum, units))),
    ], { className: word === top[0] ? "best" : "" });
  });
  const heads = ["choice", "worth, Antes", "costs", "", "exactly"].map((word) => element("th", word));
  return element("div", [
    element("p", `Best: ${top[0]}, worth ${decimal(top[1], units)} Antes on average, the best play after it.`, { id: "best" }),
    element("div", element("table", [element("thead", element("tr", heads)), element("tbody", rows)]), { className: "wide" }),
    element("p", `${String(deals).replace(/\B(?=(\d{3})+$)/g, ",")} deals for each choice.`, { className: "soft" }),
  ]);
}

// Six places, rounded half away from 0, from whole numbers alone.
function decimal(sum, units) {
  const size = sum < 0n ? -sum : sum;
  const millionths = (2n * size * 1000000n + units) / (2n * units);
  const text = String(millionths).padStart(7, "0");
  return `${sum < 0n ? "-" : "+"}${text.slice(0, -6)}.${text.slice(-6)}`;
}

function fraction(sum, units) {
  let [one, other] = [sum < 0n ? -sum : sum, units];
  while (other) [one, other] = [other, one % other];
  return units / one === 1n ? String(sum / one) : `${sum / one}/${units / one}`;
}

// Of a game with starting hands that are told: each with its best choice.
function chart() {
  if (!DATA.starts) return;
  const rows = Array.from({ length: 13 }, (_, line) => element("tr", Array.from({ length: 13 }, (_, column) => {
    const [high, low] = [12 - Math.min(line, column), 12 - Math.max(line, column)];
    const suited = column > line, cards = [4 * high + 3, 4 * low + (suited ? 3 : 2)];
    const sums = whole(DATA.starts[startOf(cards)]);
    const top = sums.indexOf(sums.reduce(most)), word = ["check", "3x", "4x"][top];
    return element("td", element("button", startOf(cards), {
      type: "button", className: top ? "bet" : "", title: word, ariaLabel: `${startOf(cards)}: ${word}`,
      onclick: () => { chosen = cards; show(); },
    }));
  })));
  at("chart").replaceChildren(
    element("h2", "Before the flop"), element("p", "Filled: the large bet. Above the diagonal suited, below it not.", { className: "soft" }),
    element("div", element("table", element("tbody", rows)), { className: "wide" }));
}

function begin() {
  for (const suit of [3, 2, 1, 0]) {
    for (let rank = 12; rank >= 0; rank -= 1) {
      const card = 4 * rank + suit;
      at("deck").append(element("button", sign(card), {
        type: "button", value: card, className: isRed(card) ? "red" : "", ariaLabel: said(card),
        onclick: () => { if (chosen.length < SLOTS && !chosen.includes(card)) { chosen.push(card); show(); } },
      }));
    }
  }
  at("clear").onclick = () => { chosen = []; show(); };
  at("draw").onclick = () => {
    const next = STOPS.find((stop) => stop > chosen.length) || STOPS[0];
    if (chosen.length === SLOTS) chosen = [];
    while (chosen.length < next) {
      const left = without(chosen);
      chosen.push(left[Math.floor(Math.random() * left.length)]);
    }
    show();
  };
  at("earlier").replaceChildren(...CHOICES.map((words, street) => {
    const select = element("select", words.map((word) => element("option", word)), {
      onchange: () => { earlier[street] = select.value; show(); },
    });
    return element("label", [`${["Third", "Fourth"][street]} Street: `, select]);
  }));
  readAddress();
  document.querySelectorAll("#earlier select").forEach((select, street) => { select.value = earlier[street]; });
  window.onhashchange = () => { readAddress(); show(); };
  chart();
  show();
}

begin();
