//! The Python module: checks, converts, calls, and lets a person stop a count.
//!
//! A count runs in a thread of its own, detached from the interpreter, while the calling thread looks for signals and
//! tells how far it has come.

use std::sync::OnceLock;
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::deck::{self, hole_index};
use crate::kinds::{HIGH_CARD, KINDS, three_kind};
use crate::progress::{Cancelled, Progress};
use crate::uth::boards::{self, Board, OUTCOMES, Payoffs, showdowns};
use crate::uth::card::{self, Card, Worth};
use crate::uth::flops::{Sums, hole_class};
use crate::uth::joint;
use crate::uth::outcomes::{self, BoardsOfClass, Cells};
use crate::uth::side::{self, FlopHands};
use crate::uth::solve::{self, PreFlop, RiverTables, Solution};
use crate::{flop, listing, stud};

/// How long the calling thread sleeps between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Runs `count` beside the interpreter. `progress` is called with the steps done and their number; an exception there,
/// or a signal, stops the count and is raised.
fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    steps: usize,
    count: impl FnOnce(&Progress) -> Result<T, Cancelled> + Send,
) -> PyResult<T> {
    let shared = Progress::default();
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| count(&shared));
        let mut told = u64::MAX;
        let watched = loop {
            if worker.is_finished() {
                break Ok(());
            }
            py.detach(|| std::thread::sleep(LOOK_EVERY));
            let done = shared.done();
            let looked = py.check_signals().and_then(|()| match progress {
                Some(progress) if done != told => progress.call1((done, steps)).map(|_| ()),
                _ => Ok(()),
            });
            told = done;
            if let Err(error) = looked {
                shared.cancel();
                break Err(error);
            }
        };
        let counted = py.detach(|| worker.join());
        watched?;
        match counted {
            Ok(Ok(counted)) => Ok(counted),
            Ok(Err(Cancelled)) => Err(PyRuntimeError::new_err("the count was stopped")),
            Err(_) => Err(PyRuntimeError::new_err("the count failed: a fault of this library")),
        }
    })
}

/// A row of a table as an array, or what its length must be.
fn array<const N: usize>(field: &str, values: Vec<i64>) -> PyResult<[i64; N]> {
    values.try_into().map_err(|values: Vec<i64>| {
        PyValueError::new_err(format!("{field}: was {} numbers; allowed: {N}", values.len()))
    })
}

/// Which kinds of hand something is true of.
fn kinds(field: &str, of: Vec<bool>) -> PyResult<[bool; KINDS]> {
    of.try_into()
        .map_err(|of: Vec<bool>| PyValueError::new_err(format!("{field}: was {} kinds; allowed: {KINDS}", of.len())))
}

