//! The main game beside a dealer's hand on the flop: what the Five Card Bonus, which such a hand can win too, needs to
//! know of it.
//!
//! On each flop the dealer's hands that are paid are few. For every turn and river the player's hands are put together in
//! classes by value, each with its hands by how they play, and added up from the lowest; what a dealer's hand meets is
//! then one look, less the hands that hold one of its cards. Turns and rivers that the flop's symmetry exchanges are
//! counted once.

use rayon::prelude::*;

use pitstream_evaluator::rank::rank;

use crate::deck::{
    CANONICAL_FLOPS, CanonicalFlop, HOLES, deck_without, hole_index, pair_with_equals, renamed, symmetries,
};
use crate::kinds::{HIGH_CARD, KINDS, kind};
use crate::progress::{Cancelled, Progress};
use crate::uth::boards::{LOSS, Payoffs, SUITED_HOLES, TIE, class_of};
use crate::uth::flops::{Sums, hole_class, type_of};
use crate::uth::solve::{PreFlop, RiverTables, Solution, ValueTables, raises_flop};

/// Steps of [`beside_dealer`], as [`Progress`] counts them.
pub const STEPS: usize = CANONICAL_FLOPS;

/// By kind of the dealer's two cards with the flop, and by kind of the player's: the main game's result. Player's kinds
/// that are not told apart stand together as [`HIGH_CARD`].
pub type Joint = [[i128; KINDS]; KINDS];

/// The main game's result, summed over every deal in which the dealer holds a kind of hand on the flop that is
/// `dealer_paid`; 0 for the other kinds. The player's kinds are told apart where they are `own_paid`.
///
/// # Errors
/// The count was cancelled.
///
/// # Panics
/// If a dealer below a pair is paid, or if a win against a dealer with a pair or better pays by what the dealer has.
pub fn beside_dealer(
    solution: &Solution,
    rivers: &RiverTables,
    own_paid: [bool; KINDS],
    dealer_paid: [bool; KINDS],
    progress: &Progress,
) -> Result<Joint, Cancelled> {
    assert!(!dealer_paid[HIGH_CARD], "a dealer below a pair is not paid");
    let tables =
        Tables { rivers, values: &ValueTables::new(), payoffs: &solution.payoffs, pays: &pays(&solution.payoffs) };
    let before: Vec<PreFlop> = solution.starts.iter().map(|start| start.best().0).collect();
    solution
        .flops
        .par_iter()
        .zip(&solution.after)
        .map(|(flop, after)| {
            let counted = OnFlop::new(*flop, after, &before, own_paid, dealer_paid).count(&tables);
            progress.step().map(|()| counted)
        })
        .try_reduce(
            || [[0; KINDS]; KINDS],
            |mut all, part| {
                for (all, part) in all.iter_mut().flatten().zip(part.iter().flatten()) {
                    *all += part;
                }
                Ok(all)
            },
        )
}

/// What a hand has placed after the flop: nothing 0, 2 Antes 1, 3 Antes 2, 4 Antes 3.
const PLAYS: usize = 4;
/// The result of a win, a tie and a loss.
type Results = [i64; 3];

/// By kind of the player's hand and by what it has placed: the results, those of [`NOTHING_YET`] with 1 Ante.
type Pays = [[Results; PLAYS]; KINDS];
const NOTHING_YET: usize = 0;

fn pays(payoffs: &Payoffs) -> Pays {
    std::array::from_fn(|kind| {
        [1, 2, 3, 4].map(|antes| {
            let of = |outcome: usize| payoffs.base[kind][outcome] + antes * payoffs.play[kind][outcome];
            assert!((2..TIE).all(|category| of(category) == of(1)), "a win pays by the dealer's hand");
            [of(1), of(TIE), of(LOSS)]
        })
    })
}

#[inline]
fn result(results: &Results, own: u16, dealer: u16) -> i64 {
    results[usize::from(own <= dealer) + usize::from(own < dealer)]
}

struct Tables<'a> {
    rivers: &'a RiverTables,
    values: &'a ValueTables,
    payoffs: &'a Payoffs,
    pays: &'a Pays,
}

