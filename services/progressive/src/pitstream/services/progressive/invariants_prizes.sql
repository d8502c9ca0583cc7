-- What must hold of every prize that waits for a floorperson, or waited.

-- invariant: a_prize_waits_or_was_decided_once
-- For every prize there is the event that put it there; a floorperson's word for each that does not wait any more.
SELECT coalesce(p.stream, e.stream) AS stream, p.prizes, e.pending, p.approved, e.approvals, p.refused, e.refusals
FROM (
    SELECT 'prize/' || table_id || '/' || round_no AS stream, count(*) AS prizes,
           count(*) FILTER (WHERE status = 'approved') AS approved,
           count(*) FILTER (WHERE status = 'refused') AS refused
    FROM prizes GROUP BY table_id, round_no
) AS p
FULL JOIN (
    SELECT stream, count(*) FILTER (WHERE type = 'pitstream.progressives.v1.PrizePending') AS pending,
           count(*) FILTER (WHERE type = 'pitstream.progressives.v1.PrizeApproved') AS approvals,
           count(*) FILTER (WHERE type = 'pitstream.progressives.v1.PrizeRefused') AS refusals
    FROM events WHERE stream LIKE 'prize/%' GROUP BY stream
) AS e USING (stream)
WHERE (p.prizes, p.approved, p.refused) IS DISTINCT FROM (e.pending, e.approvals, e.refusals);

-- invariant: a_questioned_prize_had_been_paid
-- What a correction lists as paid was approved by a floorperson before, and what it lists is listed once.
SELECT q.prize_id, q.table_id, q.round_no, p.status FROM questioned_prizes q LEFT JOIN prizes p USING (prize_id)
WHERE p.status IS DISTINCT FROM 'approved';
