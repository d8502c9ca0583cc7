//! Decisions as lines of CSV, too many to be made line by line elsewhere: a class of cards, how many sets of cards it
//! stands for, and what each choice is worth, as a fraction.

use std::fmt::Write;

use crate::deck::{deck_without, hole_index, renamed, symmetries};
use crate::stud;
use crate::uth::boards::{Board, DEALERS, Payoffs, SUITED_HOLES, class_of, showdowns};
use crate::uth::flops::hole_class;
use crate::uth::outcomes::BoardsOfClass;

/// The river of Ultimate Texas Hold'em on one class of board: board, hand, boards times hands, the bet, the fold.
///
/// # Panics
/// If the class holds no board.
#[must_use]
pub fn river(boards: &BoardsOfClass, payoffs: &Payoffs, scale: i64) -> String {
    let (_, same) = boards;
    let shown = same[0].0;
    let stands_for: u64 = same.iter().map(|&(_, weight)| weight).sum();
    let board_text = text(&shown);
    let fold = fraction(payoffs.fold.into(), scale.into());
    let suit = class_of(shown).1;
    let mut hands = [([0u8; 2], 0u64); SUITED_HOLES];
    let deck = deck_without(&shown);
    for (at, &high) in deck.iter().enumerate() {
        for &low in &deck[..at] {
            let (hand, count) = &mut hands[hole_class(high, low, suit)];
            *hand = [high, low];
            *count += 1;
        }
    }
    let mut lines = String::new();
    for hole in showdowns(&Board::of(shown).0) {
        let (hand, count) = hands[hole.class()];
        let [base, play] = payoffs.sums(&hole);
        let bet = fraction((base + play).into(), i128::from(scale) * i128::from(DEALERS));
        let hand = text(&hand);
        writeln!(lines, "{board_text},{hand},{},{bet},{fold}", stands_for * count).expect("a string takes all");
    }
    lines
}

/// Fifth Street of Raise It Up Stud with no Play Wager standing, for one own hand: own cards, board, own cards times
/// boards, the bet, the fold. Boards that the own cards' symmetry exchanges are one line.
#[must_use]
pub fn fifth_street(hand: &stud::Hand, payoffs: &stud::Payoffs, scale: i64) -> String {
    let names = symmetries(&hand.own.cards);
    let own = text(&hand.own.cards);
    let fold = fraction(payoffs.fold.into(), scale.into());
    let mut lines = String::new();
    for (high_at, &high) in hand.deck.iter().enumerate() {
        for (low_at, &low) in hand.deck[..high_at].iter().enumerate() {
            let mut alike: Vec<usize> =
                names.iter().map(|&names| hole_index(renamed(high, names), renamed(low, names))).collect();
            alike.sort_unstable();
            alike.dedup();
            if alike[0] != hole_index(high, low) {
                continue;
            }
            let [base, play, ..] = hand.pairs[stud::pair(high_at, low_at)];
            let bet = fraction((base + play).into(), 47 * i128::from(scale));
            let stands_for = hand.own.weight * alike.len() as u64;
            writeln!(lines, "{own},{},{stands_for},{bet},{fold}", text(&[high, low])).expect("a string takes all");
        }
    }
    lines
}

/// Cards as people write them, the highest first.
fn text(cards: &[u8]) -> String {
    let mut sorted = cards.to_vec();
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    let words = sorted.iter().map(|card| {
        let rank = char::from(b"23456789TJQKA"[usize::from(card / 4)]);
        let suit = char::from(b"cdhs"[usize::from(card % 4)]);
        format!("{rank}{suit}")
    });
    words.collect::<Vec<_>>().join(" ")
}

/// In lowest terms.
fn fraction(numerator: i128, denominator: i128) -> String {
    let (mut divisor, mut rest) = (denominator, numerator.abs());
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    let (numerator, denominator) = (numerator / divisor, denominator / divisor);
    if denominator == 1 { numerator.to_string() } else { format!("{numerator}/{denominator}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_in_lowest_terms() {
        let told = [(0, 5), (-6, 4), (10, 5), (7, 3), (-3, 1)].map(|(part, whole)| fraction(part, whole));
        assert_eq!(told, ["0", "-3/2", "2", "7/3", "-3"]);
    }

    #[test]
    fn cards_are_told_the_highest_first() {
        assert_eq!(text(&[0, 51, 22]), "As 7h 2c");
    }
}
