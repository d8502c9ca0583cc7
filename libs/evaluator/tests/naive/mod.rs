//! An evaluator that knows the rules and nothing of the tables.

/// Category and deciding ranks of five cards, from their ranks and suits alone: comparing two of these compares hands.
pub fn naive(ids: [u8; 5]) -> (usize, Vec<u8>) {
    let mut groups: Vec<(usize, u8)> = (0..13)
        .map(|rank| (ids.iter().filter(|&&id| id / 4 == rank).count(), rank))
        .filter(|group| group.0 > 0)
        .collect();
    groups.sort_unstable_by(|left, right| right.cmp(left));
    let counts: Vec<usize> = groups.iter().map(|group| group.0).collect();
    let ranks: Vec<u8> = groups.iter().map(|group| group.1).collect();
    let suited = ids.iter().all(|id| id % 4 == ids[0] % 4);
    let high = match ranks[..] {
        [12, 3, 2, 1, 0] => Some(3),
        [high, _, _, _, low] if high - low == 4 => Some(high),
        _ => None,
    };
    match (&counts[..], high, suited) {
        (_, Some(12), true) => (9, vec![12]),
        (_, Some(high), true) => (8, vec![high]),
        ([4, 1], ..) => (7, ranks),
        ([3, 2], ..) => (6, ranks),
        (_, None, true) => (5, ranks),
        (_, Some(high), false) => (4, vec![high]),
        ([3, ..], ..) => (3, ranks),
        ([2, 2, 1], ..) => (2, ranks),
        ([2, ..], ..) => (1, ranks),
        _ => (0, ranks),
    }
}
