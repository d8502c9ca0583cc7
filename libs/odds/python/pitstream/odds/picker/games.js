// What a seat's choices are worth: sums over every deal in whole numbers (BigInt), and how many deals they are sums of.
const DATA = JSON.parse(document.getElementById("data").textContent);
const SCALE = BigInt(DATA.scale);
const whole = (text) => Array.isArray(text) ? text.map(whole) : BigInt(text);
const most = (one, other) => one > other ? one : other;

// Comes up for air, so that the page answers while it counts; false when it should not go on.
const pause = () => new Promise((resume) => setTimeout(resume, 0));

const holdem = {
  streets: [["Hand", 2], ["Flop", 3], ["Turn and river", 2]],
  base: whole(DATA.base || []),
  play: whole(DATA.play || []),
  async values(own, board, _earlier, goOn) {
    if (board.length === 0) {
      const sums = whole(DATA.starts[startOf(own)]);
      return { deals: 19600n * 1081n * 990n, choices: [["check", sums[0]], ["3x", sums[1]], ["4x", sums[2]]] };
    }
    if (board.length === 5) {
      const [base, play] = this.sums(own, board, without([...own, ...board]));
      return { deals: 990n, choices: [["1x", base + play], ["fold", 990n * BigInt(DATA.fold)]] };
    }
    const left = without([...own, ...board]);
    let check = 0n, bet = 0n;
    for (let a = 1; a < left.length; a += 1) {
      for (let b = 0; b < a; b += 1) {
        const rest = left.filter((_, at) => at !== a && at !== b);
        const [base, play] = this.sums(own, [...board, left[a], left[b]], rest);
        check += most(base + play, 990n * BigInt(DATA.fold));
        bet += base + 2n * play;
      }
      await pause();
      if (!goOn()) return null;
    }
    return { deals: 1081n * 990n, choices: [["check", check], ["2x", bet]] };
  },
  // Over all hands of the dealer: what does not hang on the Play Wager, and what one Ante of it comes to.
  sums(own, board, left) {
    const suits = [0, 0, 0, 0];
    for (const card of board) suits[card & 3] |= 1 << (card >> 2);
    const mine = valueOf([...own, ...board]), kind = kindOf(mine);
    const counts = new Array(13).fill(0);
    for (let a = 1; a < left.length; a += 1) {
      const one = left[a];
      suits[one & 3] ^= 1 << (one >> 2);
      for (let b = 0; b < a; b += 1) {
        const other = left[b];
        suits[other & 3] ^= 1 << (other >> 2);
        const theirs = best(suits[0], suits[1], suits[2], suits[3]);
        suits[other & 3] ^= 1 << (other >> 2);
        const outcome = mine > theirs ? categoryOf(theirs) : (mine === theirs ? 9 : 11) + (categoryOf(theirs) === 0 ? 1 : 0);
        counts[outcome] += 1;
      }
      suits[one & 3] ^= 1 << (one >> 2);
    }
    let base = 0n, play = 0n;
    for (let outcome = 0; outcome < 13; outcome += 1) {
      base += BigInt(counts[outcome]) * this.base[kind][outcome];
      play += BigInt(counts[outcome]) * this.play[kind][outcome];
    }
    return [base, play];
  },
};

function startOf(own) {
  const [high, low] = [...own].sort((one, other) => other - one);
  const ranks = RANKS[high >> 2] + RANKS[low >> 2];
  return high >> 2 === low >> 2 ? ranks : ranks + ((high & 3) === (low & 3) ? "s" : "o");
}

const stud = {
  streets: [["Hand", 3], ["First card", 1], ["Second card", 1]],
  base: whole(DATA.base || []),
  play: whole(DATA.play || []),
  // Over the last card, when so many Antes stand: the bet, the fold, and the best of what may be chosen.
  last(own, first, second, standing) {
    const seen = [...own, first, second];
    let base = 0n, play = 0n;
    for (const card of without(seen)) {
      const kind = kindOf(valueOf([...seen, card]));
      base += this.base[kind];
      play += this.play[kind];
    }
    return { base, play, ...this.chosen(base, play, standing) };
  },
  chosen(base, play, standing) {
    const antes = BigInt(standing);
    const bet = base + (antes + 1n) * play, fold = -47n * SCALE * (2n + antes);
    return { bet, fold, best: standing && !DATA.each ? base + antes * play : most(bet, fold) };
  },
  async values(own, board, earlier, goOn) {
    const standing = earlier.reduce((sum, word) => sum + (word === "check" ? 0 : Number(word[0])), 0);
    if (board.length === 2) {
      const { bet, fold } = this.last(own, board[0], board[1], standing);
      return { deals: 47n, choices: [["1x", bet], ["fold", fold]] };
    }
    const left = without([...own, ...board]);
    if (board.length === 1) {
      const sums = [0n, 0n, 0n];
      for (const second of left) {
        const { base, play } = this.last(own, board[0], second, standing);
        for (let antes = 0; antes < 3; antes += 1) sums[antes] += this.chosen(base, play, standing + antes).best;
      }
      return { deals: 48n * 47n, choices: [["check", sums[0]], ["1x", sums[1]], ["2x", sums[2]]] };
    }
    const pairs = left.map(() => []);
    for (let a = 0; a < left.length; a += 1) {
      for (let b = 0; b < a; b += 1) pairs[a][b] = pairs[b][a] = this.last(own, left[a], left[b], 0);
      await pause();
      if (!goOn()) return null;
    }
    const sums = [0n, 0n, 0n, 0n];
    for (let third = 0; third < 4; third += 1) {
      for (let a = 0; a < left.length; a += 1) {
        const fourth = third && !DATA.each ? [0] : [0, 1, 2];
        const values = fourth.map((antes) => left.reduce((sum, _, b) =>
          a === b ? sum : sum + this.chosen(pairs[a][b].base, pairs[a][b].play, third + antes).best, 0n));
        sums[third] += values.reduce(most);
      }
    }
    return { deals: 49n * 48n * 47n, choices: ["check", "1x", "2x", "3x"].map((word, antes) => [word, sums[antes]]) };
  },
};

const flopPoker = {
  streets: [["Hand", 3]],
  bet: whole(DATA.bet || []),
  async values(own, _board, _earlier, goOn) {
    const left = without(own), counts = new Array(12).fill(0);
    for (let a = 2; a < left.length; a += 1) {
      for (let b = 1; b < a; b += 1) {
        for (let c = 0; c < b; c += 1) {
          // All three own cards and exactly two of the flop's.
          counts[kindOf(Math.max(
            valueOf([...own, left[a], left[b]]), valueOf([...own, left[a], left[c]]), valueOf([...own, left[b], left[c]])))] += 1;
        }
      }
      await pause();
      if (!goOn()) return null;
    }
    const bet = counts.reduce((sum, many, kind) => sum + BigInt(many) * this.bet[kind], 0n);
    return { deals: 18424n, choices: [["flop", bet], ["fold", -18424n * SCALE]] };
  },
};

const GAME = { ultimate_texas_holdem: holdem, raise_it_up_stud: stud, flop_poker: flopPoker }[DATA.game];
