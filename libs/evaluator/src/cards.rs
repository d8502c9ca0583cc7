//! Cards as ids 0..51 (`4 * rank + suit`), their two-character text, and what can be wrong with a set of them.

/// Ranks by number: 0 is the two, 12 the ace.
pub const RANKS: &[u8; 13] = b"23456789TJQKA";
/// Suits by number.
pub const SUITS: &[u8; 4] = b"cdhs";
/// Cards in the deck; ids are below it.
pub const DECK: u8 = 52;

/// Why a set of cards cannot exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The card at this index has an id above 51.
    Unknown {
        /// Index within the hand.
        index: usize,
        /// The id found.
        id: u8,
    },
    /// This card is there twice.
    Repeated {
        /// The card's id.
        id: u8,
    },
}

/// The first fault of a set of cards, an unknown card before a repeated one.
///
/// # Errors
/// The fault; `Ok` when all ids are below 52 and different.
pub fn check(ids: &[u8]) -> Result<(), Fault> {
    if let Some(index) = ids.iter().position(|&id| id >= DECK) {
        return Err(Fault::Unknown { index, id: ids[index] });
    }
    let mut seen = 0u64;
    for &id in ids {
        if seen >> id & 1 == 1 {
            return Err(Fault::Repeated { id });
        }
        seen |= 1 << id;
    }
    Ok(())
}

/// The id of a card's two characters, `Td`; `None` for anything else, other letter cases included.
#[must_use]
pub fn id_from_text(rank: u8, suit: u8) -> Option<u8> {
    // 0xff marks what is no rank or suit; the two tables make a parse two loads and no search.
    const RANK_OF: [u8; 256] = positions(RANKS);
    const SUIT_OF: [u8; 256] = positions(SUITS);
    let (rank, suit) = (RANK_OF[rank as usize], SUIT_OF[suit as usize]);
    if rank == 0xff || suit == 0xff { None } else { Some(4 * rank + suit) }
}

/// A card's two characters.
///
/// # Panics
/// If `id` is above 51.
#[must_use]
pub fn text(id: u8) -> String {
    let rank = RANKS[usize::from(id / 4)];
    let suit = SUITS[usize::from(id % 4)];
    String::from_iter([char::from(rank), char::from(suit)])
}

#[allow(clippy::cast_possible_truncation)] // at most thirteen characters
const fn positions<const N: usize>(of: &[u8; N]) -> [u8; 256] {
    let mut table = [0xff; 256];
    let mut position = 0;
    while position < N {
        table[of[position] as usize] = position as u8;
        position += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_reads_back_from_its_text() {
        for id in 0..DECK {
            let written = text(id);
            assert_eq!(id_from_text(written.as_bytes()[0], written.as_bytes()[1]), Some(id));
        }
        assert_eq!([text(0), text(35), text(51)], ["2c", "Ts", "As"]);
    }

    #[test]
    fn other_letter_cases_are_no_cards() {
        for [rank, suit] in [*b"td", *b"TD", *b"1x", *b"as", *b"AS", *b"0c"] {
            assert_eq!(id_from_text(rank, suit), None);
        }
    }

    #[test]
    fn the_first_fault_is_named() {
        assert_eq!(check(&[0, 52, 0]), Err(Fault::Unknown { index: 1, id: 52 }));
        assert_eq!(check(&[7, 51, 3, 51]), Err(Fault::Repeated { id: 51 }));
        assert_eq!(check(&[0, 51]), Ok(()));
    }
}
