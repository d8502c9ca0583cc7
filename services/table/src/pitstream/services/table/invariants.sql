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

-- invariant: what_is_confirmed_was_proposed_before
-- What is confirmed or declined was proposed by the event before it; who did either, the events say.
SELECT ended.stream, ended.version, ended.type
FROM events ended LEFT JOIN events proposed ON proposed.stream = ended.stream AND proposed.version = ended.version - 1
WHERE ended.type IN ('pitstream.rounds.v1.RoundCorrected', 'pitstream.rounds.v1.RoundCorrectionDeclined')
  AND proposed.type IS DISTINCT FROM 'pitstream.rounds.v1.RoundCorrectionProposed';

-- invariant: only_finished_rounds_are_corrected
-- A round that is being played, or is void, has nothing to put right.
SELECT corrected.table_id, corrected.round_no
FROM corrections AS corrected
LEFT JOIN events e ON e.stream = 'round/' || corrected.table_id || '/' || corrected.round_no
                  AND e.type = 'pitstream.rounds.v1.RoundFinished'
WHERE e.stream IS NULL;

-- invariant: disputes_and_corrections_are_those_of_their_streams
-- Every dispute and every correction is listed as its events have it, and of a round that was opened.
SELECT coalesce(told.stream, listed.stream) AS stream, told.state, listed.state AS listed
FROM (
    SELECT stream, CASE count(*) FILTER (WHERE type = 'pitstream.rounds.v1.DisputeDecided')
                   WHEN 0 THEN 'open' ELSE 'decided' END AS state
    FROM events WHERE starts_with(stream, 'dispute/') GROUP BY stream
    UNION ALL
    SELECT stream, format('%s proposed, %s confirmed', count(*) FILTER (WHERE type LIKE '%.RoundCorrectionProposed'),
                          count(*) FILTER (WHERE type LIKE '%.RoundCorrected'))
    FROM events WHERE starts_with(stream, 'correction/') GROUP BY stream
) AS told
FULL JOIN (
    SELECT format('dispute/%s/%s/%s', table_id, round_no, number) AS stream,
           CASE WHEN decision IS NULL THEN 'open' ELSE 'decided' END AS state
    FROM disputes JOIN rounds USING (table_id, round_no)
    UNION ALL
    SELECT format('correction/%s/%s', table_id, round_no),
           format('%s proposed, %s confirmed', count(*), count(*) FILTER (WHERE state = 'confirmed'))
    FROM corrections JOIN rounds USING (table_id, round_no) GROUP BY table_id, round_no
) AS listed USING (stream)
WHERE told.state IS DISTINCT FROM listed.state;
