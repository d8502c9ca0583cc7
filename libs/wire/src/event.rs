//! Envelopes and events of a round. The numbers are those of `proto/`: a field keeps its number for ever.

use std::str::from_utf8;

use crate::field::Value::{Bytes, Number};
use crate::field::each;

/// An envelope's `type` and `payload`.
#[must_use]
pub fn envelope(data: &[u8]) -> Option<(&str, &[u8])> {
    let (mut kind, mut payload) = ("", &data[..0]);
    each(data, |number, value| {
        match (number, value) {
            (4, Bytes(bytes)) => kind = from_utf8(bytes).ok()?,
            (13, Bytes(bytes)) => payload = bytes,
            (1 | 2 | 5 | 6 | 9 | 10 | 11, Bytes(bytes)) => drop(from_utf8(bytes).ok()?),
            (3 | 7 | 8, Number(_)) | (12, Bytes(_)) => {}
            _ => return None,
        }
        Some(())
    })?;
    Some((kind, payload))
}

/// `WagersPlaced`, without what its round says of itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Placed<'a> {
    /// Where.
    pub seat: u32,
    /// By whom.
    pub player: &'a str,
    /// Which of the seat's bundles.
    pub bundle: u32,
    /// Wagers and their money, in order.
    pub stakes: Vec<(&'a str, u64)>,
}

/// The event in a payload of type `WagersPlaced`.
#[must_use]
pub fn placed(payload: &[u8]) -> Option<Placed<'_>> {
    let mut placed = Placed::default();
    each(payload, |number, value| {
        match (number, value) {
            (3, Number(number)) => placed.seat = number.try_into().ok()?,
            (4, Bytes(bytes)) => placed.player = from_utf8(bytes).ok()?,
            (5, Number(number)) => placed.bundle = number.try_into().ok()?,
            (7, Bytes(bytes)) => placed.stakes.push(stake(bytes)?),
            (1 | 6, Bytes(bytes)) => drop(from_utf8(bytes).ok()?),
            (2, Number(_)) => {}
            _ => return None,
        }
        Some(())
    })?;
    Some(placed)
}

fn stake(message: &[u8]) -> Option<(&str, u64)> {
    let mut stake = ("", 0);
    each(message, |number, value| {
        match (number, value) {
            (1, Bytes(bytes)) => stake.0 = from_utf8(bytes).ok()?,
            (2, Number(number)) => stake.1 = number,
            _ => return None,
        }
        Some(())
    })?;
    Some(stake)
}

/// `HandsDealt`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Dealt<'a> {
    /// Seats and their cards.
    pub hands: Vec<(u32, Vec<&'a str>)>,
    /// The dealer's cards.
    pub dealer: Vec<&'a str>,
}

/// The event in a payload of type `HandsDealt`.
#[must_use]
pub fn dealt(payload: &[u8]) -> Option<Dealt<'_>> {
    let mut dealt = Dealt::default();
    each(payload, |number, value| {
        match (number, value) {
            (1, Bytes(bytes)) => dealt.hands.push(hand(bytes)?),
            (2, Bytes(bytes)) => dealt.dealer.push(from_utf8(bytes).ok()?),
            _ => return None,
        }
        Some(())
    })?;
    Some(dealt)
}

fn hand(message: &[u8]) -> Option<(u32, Vec<&str>)> {
    let (mut seat, mut cards) = (0, Vec::new());
    each(message, |number, value| {
        match (number, value) {
            (1, Number(number)) => seat = number.try_into().ok()?,
            (2, Bytes(bytes)) => cards.push(from_utf8(bytes).ok()?),
            _ => return None,
        }
        Some(())
    })?;
    Some((seat, cards))
}

/// `CommunityDealt`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Community<'a> {
    /// Revealed, in their order.
    pub cards: Vec<&'a str>,
    /// Burned before them.
    pub burned: Vec<&'a str>,
}

/// The event in a payload of type `CommunityDealt`.
#[must_use]
pub fn community(payload: &[u8]) -> Option<Community<'_>> {
    let mut dealt = Community::default();
    each(payload, |number, value| {
        match (number, value) {
            (1, Bytes(bytes)) => dealt.cards.push(from_utf8(bytes).ok()?),
            (2, Bytes(bytes)) => dealt.burned.push(from_utf8(bytes).ok()?),
            _ => return None,
        }
        Some(())
    })?;
    Some(dealt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_has_type_and_payload() {
        assert_eq!(envelope(b"\x0a\x01e\x18\x02\x22\x01T\x6a\x02\x08\x03"), Some(("T", &b"\x08\x03"[..])));
        assert_eq!(envelope(b""), Some(("", &b""[..])));
    }

    #[test]
    fn wagers_have_their_stakes_in_order() {
        let read = placed(b"\x18\x03\x22\x02p1\x28\x01\x3a\x08\x0a\x04ante\x10\x05\x3a\x07\x0a\x05blind").unwrap();
        let stakes = vec![("ante", 5), ("blind", 0)];
        assert_eq!(read, Placed { seat: 3, player: "p1", bundle: 1, stakes });
    }

    #[test]
    fn hands_have_their_cards_in_order() {
        let read = dealt(b"\x0a\x0a\x08\x02\x12\x02Td\x12\x02Js\x12\x029h").unwrap();
        assert_eq!(read, Dealt { hands: vec![(2, vec!["Td", "Js"])], dealer: vec!["9h"] });
        let read = community(b"\x0a\x02Td\x12\x029h\x0a\x02Js").unwrap();
        assert_eq!(read, Community { cards: vec!["Td", "Js"], burned: vec!["9h"] });
    }

    #[test]
    fn what_is_not_in_plain_form_is_left() {
        assert_eq!(envelope(b"\x22\x01\xff"), None, "a type that is no text");
        assert_eq!(envelope(b"\x0a\x01\xff"), None, "an id that is no text");
        assert_eq!(envelope(b"\x70\x01"), None, "a field that is not known");
        assert_eq!(envelope(b"\x08\x01"), None, "a text written as a number");
        assert_eq!(placed(b"\x18\x80\x80\x80\x80\x10"), None, "a seat of more than 32 bits");
        assert_eq!(placed(b"\x3a\x03\x0a\x04a"), None, "a stake that ends too early");
    }
}
