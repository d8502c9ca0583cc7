-- What must hold of every table, at every moment, in this schema.

-- invariant: a_table_s_rounds_are_numbered_without_a_gap
-- A table's rounds are 1, 2, 3 … up to its last one, each with an event that opened it.
SELECT t.table_id, t.last_round_no, count(r.round_no) AS rounds, count(e.version) AS opened
FROM tables t
LEFT JOIN rounds r USING (table_id)
LEFT JOIN events e ON e.stream = 'round/' || r.table_id || '/' || r.round_no AND e.version = 1
GROUP BY t.table_id, t.last_round_no
HAVING count(r.round_no) <> t.last_round_no OR count(e.version) <> t.last_round_no
    OR coalesce(max(r.round_no), 0) <> t.last_round_no;

-- invariant: only_a_table_s_last_round_is_being_played
-- Every earlier round was closed by its last event, and so was the last one of a table without a round in progress.
SELECT r.table_id, r.round_no, closed.type AS last_event
FROM rounds r JOIN tables t USING (table_id)
CROSS JOIN LATERAL (
    SELECT e.type FROM events e WHERE e.stream = 'round/' || r.table_id || '/' || r.round_no
    ORDER BY e.version DESC LIMIT 1
) AS closed
WHERE (r.round_no < t.last_round_no OR NOT t.round_is_open)
  AND closed.type NOT IN ('pitstream.rounds.v1.RoundFinished', 'pitstream.rounds.v1.RoundVoided');

-- invariant: progressive_wagers_are_counted_of_rounds_that_were_dealt
-- What a network owes an answer for was wagered in a round of the table, in the network's own currency.
SELECT s.table_id, s.round_no, s.network, s.currency, n.currency AS network_currency
FROM network_stakes s
LEFT JOIN rounds r USING (table_id, round_no)
LEFT JOIN networks n USING (network)
WHERE r.round_no IS NULL OR n.currency IS DISTINCT FROM s.currency;