/// One flop with every hand of the player's, and the dealer's that are paid there.
struct OnFlop {
    flop: CanonicalFlop,
    deck: Vec<u8>,
    /// By hand: what it has placed after the flop.
    placed: Vec<u8>,
    /// Hands that are told apart, with their kinds.
    own: Vec<([u8; 2], usize)>,
    dealers: Vec<([u8; 2], usize)>,
    /// By the suit that can flush (4: none), what is placed, and class: how many hands.
    hands: Vec<[[u16; SUITED_HOLES]; PLAYS]>,
}

impl OnFlop {
    fn new(
        flop: CanonicalFlop,
        after: &[Sums],
        before: &[PreFlop],
        own_paid: [bool; KINDS],
        dealer_paid: [bool; KINDS],
    ) -> Self {
        let deck = deck_without(&flop.cards);
        let [x, y, z] = flop.cards;
        let hands = vec![[[0; SUITED_HOLES]; PLAYS]; 5];
        let mut found = Self { flop, deck, placed: vec![0; HOLES], own: vec![], dealers: vec![], hands };
        for (at, &high) in found.deck.iter().enumerate() {
            for &low in &found.deck[..at] {
                let index = hole_index(high, low);
                let placed = match before[index] {
                    PreFlop::Four => 3,
                    PreFlop::Three => 2,
                    PreFlop::Check if raises_flop(after[index]) => 1,
                    PreFlop::Check => 0,
                };
                found.placed[index] = placed;
                for (suit, hands) in (0u8..).zip(&mut found.hands) {
                    hands[usize::from(placed)][hole_class(high, low, suit)] += 1;
                }
                let kind = kind(rank(&[x, y, z, high, low]).expect("different cards"));
                if own_paid[kind] {
                    found.own.push(([high, low], kind));
                }
                if dealer_paid[kind] {
                    found.dealers.push(([high, low], kind));
                }
            }
        }
        found
    }

    /// Turns and rivers up to the flop's symmetry, each with how many it stands for.
    fn runouts(&self) -> Vec<([u8; 2], i128)> {
        let names = symmetries(&self.flop.cards);
        let mut found = Vec::new();
        for (at, &high) in self.deck.iter().enumerate() {
            for &low in &self.deck[..at] {
                let mut alike: Vec<usize> =
                    names.iter().map(|&names| hole_index(renamed(high, names), renamed(low, names))).collect();
                alike.sort_unstable();
                alike.dedup();
                if alike[0] == hole_index(high, low) {
                    found.push(([high, low], i128::try_from(alike.len()).expect("at most 24")));
                }
            }
        }
        found
    }

    fn count(&self, tables: &Tables) -> Joint {
        let mut joint = [[0; KINDS]; KINDS];
        let mut board = OnBoard::default();
        for (runout, alike) in self.runouts() {
            board.set(self, runout, tables);
            let mut sums = [[0i64; KINDS]; KINDS];
            for &(dealer, kind) in &self.dealers {
                if dealer.iter().any(|card| runout.contains(card)) {
                    continue;
                }
                let value = board.value(dealer);
                let mut rest = board.against(self, dealer, value);
                for &(own, own_kind) in &self.own {
                    if !own.iter().any(|card| runout.contains(card) || dealer.contains(card)) {
                        let of_hand = board.result(self, own, value);
                        sums[kind][own_kind] += of_hand;
                        rest -= of_hand;
                    }
                }
                sums[kind][HIGH_CARD] += rest;
            }
            // No sum of one board leaves 64 bits, by the bound on payoffs.
            for (all, sum) in joint.iter_mut().flatten().zip(sums.iter().flatten()) {
                *all += i128::from(*sum) * alike * i128::from(self.flop.weight);
            }
        }
        joint
    }
}

/// The player's hands on one board, by class.
#[derive(Default)]
struct OnBoard {
    /// The board's turn and river are not among them.
    deck: Vec<u8>,
    suit: u8,
    /// By class.
    values: Vec<u16>,
    /// By class and by what is placed.
    results: Vec<[Results; PLAYS]>,
    /// Different values, lowest first.
    sorted: Vec<u16>,
    /// By place in `sorted`: the results of all hands of the value, tie; of all lower ones, loss; of all lower and equal
    /// ones, win.
    ties: Vec<i64>,
    losses: Vec<i64>,
    wins: Vec<i64>,
    /// By card: the value of a dealer's hand, and what all hands that hold the card come to against it.
    held: Vec<Vec<(u16, i64)>>,
}

