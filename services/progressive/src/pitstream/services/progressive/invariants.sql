-- What must hold of every network, at every moment, in this schema.

-- invariant: a_meter_is_what_moved_it
-- The whole minor units of a meter with its overflow, and of its reserve, are the sum of the moves that its events made.
SELECT m.network, m.meter, m.amount + m.overflow AS stands_at, sum(v.moved) AS moved, m.reserve,
       sum(v.reserve_moved) AS reserve_moved
FROM meters m LEFT JOIN meter_moves v USING (network, meter)
GROUP BY m.network, m.meter
HAVING m.amount + m.overflow <> coalesce(sum(v.moved), 0) OR m.reserve <> coalesce(sum(v.reserve_moved), 0);

-- invariant: every_fraction_of_a_wager_is_somewhere
-- Meter + overflow + carry = what else moved it + all stakes times the rates that they were taken at, to the last
-- fraction; likewise the reserve. Both sides times the product of all denominators, so that nothing is ever rounded.
WITH by_rate AS (
    SELECT network, meter, rate_numerator, rate_denominator, reserve_numerator, reserve_denominator,
           sum(stakes::numeric) AS stakes
    FROM meter_moves WHERE stakes <> 0 GROUP BY 1, 2, 3, 4, 5, 6
), other AS (
    SELECT network, meter, sum(moved::numeric) AS moved, sum(reserve_moved::numeric) AS reserve_moved
    FROM meter_moves WHERE stakes = 0 GROUP BY 1, 2
), exact AS (
    SELECT m.network, m.meter, m.carry_denominator::numeric * coalesce(product(b.rate_denominator), 1) AS parts,
           m.reserve_carry_denominator::numeric * coalesce(product(b.reserve_denominator), 1) AS reserve_parts
    FROM meters m LEFT JOIN by_rate b USING (network, meter) GROUP BY m.network, m.meter
), fed AS (
    SELECT e.network, e.meter, sum(b.stakes * b.rate_numerator * div(e.parts, b.rate_denominator)) AS fed,
           sum(b.stakes * b.reserve_numerator * div(e.reserve_parts, b.reserve_denominator)) AS reserve_fed
    FROM exact e JOIN by_rate b USING (network, meter) GROUP BY 1, 2
)
SELECT m.network, m.meter,
       (m.amount + m.overflow - coalesce(o.moved, 0)) * e.parts + m.carry * div(e.parts, m.carry_denominator) AS stands_at,
       coalesce(f.fed, 0) AS fed,
       (m.reserve - coalesce(o.reserve_moved, 0)) * e.reserve_parts
       + m.reserve_carry * div(e.reserve_parts, m.reserve_carry_denominator) AS reserve_stands_at,
       coalesce(f.reserve_fed, 0) AS reserve_fed
FROM meters m JOIN exact e USING (network, meter) LEFT JOIN other o USING (network, meter)
LEFT JOIN fed f USING (network, meter)
WHERE (m.amount + m.overflow - coalesce(o.moved, 0)) * e.parts + m.carry * div(e.parts, m.carry_denominator)
      <> coalesce(f.fed, 0)
   OR (m.reserve - coalesce(o.reserve_moved, 0)) * e.reserve_parts
      + m.reserve_carry * div(e.reserve_parts, m.reserve_carry_denominator) <> coalesce(f.reserve_fed, 0);

-- invariant: the_tables_are_as_new_as_the_events
-- What is told of a network's meters is told of its last event.
SELECT m.network, m.meter, m.version, max(e.version) AS last_version
FROM meters m JOIN events e ON e.stream = 'progressive/' || m.network
GROUP BY m.network, m.meter HAVING m.version <> max(e.version);

-- invariant: a_void_round_gave_back_what_it_took
-- A return has a contribution of the same stakes at the same rates before it.
SELECT r.network, r.meter, r.table_id, r.round_no, r.stakes, c.stakes AS contributed
FROM meter_moves r LEFT JOIN meter_moves c
    ON (c.network, c.meter, c.table_id, c.round_no, c.kind) = (r.network, r.meter, r.table_id, r.round_no, 'contributed')
WHERE r.kind = 'returned' AND (
    c.version IS NULL OR c.version >= r.version OR c.stakes <> -r.stakes
    OR (c.rate_numerator, c.rate_denominator, c.reserve_numerator, c.reserve_denominator)
    <> (r.rate_numerator, r.rate_denominator, r.reserve_numerator, r.reserve_denominator)
);

-- invariant: every_hit_was_locked_once
-- Each hit has the one move of its lock, and a refused one the move of its return, too.
SELECT h.network, h.claim_id, h.status, count(*) FILTER (WHERE v.kind = 'locked') AS locks,
       count(*) FILTER (WHERE v.kind = 'refused') AS returns
FROM hits h LEFT JOIN meter_moves v ON v.network = h.network AND v.about = h.claim_id
GROUP BY h.network, h.claim_id
HAVING count(*) FILTER (WHERE v.kind = 'locked') <> 1
    OR count(*) FILTER (WHERE v.kind = 'refused') <> (h.status = 'refused')::int;

-- invariant: two_people_stand_behind_every_hand_pay
-- Who verified a hit is not who validated it, and both are named.
SELECT network, claim_id, state ->> 'verified_by' AS verified_by, state ->> 'decided_by' AS decided_by FROM hits
WHERE status = 'paid' AND state ->> 'verified_by' IS NOT DISTINCT FROM state ->> 'decided_by'
  -- Before hits were verified apart there was one person only.
  AND state -> 'locked' ->> 'account' IS NOT NULL;

-- invariant: two_people_stand_behind_every_change
-- Money that was corrected or transferred was asked for by one person and approved by another.
SELECT v.network, v.version, v.kind, c.proposed_by, c.decided_by
FROM meter_moves v LEFT JOIN changes c ON c.network = v.network AND c.proposal_id = v.about
WHERE v.kind IN ('corrected', 'sent') AND (c.status IS DISTINCT FROM 'approved' OR c.decided_by = c.proposed_by);

-- invariant: what_left_a_network_arrived
-- A transfer between networks arrives once, whole, in the transaction that sends it.
SELECT s.network, s.about AS transfer_id, s.moved, s.reserve_moved, r.network AS to_network, r.moved AS arrived
FROM (SELECT * FROM meter_moves WHERE kind = 'sent') s
FULL JOIN (SELECT * FROM meter_moves WHERE kind = 'received') r ON r.about = s.about
WHERE s.moved IS DISTINCT FROM -r.moved OR s.reserve_moved IS DISTINCT FROM -r.reserve_moved;

-- invariant: a_corrected_round_feeds_at_the_rates_of_its_round
-- What a correction added to a meter, or took off it, was counted at the rates at which the round had fed it.
SELECT r.network, r.meter, r.table_id, r.round_no, r.version
FROM meter_moves r JOIN meter_moves c
    ON (c.network, c.meter, c.table_id, c.round_no, c.kind) = (r.network, r.meter, r.table_id, r.round_no, 'contributed')
WHERE r.kind = 'recontributed' AND (
    c.version >= r.version
    OR (c.rate_numerator, c.rate_denominator, c.reserve_numerator, c.reserve_denominator)
    <> (r.rate_numerator, r.rate_denominator, r.reserve_numerator, r.reserve_denominator)
);

-- invariant: a_round_never_fed_less_than_nothing
-- What corrections took off a round's stakes had been there.
SELECT network, meter, table_id, round_no, sum(stakes) AS stakes FROM meter_moves
WHERE kind IN ('contributed', 'recontributed') GROUP BY network, meter, table_id, round_no HAVING sum(stakes) < 0;
