//! Boards up to what matters for a comparison, and each hand's showdowns on them.

use pitstream_evaluator::rank::{CATEGORY_FROM, RANK_KEY, suited_value, unsuited_value};

use crate::deck::{choose, pair_with_equals};
use crate::kinds::{self, HIGH_CARD, KINDS};

/// Types of card on a board: ranks of the suits that cannot flush 0..13, ranks of the suit that can 13..26.
pub const TYPES: usize = 26;
/// Where the types of the suit that can flush begin.
pub const SUITED: usize = 13;
/// Classes of two cards where no flush can come: two ranks.
pub const UNSUITED_HOLES: usize = pair_with_equals(SUITED, 0);
/// Classes of two cards where a flush can come: two types. Thirteen of them, a suited card twice, never occur.
pub const SUITED_HOLES: usize = pair_with_equals(TYPES, 0);

/// Sums of five falling ranks' place values; 13 of the places, five of one rank, are never taken.
pub const UNSUITED_PLACES: usize = 6188;
const WITH_THREE: usize = choose(13, 3) * UNSUITED_HOLES;
const WITH_FOUR: usize = choose(13, 4) * SUITED;
const WITH_FIVE: usize = choose(13, 5);
/// Places of all board classes.
pub const BOARDS: usize = UNSUITED_PLACES + WITH_THREE + WITH_FOUR + WITH_FIVE;

/// Outcomes of a showdown: the player wins against a dealer's category 0..8, ties with a dealer who qualifies 9 or not
/// 10, loses to a dealer who qualifies 11 or not 12.
pub const OUTCOMES: usize = 13;
/// A tie with a dealer who has a pair or better.
pub const TIE: usize = 9;
/// A tie with a dealer below a pair.
pub const TIE_UNQUALIFIED: usize = 10;
/// A loss to a dealer who has a pair or better.
pub const LOSS: usize = 11;
/// A loss to a dealer below a pair.
pub const LOSS_UNQUALIFIED: usize = 12;
/// Dealer's hands once five cards of the board and two of the player's are known.
pub const DEALERS: u16 = 990;

const CATEGORIES: usize = 9;

/// Five community cards up to what matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Ranks of the suit that can flush; none of them when no flush can come.
    pub suited: u16,
    /// Ranks of the other cards, falling.
    pub others: Vec<u8>,
}

/// The class of five community cards: its place below [`BOARDS`], and the suit that can flush (4: none).
#[must_use]
pub fn class_of(cards: [u8; 5]) -> (usize, u8) {
    let (suited, others, count, suit) = parts(cards);
    (place(suited, &others[..count]), suit)
}

/// Ranks of the suit that can flush, the other ranks, falling, and how many; the suit (4: none).
fn parts(cards: [u8; 5]) -> (u16, [u8; 5], usize, u8) {
    let mut counts = [0u8; 4];
    for card in cards {
        counts[usize::from(card & 3)] += 1;
    }
    let suit = (0u8..4).find(|&suit| counts[usize::from(suit)] >= 3).unwrap_or(4);
    let mut others = [0u8; 5];
    let mut count = 0;
    let mut suited = 0u16;
    for card in cards {
        if card & 3 == suit {
            suited |= 1 << (card / 4);
        } else {
            // Insertion keeps the few ranks in falling order.
            let mut at = count;
            while at > 0 && others[at - 1] < card / 4 {
                others[at] = others[at - 1];
                at -= 1;
            }
            others[at] = card / 4;
            count += 1;
        }
    }
    (suited, others, count, suit)
}

fn place(suited: u16, others: &[u8]) -> usize {
    let rank = |at: usize| usize::from(others[at]);
    match others.len() {
        5 => (0..5).map(|at| choose(rank(at) + 4 - at, 5 - at)).sum(),
        2 => UNSUITED_PLACES + set_place(suited) * UNSUITED_HOLES + pair_with_equals(rank(0), rank(1)),
        1 => UNSUITED_PLACES + WITH_THREE + set_place(suited) * SUITED + rank(0),
        0 => UNSUITED_PLACES + WITH_THREE + WITH_FOUR + set_place(suited),
        count => unreachable!("{count} cards beside three or more of a suit"),
    }
}

/// The place of a set of ranks among all sets of as many.
fn set_place(mut ranks: u16) -> usize {
    let (mut place, mut taken) = (0, 1);
    while ranks != 0 {
        place += choose(ranks.trailing_zeros() as usize, taken);
        ranks &= ranks - 1;
        taken += 1;
    }
    place
}

