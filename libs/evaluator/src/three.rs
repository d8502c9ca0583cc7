//! The value of three cards alone, in the order of 58 Pa. Code 669a.6(c): the straight beats the flush.

use crate::cards::{self, Fault};

/// Set in every three-card value, so that none can be taken for a five-card one.
pub const THREE_CARDS: u32 = 1 << 16;
const CATEGORY_FROM: u32 = 12;
const ORDER: u32 = (1 << CATEGORY_FROM) - 1;

const NOTHING: u32 = 0;
const PAIR: u32 = 1;
const FLUSH: u32 = 2;
const STRAIGHT: u32 = 3;
const THREE_OF_A_KIND: u32 = 4;
const STRAIGHT_FLUSH: u32 = 5;
const ROYAL: u32 = 6;
/// Three-card categories, lowest first: nothing 0, pair, flush, straight, three of a kind, straight flush, royal 6.
pub const CATEGORIES: u32 = 7;

const ACE: u8 = 12;
const THREE: u8 = 1;
const TWO: u8 = 0;

/// The value of three cards: higher is better, equal exactly when the hands tie.
///
/// `wheel` says whether A-2-3 counts as a straight, the lowest.
///
/// # Errors
/// An id above 51, or a card twice.
pub fn rank(ids: [u8; 3], wheel: bool) -> Result<u32, Fault> {
    cards::check(&ids)?;
    let mut ranks = ids.map(|id| id / 4);
    ranks.sort_unstable_by(|left, right| right.cmp(left));
    let [high, middle, low] = ranks;
    let suited = ids.iter().all(|id| id % 4 == ids[0] % 4);
    let straight = if high == middle + 1 && middle == low + 1 {
        Some(high)
    } else if wheel && ranks == [ACE, THREE, TWO] {
        Some(THREE)
    } else {
        None
    };
    Ok(match (straight, suited) {
        (Some(ACE), true) => value(ROYAL, &[ACE]),
        (Some(high), true) => value(STRAIGHT_FLUSH, &[high]),
        (Some(high), false) => value(STRAIGHT, &[high]),
        (None, true) => value(FLUSH, &ranks),
        (None, false) if high == low => value(THREE_OF_A_KIND, &[high]),
        (None, false) if high == middle => value(PAIR, &[high, low]),
        (None, false) if middle == low => value(PAIR, &[low, high]),
        (None, false) => value(NOTHING, &ranks),
    })
}

/// The order within a category is its deciding ranks read as digits to base 13.
fn value(category: u32, deciding: &[u8]) -> u32 {
    let order = deciding.iter().fold(0, |order, &rank| 13 * order + u32::from(rank));
    THREE_CARDS | category << CATEGORY_FROM | order
}

/// A three-card value's category, 0..6; `None` when no three cards have this value.
#[must_use]
pub fn category(value: u32) -> Option<u32> {
    deciding_ranks(value).map(|_| (value & !THREE_CARDS) >> CATEGORY_FROM)
}

/// The ranks that decide a three-card value, most important first: a pair's rank and the third card, a straight's highest
/// card (1, the three, for A-2-3). `None` when no three cards have this value.
#[must_use]
pub fn deciding_ranks(value: u32) -> Option<Vec<u8>> {
    let category = (value & !THREE_CARDS) >> CATEGORY_FROM;
    if value & THREE_CARDS == 0 || category >= CATEGORIES {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)] // a digit to base 13
    let digit = |power: u32| ((value & ORDER) / 13u32.pow(power) % 13) as u8;
    let ranks = [digit(2), digit(1), digit(0)];
    let (left_out, deciding) = ranks.split_at(match category {
        NOTHING | FLUSH => 0,
        PAIR => 1,
        _ => 2,
    });
    let in_range = (value & ORDER) < 13u32.pow(3) && left_out.iter().all(|&rank| rank == 0);
    let possible = match (category, deciding) {
        (NOTHING | FLUSH, &[high, middle, low]) => high > middle && middle > low && high - low > 2,
        (PAIR, &[pair, kicker]) => pair != kicker,
        (STRAIGHT, &[high]) => high >= THREE,
        (STRAIGHT_FLUSH, &[high]) => high >= THREE && high != ACE,
        (THREE_OF_A_KIND, [_]) => true,
        (ROYAL, &[high]) => high == ACE,
        _ => false,
    };
    (in_range && possible).then(|| deciding.to_vec())
}
