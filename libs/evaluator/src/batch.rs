//! Many hands at a time: rows of card ids in, one 16-bit value a row out.

#[cfg(target_arch = "x86_64")]
use crate::avx2;
use crate::cards::Fault;
use crate::rank;

/// A batch's first row that no deck can deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowFault {
    /// Index of the row.
    pub row: usize,
    /// What is wrong with it.
    pub fault: Fault,
}

/// How a batch is ranked; both give the same values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// One hand at a time; runs everywhere and is the reference.
    Scalar,
    /// Four hands at a time, on processors that have AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Path {
    /// The fastest path that this processor can run.
    #[must_use]
    pub fn fastest() -> Self {
        #[cfg(target_arch = "x86_64")]
        if avx2::available() {
            return Self::Avx2;
        }
        Self::Scalar
    }

    /// The path's name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
        }
    }
}

/// Ranks rows of `CARDS` ids; `values` receives each value in the machine's byte order.
///
/// # Errors
/// The first row with an id above 51 or a card twice; what `values` then holds means nothing.
///
/// # Panics
/// If `hands` and `values` have different lengths, if `CARDS` is not 5, 6 or 7, or if the processor lacks the path.
pub fn rank_many<const CARDS: usize>(
    path: Path,
    hands: &[[u8; CARDS]],
    values: &mut [[u8; 2]],
) -> Result<(), RowFault> {
    assert_eq!(hands.len(), values.len(), "a value for each hand");
    match path {
        Path::Scalar => rank_rows(0, hands, values),
        #[cfg(target_arch = "x86_64")]
        Path::Avx2 => avx2::rank_many(hands, values),
    }
}

/// The scalar path; `first` is the index of the first of these rows in the whole batch.
pub(crate) fn rank_rows<const CARDS: usize>(
    first: usize,
    hands: &[[u8; CARDS]],
    values: &mut [[u8; 2]],
) -> Result<(), RowFault> {
    for (row, (hand, value)) in hands.iter().zip(values).enumerate() {
        let ranked = rank::rank(hand).map_err(|fault| RowFault { row: first + row, fault })?;
        *value = ranked.to_ne_bytes();
    }
    Ok(())
}
