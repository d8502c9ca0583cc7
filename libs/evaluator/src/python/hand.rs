//! Reads hands in the forms that Python gives them, and says in errors where, what was found and what is allowed.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString, PyTuple};

use super::{Card, CardCountError, CardError, RepeatedCardError};
use crate::cards::{self, Fault};

const MOST_CARDS: usize = 7;
pub(super) const A_CARD: &str = r#"a rank 23456789TJQKA and a suit cdhs ("Td")"#;
const A_HAND: &str = "a list or tuple of Card, a str, bytes of card ids, or an int with a bit for each card id";

/// The ids of at most seven cards.
pub(super) struct Hand {
    ids: [u8; MOST_CARDS],
    count: usize,
}

impl Hand {
    const fn new() -> Self {
        Self { ids: [0; MOST_CARDS], count: 0 }
    }

    /// Adds a card; past the seventh the cards are only counted, for the message.
    #[inline]
    fn push(&mut self, id: u8) {
        if let Some(place) = self.ids.get_mut(self.count) {
            *place = id;
        }
        self.count += 1;
    }

    /// The ids, when there are as many as `allowed` says.
    fn counted(&self, field: &str, least: usize, most: usize, allowed: &str) -> PyResult<&[u8]> {
        if self.count < least || self.count > most {
            let message = format!("{field}: were {} cards; allowed: {allowed}", self.count);
            return Err(CardCountError::new_err(message));
        }
        Ok(&self.ids[..self.count])
    }

    pub(super) fn five_to_seven(&self) -> PyResult<&[u8]> {
        self.counted("cards", 5, 7, "5, 6 or 7")
    }

    pub(super) fn three(&self, field: &str) -> PyResult<[u8; 3]> {
        Ok(self.counted(field, 3, 3, "3")?.try_into().expect("three cards"))
    }
}

/// Reads a hand in any of its forms; checks that each part is a card, not yet that the hand can exist.
#[inline]
pub(super) fn read_hand(field: &str, hand: &Bound<'_, PyAny>) -> PyResult<Hand> {
    let mut read = Hand::new();
    if let Ok(list) = hand.cast::<PyList>() {
        for card in list.iter() {
            read.push(read_card(field, read.count, &card)?);
        }
    } else if let Ok(tuple) = hand.cast::<PyTuple>() {
        for card in tuple.iter_borrowed() {
            read.push(read_card(field, read.count, &card)?);
        }
    } else if let Ok(text) = hand.cast::<PyString>() {
        read_text(field, text, &mut read)?;
    } else if let Ok(ids) = hand.cast::<PyBytes>() {
        ids.as_bytes().iter().for_each(|&id| read.push(id));
    } else if let Ok(mask) = hand.cast_exact::<PyInt>() {
        read_mask(field, mask, &mut read)?;
    } else {
        return Err(PyTypeError::new_err(format!("{field}: was {}; allowed: {A_HAND}", shown(hand))));
    }
    Ok(read)
}

#[inline]
fn read_card(field: &str, index: usize, card: &Bound<'_, PyAny>) -> PyResult<u8> {
    match card.cast::<Card>() {
        Ok(card) => Ok(card.get().id),
        Err(_) => Err(PyTypeError::new_err(format!("{field}[{index}]: was {}; allowed: a Card", shown(card)))),
    }
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