impl OnBoard {
    fn set(&mut self, on_flop: &OnFlop, [turn, river]: [u8; 2], tables: &Tables) {
        let [x, y, z] = on_flop.flop.cards;
        let (place, suit) = class_of([x, y, z, turn, river]);
        self.suit = suit;
        self.held.resize(52, vec![]);
        self.held.iter_mut().for_each(Vec::clear);
        self.deck.clear();
        self.deck.extend(on_flop.deck.iter().filter(|&&card| card != turn && card != river));
        self.values.clear();
        self.values.extend_from_slice(tables.values.of(place));
        let mut hands = on_flop.hands[usize::from(suit)];
        let mut take = |one: u8, other: u8| {
            hands[usize::from(on_flop.placed[hole_index(one, other)])][hole_class(one, other, suit)] -= 1;
        };
        take(turn, river);
        for &card in &self.deck {
            take(turn, card);
            take(river, card);
        }
        let rivers = tables.rivers.of(place);
        // What cannot be held keeps what it had: nobody asks for it.
        self.results.resize(SUITED_HOLES, [[0; 3]; PLAYS]);
        self.sorted.clear();
        self.ties.clear();
        self.losses.clear();
        self.wins.clear();
        let (mut lost, mut won) = (0, 0);
        for &class in tables.values.order(place) {
            let class = usize::from(class);
            let value = self.values[class];
            let [_, base, play] = rivers[class];
            let mut results = tables.pays[kind(value)];
            if !tables.payoffs.bets_river(base, play) {
                results[NOTHING_YET] = [tables.payoffs.fold; 3];
            }
            self.results[class] = results;
            let mut sums = [0i64; 3];
            for (placed, results) in results.iter().enumerate() {
                let count = i64::from(hands[placed][class]);
                for (sum, result) in sums.iter_mut().zip(results) {
                    *sum += count * result;
                }
            }
            if self.sorted.last() != Some(&value) {
                self.sorted.push(value);
                self.ties.push(0);
                self.losses.push(lost);
                self.wins.push(won);
            }
            let at = self.sorted.len() - 1;
            won += sums[0];
            lost += sums[2];
            self.ties[at] += sums[1];
            self.wins[at] = won;
        }
    }

    fn value(&self, cards: [u8; 2]) -> u16 {
        self.values[hole_class(cards[0], cards[1], self.suit)]
    }

    /// One hand against a dealer of this value.
    fn result(&self, on_flop: &OnFlop, own: [u8; 2], dealer: u16) -> i64 {
        let class = hole_class(own[0], own[1], self.suit);
        let placed = usize::from(on_flop.placed[hole_index(own[0], own[1])]);
        result(&self.results[class][placed], self.values[class], dealer)
    }

    /// All hands that hold no card of the dealer's, against the dealer's.
    fn against(&mut self, on_flop: &OnFlop, dealer: [u8; 2], value: u16) -> i64 {
        let at = self.sorted.binary_search(&value).expect("the player can hold what the dealer can");
        let all_won = self.wins.last().expect("a hand");
        let every = self.losses[at] + self.ties[at] + all_won - self.wins[at];
        let held: i64 = dealer.iter().map(|&card| self.holding(on_flop, card, value)).sum();
        // The hand of both cards was taken off twice.
        every - held + self.result(on_flop, dealer, value)
    }

    /// All hands that hold this card, against a dealer of this value. Dealers share cards and values, so it is kept.
    fn holding(&mut self, on_flop: &OnFlop, card: u8, value: u16) -> i64 {
        let kept = &self.held[usize::from(card)];
        if let Some(&(_, sum)) = kept.iter().find(|&&(of, _)| of == value) {
            return sum;
        }
        let held_type = type_of(card, self.suit);
        let mut sum = 0;
        for &other in self.deck.iter().filter(|&&other| other != card) {
            let other_type = type_of(other, self.suit);
            let class = pair_with_equals(other_type.max(held_type), other_type.min(held_type));
            let placed = usize::from(on_flop.placed[hole_index(card, other)]);
            sum += result(&self.results[class][placed], self.values[class], value);
        }
        self.held[usize::from(card)].push((value, sum));
        sum
    }
}
