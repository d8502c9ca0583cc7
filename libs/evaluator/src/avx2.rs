//! The batch path for x86-64 processors with AVX2.
use crate::batch::{RowFault, rank_rows};

/// Whether this processor can run [`rank_many`]'s own path.
#[must_use]
pub fn available() -> bool {
    false
}

pub(crate) fn rank_many<const CARDS: usize>(
    hands: &[[u8; CARDS]],
    values: &mut [[u8; 2]],
) -> Result<(), RowFault> {
    rank_rows(0, hands, values)
}
