-- What must hold of every settled round, at every moment, in this schema.

-- invariant: a_round_is_settled_once
-- A round's settlement is one event; whatever follows it in its stream settles the corrected round, one correction each.
SELECT stream, version, type FROM events
WHERE stream LIKE 'settlement/%'
  AND (type = 'pitstream.settlements.v1.RoundSettled') <> (version = 1);

-- invariant: nothing_is_kept_of_a_settled_round
-- Events of a round wait here while it is played, and for no longer.
SELECT k.stream, count(*) AS events
FROM open_round_events k JOIN events e ON e.stream = 'settlement/' || substr(k.stream, length('round/') + 1)
GROUP BY k.stream;

-- invariant: sums_are_those_of_settled_rounds
-- What wagers came to at a whole table is told of settled rounds only; a void round without a wager has nothing to tell.
SELECT r.table_id, r.round_no, r.wager
FROM results r LEFT JOIN events e ON e.stream = 'settlement/' || r.table_id || '/' || r.round_no
WHERE e.stream IS NULL;
