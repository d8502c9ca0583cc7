"use strict";
// Cards are 0 to 51: four times the rank from two to ace, plus the suit of "cdhs". A hand is four masks of ranks, one a suit.
const RANKS = "23456789TJQKA", SUITS = "cdhs";
const textOf = (card) => RANKS[card >> 2] + SUITS[card & 3];
const idOf = (text) => 4 * RANKS.indexOf(text[0]) + SUITS.indexOf(text[1]);

const MANY = new Uint8Array(8192), TOP5 = new Uint16Array(8192), STRAIGHT = new Uint16Array(8192);
for (let mask = 1; mask < 8192; mask += 1) {
  MANY[mask] = MANY[mask >> 1] + (mask & 1);
  TOP5[mask] = mask;
  while (MANY[TOP5[mask]] > 5) TOP5[mask] &= TOP5[mask] - 1;
  STRAIGHT[mask] = straightOf(mask);
}

// The highest card of a straight as a mask of one rank, 0 without one: the ace counts below the two as well.
function straightOf(mask) {
  for (let high = 12; high >= 3; high -= 1) {
    const run = high === 3 ? 0b1000000001111 : 0b11111 << (high - 4);
    if ((mask & run) === run) return 1 << high;
  }
  return 0;
}

const topOf = (mask) => 1 << (31 - Math.clz32(mask));
function topsOf(mask, many) {
  while (MANY[mask] > many) mask &= mask - 1;
  return mask;
}

// The best five of five to seven cards as a number, higher for the better: category, then the ranks that decide.
function best(c, d, h, s) {
  const any = c | d | h | s;
  const flush = MANY[c] > 4 ? c : MANY[d] > 4 ? d : MANY[h] > 4 ? h : MANY[s] > 4 ? s : 0;
  if (flush && STRAIGHT[flush]) return 8 << 26 | STRAIGHT[flush];
  const odd = c ^ d ^ h ^ s;
  const twice = (c & d) | (h & s) | ((c | d) & (h | s));
  if (twice) {
    const four = c & d & h & s;
    if (four) return 7 << 26 | four << 13 | topOf(any ^ four);
    const three = twice & odd, pairs = twice ^ three;
    if (three && (pairs || MANY[three] > 1)) {
      const first = topOf(three);
      return 6 << 26 | first << 13 | topOf(pairs | (three ^ first));
    }
    if (flush) return 5 << 26 | TOP5[flush];
    if (STRAIGHT[any]) return 4 << 26 | STRAIGHT[any];
    if (three) return 3 << 26 | three << 13 | topsOf(any ^ three, 2);
    if (MANY[pairs] > 1) {
      const both = topsOf(pairs, 2);
      return 2 << 26 | both << 13 | topOf(any ^ both);
    }
    return 1 << 26 | pairs << 13 | topsOf(any ^ pairs, 3);
  }
  if (flush) return 5 << 26 | TOP5[flush];
  if (STRAIGHT[any]) return 4 << 26 | STRAIGHT[any];
  return TOP5[any];
}

function valueOf(cards) {
  const suits = [0, 0, 0, 0];
  for (const card of cards) suits[card & 3] |= 1 << (card >> 2);
  return best(suits[0], suits[1], suits[2], suits[3]);
}

const categoryOf = (value) => value >> 26;
// The kinds that paytables tell apart; of a pair it matters whether it is below tens, of tens or above.
function kindOf(value) {
  const category = value >> 26;
  if (category === 0) return 0;
  if (category === 1) {
    const rank = 31 - Math.clz32(value >> 13 & 8191);
    return rank < 8 ? 1 : rank === 8 ? 2 : 3;
  }
  if (category < 8) return category + 2;
  return (value & 8191) === 4096 ? 11 : 10;
}

function without(cards) {
  const left = [];
  for (let card = 0; card < 52; card += 1) if (!cards.includes(card)) left.push(card);
  return left;
}