fn within(field: &str, value: i64, most: i64) -> PyResult<()> {
    if value.unsigned_abs() <= most.unsigned_abs() {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{field}: was {value}; allowed: -{most} to {most}")))
}

fn positive(field: &str, value: i64) -> PyResult<i64> {
    if value > 0 { Ok(value) } else { Err(PyValueError::new_err(format!("{field}: was {value}; allowed: 1 or more"))) }
}

fn uth_payoffs(base: Vec<Vec<i64>>, play: Vec<Vec<i64>>, fold: i64) -> PyResult<Payoffs> {
    let table = |field: &str, rows: Vec<Vec<i64>>| -> PyResult<[[i64; OUTCOMES]; KINDS]> {
        let rows = rows.into_iter().enumerate().map(|(at, row)| array(&format!("{field}[{at}]"), row));
        rows.collect::<PyResult<Vec<_>>>()?.try_into().map_err(|rows: Vec<_>| {
            PyValueError::new_err(format!("{field}: was {} rows; allowed: {KINDS}", rows.len()))
        })
    };
    let payoffs = Payoffs { base: table("base", base)?, play: table("play", play)?, fold };
    within("fold", fold, solve::PAYOFF_MAX)?;
    for kind in 0..KINDS {
        for outcome in 0..OUTCOMES {
            let field = format!("base[{kind}][{outcome}] + 4 * play[{kind}][{outcome}]");
            let (base, play) = (payoffs.base[kind][outcome], payoffs.play[kind][outcome]);
            within(
                &field,
                base.unsigned_abs()
                    .saturating_add(play.unsigned_abs().saturating_mul(4))
                    .try_into()
                    .unwrap_or(i64::MAX),
                solve::PAYOFF_MAX,
            )?;
        }
    }
    Ok(payoffs)
}

fn cards<const N: usize>(field: &str, ids: &[u8]) -> PyResult<[u8; N]> {
    let cards: [u8; N] =
        ids.try_into().map_err(|_| PyValueError::new_err(format!("{field}: was {} cards; allowed: {N}", ids.len())))?;
    for (at, card) in cards.iter().enumerate() {
        if *card >= 52 || cards[..at].contains(card) {
            return Err(PyValueError::new_err(format!("{field}[{at}]: was {card}; allowed: 0..51, each once")));
        }
    }
    Ok(cards)
}

/// The player's result of best play at Ultimate Texas Hold'em, a sum over `UTH_DEALS`.
#[pyfunction]
#[pyo3(signature = (base, play, fold, progress = None))]
fn uth_value(
    py: Python<'_>,
    base: Vec<Vec<i64>>,
    play: Vec<Vec<i64>>,
    fold: i64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<i128> {
    let payoffs = uth_payoffs(base, play, fold)?;
    watched(py, progress, solve::STEPS, |progress| Ok(solve::solve(payoffs, progress)?.0.total()))
}

/// Ultimate Texas Hold'em under best play: values, decisions, and what every deal comes to.
#[pyclass(frozen, module = "pitstream.odds")]
struct Uth {
    solution: Solution,
    places: Vec<(u16, [u8; 4])>,
    #[pyo3(get)]
    total: i128,
    cells: Cells,
    on_flop: FlopHands,
    #[pyo3(get)]
    both_aces: (i128, i128),
    boards: OnceLock<Vec<BoardsOfClass>>,
}

#[pyfunction]
#[pyo3(signature = (base, play, fold, paid_on_flop, progress = None))]
fn uth_solve(
    py: Python<'_>,
    base: Vec<Vec<i64>>,
    play: Vec<Vec<i64>>,
    fold: i64,
    paid_on_flop: Vec<bool>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Uth> {
    let payoffs = uth_payoffs(base, play, fold)?;
    let paid = kinds("paid_on_flop", paid_on_flop)?;
    let steps = solve::STEPS + outcomes::STEPS + side::STEPS;
    watched(py, progress, steps, |progress| {
        let (solution, rivers) = solve::solve(payoffs, progress)?;
        let cells = outcomes::outcomes(&solution, progress)?;
        let on_flop = side::flop_hands(&solution, &rivers, paid, progress)?;
        let both_aces = side::both_hold_aces(&solution, &rivers);
        let (total, places) = (solution.total(), deck::canonical_places(&solution.flops));
        Ok(Uth { solution, places, total, cells, on_flop, both_aces, boards: OnceLock::new() })
    })
}

#[pymethods]
impl Uth {
    /// Deals by [kind of the board][action][kind of the hand][outcome].
    #[getter]
    fn outcomes(&self) -> Vec<Vec<Vec<Vec<u64>>>> {
        let rows = |kinds: &[[u64; OUTCOMES]; KINDS]| kinds.iter().map(|row| row.to_vec()).collect();
        self.cells.iter().map(|board| board.iter().map(rows).collect()).collect()
    }

    /// By kind of two cards with the flop: deals played on, deals folded, the main game's result in each.
    #[getter]
    fn on_flop(&self) -> Vec<[i128; 4]> {
        self.on_flop.main.to_vec()
    }

    /// Deals by [player's kind on the flop][dealer's kind on the flop][folded].
    #[getter]
    fn dealer_on_flop(&self) -> Vec<Vec<[i128; 2]>> {
        self.on_flop.dealer.iter().map(|row| row.to_vec()).collect()
    }

    /// The main game's result by kind of the dealer's two cards with the flop, where it is `dealer_paid`, and by kind of
    /// the player's; those that are not `own_paid` together as the lowest kind.
    #[pyo3(signature = (own_paid, dealer_paid, progress = None))]
    fn beside_dealer(
        &self,
        py: Python<'_>,
        own_paid: Vec<bool>,
        dealer_paid: Vec<bool>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Vec<i128>>> {
        let (own, dealer) = (kinds("own_paid", own_paid)?, kinds("dealer_paid", dealer_paid)?);
        if dealer[HIGH_CARD] || own[HIGH_CARD] {
            return Err(PyValueError::new_err("own_paid and dealer_paid: were true of a high card; allowed: false"));
        }
        let joint = watched(py, progress, boards::BOARDS + joint::STEPS, |progress| {
            let rivers = RiverTables::new(&self.solution.payoffs, progress)?;
            joint::beside_dealer(&self.solution, &rivers, own, dealer, progress)
        })?;
        Ok(joint.iter().map(|row| row.to_vec()).collect())
    }

    /// Every decision on the river of one class of board, `at` 0..42,783, as lines of CSV; `scale`: units to an Ante.
    fn river_lines(&self, py: Python<'_>, at: usize, scale: i64) -> PyResult<String> {
        let boards = self.boards.get_or_init(outcomes::canonical_boards);
        let board = boards
            .get(at)
            .ok_or_else(|| PyValueError::new_err(format!("at: was {at}; allowed: 0..{}", boards.len() - 1)))?;
        let scale = positive("scale", scale)?;
        Ok(py.detach(|| listing::river(board, &self.solution.payoffs, scale)))
    }

    /// A starting hand's sums over `UTH_DEALS` / 1326 deals: check, everything but the Play Wager, a Play Wager.
    fn start(&self, hole: &[u8]) -> PyResult<(i128, i128, i128)> {
        let [one, other] = cards("hole", hole)?;
        let start = &self.solution.starts[hole_index(one, other)];
        Ok((start.check, start.base, start.play))
    }

    /// The sums over turns, rivers and dealers after a flop: check, everything but the Play Wager, a Play Wager.
    fn flop(&self, hole: &[u8], flop: &[u8]) -> PyResult<Sums> {
        let all: [u8; 5] = cards("hole + flop", &[hole, flop].concat())?;
        let ([one, other], flop) = (cards("hole", hole)?, cards::<3>("flop", flop)?);
        debug_assert_eq!(all.len(), 5);
        let (place, names) = self.places[deck::flop_index(flop)];
        Ok(self.solution.after[usize::from(place)][hole_index(deck::renamed(one, names), deck::renamed(other, names))])
    }

    /// The sums over the 990 dealers: everything but the Play Wager, a Play Wager of one Ante, a fold.
    fn river(&self, hole: &[u8], board: &[u8]) -> PyResult<(i64, i64, i64)> {
        cards::<7>("hole + board", &[hole, board].concat())?;
        let ([one, other], board) = (cards("hole", hole)?, cards("board", board)?);
        let (board, suit) = Board::of(board);
        let class = hole_class(one, other, suit);
        let hole = showdowns(&board).into_iter().find(|hole| hole.class() == class);
        let [base, play] = self.solution.payoffs.sums(&hole.expect("two cards that are left have a class"));
        Ok((base, play, 990 * self.solution.payoffs.fold))
    }

    /// By made and draw on the flop: how often, and what twice the Ante is worth beyond a check, a sum over as many times
    /// 1081 * 990.
    #[getter]
    fn flop_looks(&self, py: Python<'_>) -> Vec<Vec<Worth>> {
        py.detach(|| card::flop_looks(&self.solution)).iter().map(|draws| draws.to_vec()).collect()
    }

    /// By whether an own card makes a pair or better, and by dealer's outs on the river: how often, in tenths of a river,
    /// and what the Ante is worth beyond a fold, a sum over as many times 990.
    #[pyo3(signature = (progress = None))]
    fn river_looks(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Vec<Worth>>> {
        let looks = watched(py, progress, outcomes::STEPS, |progress| card::river_looks(&self.solution, progress))?;
        Ok(looks.to_vec())
    }

    /// The player's result when this card is followed, a sum over `UTH_DEALS`: antes at once by class of starting hand,
    /// what raises on the flop, whether an own pair bets on the river and at most how many outs do.
    #[pyo3(signature = (starts, made, draws, own, outs, progress = None))]
    #[allow(clippy::too_many_arguments)] // the parts of a card
    fn card_value(
        &self,
        py: Python<'_>,
        starts: &[u8],
        made: Vec<bool>,
        draws: Vec<bool>,
        own: bool,
        outs: i64,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<i128> {
        let wrong = |field: &str, allowed: &str| PyValueError::new_err(format!("{field}: allowed: {allowed}"));
        let starts: Vec<PreFlop> = starts
            .iter()
            .map(|antes| match antes {
                0 => Ok(PreFlop::Check),
                3 => Ok(PreFlop::Three),
                4 => Ok(PreFlop::Four),
                _ => Err(wrong("starts", "0, 3 or 4")),
            })
            .collect::<PyResult<_>>()?;
        if starts.len() != 169 {
            return Err(wrong("starts", "169 classes"));
        }
        let card = Card {
            starts,
            made: made.try_into().map_err(|_| wrong("made", "18 truths"))?,
            draws: draws.try_into().map_err(|_| wrong("draws", "14 truths"))?,
            own,
            outs,
        };
        watched(py, progress, solve::STEPS, |progress| card::value(&self.solution.payoffs, &card, progress))
    }

    /// A canonical flop by its place: its cards, how many it stands for, and its hands' sums as 64-bit integers, three a
    /// hand in the order of two-card numbers (`high * (high - 1) / 2 + low`); zeros for hands that hold one of its cards.
    fn flop_sums<'py>(
        &self,
        py: Python<'py>,
        place: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, u64, Bound<'py, PyBytes>)> {
        let flop = self.solution.flops.get(place).ok_or_else(|| {
            PyValueError::new_err(format!("place: was {place}; allowed: 0..{}", deck::CANONICAL_FLOPS - 1))
        })?;
        let sums: Vec<u8> = self.solution.after[place].iter().flatten().flat_map(|sum| sum.to_ne_bytes()).collect();
        Ok((PyBytes::new(py, &flop.cards), flop.weight, PyBytes::new(py, &sums)))
    }
}

/// Raise It Up Stud under best play.
#[pyclass(frozen, module = "pitstream.odds")]
struct Stud {
    solution: stud::Solution,
    places: Vec<(u16, [u8; 4])>,
}

#[pyfunction]
#[pyo3(signature = (base, play, fold, lost, asked_again, progress = None))]
fn stud_solve(
    py: Python<'_>,
    base: Vec<i64>,
    play: Vec<i64>,
    fold: i64,
    lost: i64,
    asked_again: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stud> {
    let payoffs = stud::Payoffs { base: array("base", base)?, play: array("play", play)?, fold, lost, asked_again };
    for value in payoffs.base.iter().chain(&payoffs.play).chain([&fold, &lost]) {
        within("payoff", *value, stud::PAYOFF_MAX)?;
    }
    watched(py, progress, deck::CANONICAL_FLOPS, |progress| {
        let solution = stud::solve(payoffs, progress)?;
        let places = deck::canonical_places(&deck::canonical_flops());
        Ok(Stud { solution, places })
    })
}

impl Stud {
    /// The hand that stands for these three cards, and the suits' names there.
    fn hand(&self, own: [u8; 3]) -> (&stud::Hand, [u8; 4]) {
        let (place, names) = self.places[deck::flop_index(own)];
        (&self.solution.hands[usize::from(place)], names)
    }
}

#[pymethods]
impl Stud {
    /// The player's result of best play, a sum over `STUD_DEALS`.
    #[getter]
    fn total(&self) -> i128 {
        self.solution.total()
    }

    /// Orders of deals by [action][kind of the own three cards][kind of the best five of six].
    #[getter]
    fn outcomes(&self) -> Vec<Vec<Vec<u64>>> {
        self.solution.cells.iter().map(|own| own.iter().map(|row| row.to_vec()).collect()).collect()
    }

    /// The canonical own hands: cards, how many each stands for, Third Street's values, sums over 49 * 48 * 47.
    #[getter]
    fn hands(&self) -> Vec<(Vec<u8>, u64, [i64; stud::THIRD])> {
        self.solution.hands.iter().map(|hand| (hand.own.cards.to_vec(), hand.own.weight, hand.third)).collect()
    }

    /// Third Street's values of three cards: check, 1x, 2x, 3x, sums over 49 * 48 * 47.
    fn third(&self, own: &[u8]) -> PyResult<[i64; stud::THIRD]> {
        Ok(self.hand(cards("own", own)?).0.third)
    }

    /// Fourth Street's values after this choice on Third, sums over 48 * 47; none that cannot be chosen.
    fn fourth(&self, own: &[u8], first: u8, third: usize) -> PyResult<Vec<i64>> {
        cards::<4>("own + first", &[own, &[first]].concat())?;
        let (hand, names) = self.hand(cards("own", own)?);
        if third >= stud::THIRD {
            return Err(PyValueError::new_err(format!("third: was {third}; allowed: 0..3")));
        }
        let first = deck::renamed(first, names);
        let place = hand.deck.iter().position(|&card| card == first).expect("a card that is left");
        Ok(hand.fourth[place][third][self.solution.payoffs.fourth_choices(third)].to_vec())
    }

    /// Fifth Street's sums over the 47 last cards: Ante and Blind, a Play Wager of one Ante, a fold of Ante and Blind.
    fn fifth(&self, own: &[u8], board: &[u8]) -> PyResult<(i64, i64, i64)> {
        cards::<5>("own + board", &[own, board].concat())?;
        let (hand, names) = self.hand(cards("own", own)?);
        let places = cards::<2>("board", board)?.map(|card| {
            let card = deck::renamed(card, names);
            hand.deck.iter().position(|&left| left == card).expect("a card that is left")
        });
        let [base, play, ..] = hand.pairs[stud::pair(places[0], places[1])];
        Ok((base, play, 47 * self.solution.payoffs.fold))
    }

    /// Every decision on Fifth Street of a canonical hand by its place, with no Play Wager standing, as lines of CSV;
    /// `scale`: units to an Ante.
    fn fifth_lines(&self, py: Python<'_>, place: usize, scale: i64) -> PyResult<String> {
        let hand = self.solution.hands.get(place).ok_or_else(|| {
            PyValueError::new_err(format!("place: was {place}; allowed: 0..{}", deck::CANONICAL_FLOPS - 1))
        })?;
        let scale = positive("scale", scale)?;
        Ok(py.detach(|| listing::fifth_street(hand, &self.solution.payoffs, scale)))
    }

    /// By whether a last card can make a straight or better, and by outs: how often a seat is asked on Fifth Street with
    /// no Play Wager standing, and what the bet is worth beyond a fold, a sum over as many times 47 last cards.
    #[getter]
    fn fifth_by_outs(&self) -> Vec<Vec<(u64, i128)>> {
        self.solution.fifth_by_outs().iter().map(|outs| outs.to_vec()).collect()
    }

    /// By canonical hand and first card: what a check on Fourth Street is worth when Fifth Street is bet with at least so
    /// many outs, without and with a straight or better among them; sums over 48 * 47.
    fn fourth_checks(&self, least_outs: [i64; 2]) -> Vec<Vec<i64>> {
        self.solution.fourth_checks(least_outs).iter().map(|checks| checks.to_vec()).collect()
    }

    /// A canonical hand's cards that can come, in the order of `fourth_checks`, each with Fourth Street's values after a
    /// check, sums over 48 * 47.
    fn fourth_of(&self, place: usize) -> PyResult<Vec<(u8, Vec<i64>)>> {
        let hand = self.solution.hands.get(place).ok_or_else(|| {
            PyValueError::new_err(format!("place: was {place}; allowed: 0..{}", deck::CANONICAL_FLOPS - 1))
        })?;
        let choices = self.solution.payoffs.fourth_choices(0);
        Ok(hand.deck.iter().zip(&hand.fourth).map(|(&card, by)| (card, by[0][choices.clone()].to_vec())).collect())
    }
}

/// Cards, how many hands it stands for, flops by kind.
type FlopPokerHand = (Vec<u8>, u64, Vec<u64>);

/// The canonical own hands of Flop Poker: cards, how many each stands for, its 18,424 flops by kind of hand.
#[pyfunction]
#[pyo3(signature = (progress = None))]
fn flop_poker_hands(py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<FlopPokerHand>> {
    let hands = watched(py, progress, deck::CANONICAL_FLOPS, flop::hands)?;
    Ok(hands.into_iter().map(|(own, counts)| (own.cards.to_vec(), own.weight, counts.to_vec())).collect())
}

/// The kind of three cards, 0..9.
#[pyfunction]
#[pyo3(name = "three_kind")]
fn py_three_kind(own: &[u8]) -> PyResult<usize> {
    Ok(three_kind(cards("own", own)?))
}

/// Names this version, its sources and the evaluator's tables.
#[pyfunction]
#[pyo3(name = "fingerprint")]
fn py_fingerprint() -> String {
    crate::fingerprint()
}

#[pymodule]
mod _odds {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::{Stud, Uth, flop_poker_hands, py_fingerprint, py_three_kind, stud_solve, uth_solve, uth_value};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("UTH_BOARDS", 42_783)?;
        module.add("UTH_DEALS", super::Solution::DEALS)?;
        module.add("STUD_DEALS", crate::stud::DEALS)?;
        module.add("UTH_PAYOFF_MAX", super::solve::PAYOFF_MAX)?;
        module.add("STUD_PAYOFF_MAX", crate::stud::PAYOFF_MAX)
    }
}