/// Every class with its place, in the order of places.
#[must_use]
pub fn all() -> Vec<(usize, Board)> {
    let mut boards = Vec::with_capacity(BOARDS);
    let mut add = |suited: u16, others: Vec<u8>| boards.push((place(suited, &others), Board { suited, others }));
    for a in 0..13u8 {
        for b in 0..=a {
            for c in 0..=b {
                for d in 0..=c {
                    for e in (0..=d).filter(|&e| e != a) {
                        add(0, vec![a, b, c, d, e]);
                    }
                }
            }
        }
    }
    for suited in 0..1u16 << 13 {
        match suited.count_ones() {
            3 => (0..13).for_each(|high| (0..=high).for_each(|low| add(suited, vec![high, low]))),
            4 => (0..13).for_each(|rank| add(suited, vec![rank])),
            5 => add(suited, vec![]),
            _ => {}
        }
    }
    boards.sort_unstable_by_key(|&(place, _)| place);
    boards
}

/// Every class by its place; places that are never taken hold none.
#[must_use]
pub fn by_place() -> Vec<Option<Board>> {
    let mut places = vec![None; BOARDS];
    for (place, board) in all() {
        places[place] = Some(board);
    }
    places
}

impl Board {
    /// The class of five community cards, and the suit that can flush (4: none).
    #[must_use]
    pub fn of(cards: [u8; 5]) -> (Self, u8) {
        let (suited, others, count, suit) = parts(cards);
        (Self { suited, others: others[..count].to_vec() }, suit)
    }

    /// How many classes of two cards this board tells apart.
    #[must_use]
    pub fn holes(&self) -> usize {
        if self.suited == 0 { UNSUITED_HOLES } else { SUITED_HOLES }
    }

    /// How many cards of each type are left in the deck.
    #[must_use]
    pub fn left(&self) -> [u16; TYPES] {
        let mut left = [if self.suited == 0 { 4 } else { 3 }; TYPES];
        for &rank in &self.others {
            left[usize::from(rank)] -= 1;
        }
        for rank in 0..SUITED {
            left[SUITED + rank] = u16::from(self.suited != 0 && self.suited >> rank & 1 == 0);
        }
        left
    }

    fn rank_sum(&self) -> u32 {
        let suited = (0..13u8).filter(|&rank| self.suited >> rank & 1 == 1);
        self.others.iter().copied().chain(suited).map(|rank| RANK_KEY[usize::from(rank)]).sum()
    }

    /// The kind of the five community cards alone.
    #[must_use]
    pub fn kind(&self) -> usize {
        let value =
            if self.others.is_empty() { suited_value(self.suited) } else { unsuited_value::<5>(self.rank_sum()) };
        kinds::kind(value)
    }
}

/// Two cards of these types on a board.
#[derive(Clone, Copy, Debug)]
pub struct Hole {
    /// The higher type.
    pub one: u8,
    /// The lower type.
    pub other: u8,
    /// The value with the board.
    pub value: u16,
    /// Its kind.
    pub kind: u8,
    /// How the showdown with each of 990 dealers ends, by outcome.
    pub against: [u16; OUTCOMES],
}

impl Hole {
    /// The class of two cards, below [`SUITED_HOLES`].
    #[inline]
    #[must_use]
    pub fn class(&self) -> usize {
        pair_with_equals(usize::from(self.one), usize::from(self.other))
    }
}

/// Pairs of cards counted, in all and for each type of card how many of them hold one certain card of it.
#[derive(Clone, Copy)]
struct Count {
    all: u16,
    with: [u16; TYPES],
}

impl Count {
    const NONE: Self = Self { all: 0, with: [0; TYPES] };

    fn add(&mut self, one: usize, other: usize, left: &[u16; TYPES]) {
        if one == other {
            self.all += left[one] * (left[one] - 1) / 2;
            self.with[one] += left[one] - 1;
        } else {
            self.all += left[one] * left[other];
            self.with[one] += left[other];
            self.with[other] += left[one];
        }
    }

    /// Those that hold neither of two certain cards of these types. The pair of both, if counted, is taken off twice.
    fn without(&self, one: usize, other: usize) -> u16 {
        // Wraps below zero only for the pair itself, which the caller adds again.
        self.all.wrapping_sub(self.with[one]).wrapping_sub(self.with[other])
    }
}

