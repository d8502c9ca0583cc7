//! Reads hands in the forms that Python gives them, and says in errors where, what was found and what is allowed.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString, PyTuple};

use super::{Card, CardCountError, CardError, RepeatedCardError};
use crate::cards::{self, Fault};
use crate::rank;

pub(super) const A_CARD: &str = r#"a rank 23456789TJQKA and a suit cdhs ("Td")"#;
pub(super) const FIVE_TO_SEVEN: &str = "5, 6 or 7";
const A_HAND: &str = "a list or tuple of Card, a str, bytes of card ids, or an int with a bit for each card id";

/// The ids of at most seven cards, and how many cards were given.
///
/// The ids share one word, the first in its lowest byte: it stays in a register, where eight bytes written one by one
/// and read back as a whole would make the processor wait.
pub(super) struct Hand {
    ids: u64,
    count: usize,
}

impl Hand {
    /// Adds a card. From the ninth on `ids` means nothing: so many are counted for the message, never ranked.
    #[inline]
    fn push(&mut self, id: u8) {
        self.ids |= u64::from(id) << (8 * self.count % 64);
        self.count += 1;
    }

    /// The value of the best five when there are five, six or seven cards.
    #[inline]
    pub(super) fn rank(&self) -> PyResult<u16> {
        let ids = self.ids.to_le_bytes();
        match self.count {
            7 => rank::rank::<7>(ids.first_chunk().expect("eight ids")),
            6 => rank::rank::<6>(ids.first_chunk().expect("eight ids")),
            5 => rank::rank::<5>(ids.first_chunk().expect("eight ids")),
            _ => return Err(self.wrong_count("cards", FIVE_TO_SEVEN)),
        }
        .map_err(hand_error("cards"))
    }

    /// The ids, when there are five, six or seven.
    pub(super) fn five_to_seven(&self) -> PyResult<Vec<u8>> {
        match self.count {
            5..=7 => Ok(self.ids.to_le_bytes()[..self.count].to_vec()),
            _ => Err(self.wrong_count("cards", FIVE_TO_SEVEN)),
        }
    }

    /// The ids of the hand `field`, when there are three.
    pub(super) fn three(&self, field: &str) -> PyResult<[u8; 3]> {
        let [first, second, third, ..] = self.ids.to_le_bytes();
        if self.count == 3 { Ok([first, second, third]) } else { Err(self.wrong_count(field, "3")) }
    }

    #[cold]
    fn wrong_count(&self, field: &str, allowed: &str) -> PyErr {
        CardCountError::new_err(format!("{field}: were {} cards; allowed: {allowed}", self.count))
    }
}

/// Reads a hand in any of its forms; checks that each part is a card, not yet that the hand can exist.
#[inline]
pub(super) fn read_hand(field: &str, hand: &Bound<'_, PyAny>) -> PyResult<Hand> {
    let mut read = Hand { ids: 0, count: 0 };
    if let Ok(list) = hand.cast::<PyList>() {
        for card in list.iter() {
            read.push(card_id(&card).ok_or_else(|| not_a_card(field, read.count, &card))?);
        }
    } else if let Ok(tuple) = hand.cast::<PyTuple>() {
        for card in tuple.iter_borrowed() {
            read.push(card_id(&card).ok_or_else(|| not_a_card(field, read.count, &card))?);
        }
    } else if let Ok(text) = hand.cast::<PyString>() {
        read_text(field, text, &mut read)?;
    } else if let Ok(ids) = hand.cast::<PyBytes>() {
        ids.as_bytes().iter().for_each(|&id| read.push(id));
    } else if let Ok(mask) = hand.cast_exact::<PyInt>() {
        read_mask(field, mask, &mut read)?;
    } else {
        return Err(wrong_type(field, hand, A_HAND));
    }
    Ok(read)
}

#[inline]
fn card_id(card: &Bound<'_, PyAny>) -> Option<u8> {
    card.cast::<Card>().ok().map(|card| card.get().id)
}

#[cold]
fn not_a_card(field: &str, index: usize, was: &Bound<'_, PyAny>) -> PyErr {
    wrong_type(&format!("{field}[{index}]"), was, "a Card")
}

/// Reads `AsKd` or `As Kd`: one space may stand between two cards.
fn read_text(field: &str, text: &Bound<'_, PyString>, read: &mut Hand) -> PyResult<()> {
    // A str that is no UTF-8 holds a lone surrogate, which is no card: its own text then says so.
    let Ok(string) = text.to_str() else {
        return Err(unknown_text(field, &shown_text(text)));
    };
    let mut rest = string.as_bytes();
    while let [rank, suit, after @ ..] = rest {
        let Some(id) = cards::id_from_text(*rank, *suit) else {
            break;
        };
        read.push(id);
        rest = match after {
            [b' ', next @ ..] if !next.is_empty() => next,
            _ => after,
        };
    }
    if rest.is_empty() {
        return Ok(());
    }
    // Only ASCII has been read, so the rest starts at a character.
    let wrong: String = string[string.len() - rest.len()..].chars().take(2).collect();
    Err(unknown_text(&format!("{field}[{}]", read.count), &quoted(&wrong)))
}

fn read_mask(field: &str, mask: &Bound<'_, PyInt>, read: &mut Hand) -> PyResult<()> {
    match mask.extract::<u64>() {
        Ok(mut bits) if bits >> cards::DECK == 0 => {
            while bits != 0 {
                #[allow(clippy::cast_possible_truncation)] // a bit's number is below 64
                read.push(bits.trailing_zeros() as u8);
                bits &= bits - 1;
            }
            Ok(())
        }
        _ => Err(CardError::new_err(format!("{field}: was {}; allowed: an int with bits 0..51", shown(mask)))),
    }
}

#[cold]
pub(super) fn wrong_type(field: &str, was: &Bound<'_, PyAny>, allowed: &str) -> PyErr {
    PyTypeError::new_err(format!("{field}: was {}; allowed: {allowed}", shown(was)))
}

#[cold]
pub(super) fn unknown_text(field: &str, was: &str) -> PyErr {
    CardError::new_err(format!("{field}: was {was}; allowed: {A_CARD}"))
}

/// What an error shows of a wrong argument: its repr, cut to a length that fits a log line.
pub(super) fn shown(wrong: &Bound<'_, PyAny>) -> String {
    if let Ok(text) = wrong.cast::<PyString>() {
        return shown_text(text);
    }
    let repr = wrong.repr().map(|repr| repr.to_string_lossy().into_owned());
    cut(&repr.unwrap_or_else(|_| format!("a {}", wrong.get_type())))
}

pub(super) fn shown_text(text: &Bound<'_, PyString>) -> String {
    quoted(&text.to_string_lossy())
}

fn quoted(text: &str) -> String {
    format!("{:?}", cut(text))
}

fn cut(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain("…".chars()).collect() }
}

/// A fault as its Python error; `field` is the hand's name, `id_field` the name of the card at an index.
pub(super) fn fault_error(field: &str, fault: Fault, id_field: impl FnOnce(usize) -> String) -> PyErr {
    match fault {
        Fault::Unknown { index, id } => CardError::new_err(format!("{}: was {id}; allowed: 0..51", id_field(index))),
        Fault::Repeated { id } => RepeatedCardError::new_err(format!("{field}: card {} twice", cards::text(id))),
    }
}

pub(super) fn hand_error(field: &'static str) -> impl FnOnce(Fault) -> PyErr {
    move |fault| fault_error(field, fault, |index| format!("{field}[{index}]"))
}