/// Every hand that can be held on this board, without its showdowns.
fn hands<'a>(board: &'a Board, left: &'a [u16; TYPES]) -> impl Iterator<Item = Hole> + use<'a> {
    let sum = board.rank_sum();
    let types = if board.suited == 0 { SUITED } else { TYPES };
    let held = (0..types).flat_map(|one| (0..=one).map(move |other| (one, other))).filter(|&(one, other)| {
        let pairs = if one == other { left[one] * left[one].saturating_sub(1) } else { left[one] * left[other] };
        pairs > 0
    });
    held.map(move |(one, other)| {
        let mut ranks = board.suited;
        for card in [one, other] {
            if card >= SUITED {
                ranks |= 1 << (card - SUITED);
            }
        }
        let value = if ranks.count_ones() >= 5 {
            suited_value(ranks)
        } else {
            unsuited_value::<7>(sum + RANK_KEY[one % SUITED] + RANK_KEY[other % SUITED])
        };
        #[allow(clippy::cast_possible_truncation)] // types and kinds are below 26
        Hole { one: one as u8, other: other as u8, value, kind: kinds::kind(value) as u8, against: [0; OUTCOMES] }
    })
}

/// The value of every class of hand that can be held on this board.
pub(crate) fn values(board: &Board) -> Vec<(usize, u16)> {
    hands(board, &board.left()).map(|hole| (hole.class(), hole.value)).collect()
}

/// Every hand that can be held on this board, lowest value first, each against the 990 hands that a dealer can have.
#[must_use]
pub fn showdowns(board: &Board) -> Vec<Hole> {
    let left = board.left();
    let mut holes = Vec::with_capacity(board.holes());
    holes.extend(hands(board, &left));
    holes.sort_unstable_by_key(|hole| hole.value);
    compare(&mut holes, &left);
    holes
}

fn compare(holes: &mut [Hole], left: &[u16; TYPES]) {
    let category = |hole: &Hole| usize::from(hole.value >> CATEGORY_FROM);
    let mut by_category = [Count::NONE; CATEGORIES + 1];
    for hole in holes.iter() {
        by_category[category(hole)].add(hole.one.into(), hole.other.into(), left);
    }
    let mut lower = Count::NONE;
    let mut before = usize::MAX;
    for group in holes.chunk_by_mut(|left, right| left.value == right.value) {
        let own = category(&group[0]);
        if own != before {
            lower = Count::NONE;
            before = own;
        }
        let mut equal = Count::NONE;
        for hole in group.iter() {
            equal.add(hole.one.into(), hole.other.into(), left);
        }
        for hole in group.iter_mut() {
            let (one, other) = (usize::from(hole.one), usize::from(hole.other));
            let against = &mut hole.against;
            for below in 0..own.min(CATEGORIES) {
                against[below] = by_category[below].without(one, other);
            }
            if own < CATEGORIES {
                against[own] = lower.without(one, other);
            }
            let ties = equal.without(one, other).wrapping_add(1);
            let wins: u16 = against[..CATEGORIES].iter().sum();
            let losses = DEALERS - wins - ties;
            if usize::from(hole.kind) == HIGH_CARD {
                let unqualified = by_category[0].without(one, other).wrapping_add(1);
                against[TIE_UNQUALIFIED] = ties;
                against[LOSS_UNQUALIFIED] = unqualified - wins - ties;
                against[LOSS] = DEALERS - unqualified;
            } else {
                against[TIE] = ties;
                against[LOSS] = losses;
            }
        }
        for hole in group.iter() {
            lower.add(hole.one.into(), hole.other.into(), left);
        }
    }
}

/// What a round comes to for one stake of each required wager, in units of the caller's choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payoffs {
    /// By kind of the player's hand and outcome: everything but the Play Wager.
    pub base: [[i64; OUTCOMES]; KINDS],
    /// By kind and outcome: a Play Wager of one Ante.
    pub play: [[i64; OUTCOMES]; KINDS],
    /// A fold: everything that it loses.
    pub fold: i64,
}

impl Payoffs {
    /// Sums over the 990 dealers: base, and a Play Wager of one Ante.
    #[inline]
    #[must_use]
    pub fn sums(&self, hole: &Hole) -> [i64; 2] {
        let kind = usize::from(hole.kind);
        let sum =
            |pays: &[i64; OUTCOMES]| hole.against.iter().zip(pays).map(|(&count, &pay)| i64::from(count) * pay).sum();
        [sum(&self.base[kind]), sum(&self.play[kind])]
    }
}
