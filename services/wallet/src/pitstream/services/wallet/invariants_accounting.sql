-- What holds of table accounting at every moment. `pitstream audit` runs these; a row is a fault.

-- invariant: a_slip_that_counts_has_two_people_of_two_roles
-- Nobody signs a slip twice, and its two signatures are of two roles.
SELECT owner, slip, prepared_by, slips.role AS first_role, slip_ends.by AS signed_by, slip_ends.role AS second_role
FROM slips JOIN slip_ends USING (owner, slip)
WHERE state = 'signed' AND (slip_ends.by = prepared_by OR slip_ends.role = slips.role);

-- invariant: a_slip_s_amount_is_that_of_its_pieces
-- What a slip comes to is its denominations times their pieces.
SELECT owner, slip, amount, coalesce(sum((piece ->> 'denomination')::numeric * (piece ->> 'pieces')::numeric), 0) AS pieces
FROM slips LEFT JOIN LATERAL jsonb_array_elements(pieces) AS piece ON true
GROUP BY owner, slip, amount
HAVING amount <> coalesce(sum((piece ->> 'denomination')::numeric * (piece ->> 'pieces')::numeric), 0);

-- invariant: a_table_s_day_has_one_opener_and_a_shift_one_closer
-- Two openers of a day, or two closers of a shift, would leave it open which of them the win is counted from.
SELECT table_id, currency, gaming_day, kind, CASE kind WHEN 'closer' THEN shift ELSE '' END AS of_shift, count(*) AS slips
FROM slips JOIN slip_ends USING (owner, slip)
WHERE state = 'signed' AND kind IN ('opener', 'closer')
GROUP BY table_id, currency, gaming_day, kind, of_shift HAVING count(*) > 1;

-- invariant: fills_credits_and_drops_moved_what_they_say
-- What the ledger moved for fills, credits and drops of a table is what is signed for its open days and in force for its
-- closed ones, corrections included.
WITH in_force AS (
    SELECT DISTINCT ON (table_id, currency, gaming_day) table_id, currency, gaming_day, sheet
    FROM day_sheets ORDER BY table_id, currency, gaming_day, book DESC
), said AS (
    SELECT table_id, currency, kind, sum(amount) AS amount
    FROM (
        SELECT table_id, currency, kind, amount
        FROM slips JOIN slip_ends USING (owner, slip)
        WHERE state = 'signed' AND kind IN ('fill', 'credit', 'drop')
          AND (table_id, currency, gaming_day) NOT IN (SELECT table_id, currency, gaming_day FROM in_force)
        UNION ALL
        SELECT table_id, currency, figure.kind, (count ->> figure.name)::numeric
        FROM in_force, jsonb_array_elements(sheet -> 'counts') AS count,
             (VALUES ('fill', 'fills'), ('credit', 'credits'), ('drop', 'drop')) AS figure (kind, name)
    ) AS parts
    GROUP BY table_id, currency, kind
), moved AS (
    SELECT split_part(one, '/', 2) AS table_id, currency, code AS kind, sum(amount) AS amount
    FROM (
        SELECT credit AS one, currency, code, amount FROM transfers WHERE code = 'fill' AND starts_with(credit, 'table/')
        UNION ALL
        SELECT debit, currency, code, -amount FROM transfers WHERE code = 'fill' AND starts_with(debit, 'table/')
        UNION ALL
        SELECT debit, currency, code, amount FROM transfers WHERE code = 'credit' AND starts_with(debit, 'table/')
        UNION ALL
        SELECT credit, currency, code, -amount FROM transfers WHERE code = 'credit' AND starts_with(credit, 'table/')
        UNION ALL
        SELECT debit, currency, code, amount FROM transfers WHERE code = 'drop' AND starts_with(debit, 'drop/')
        UNION ALL
        SELECT credit, currency, code, -amount FROM transfers WHERE code = 'drop' AND starts_with(credit, 'drop/')
    ) AS legs
    GROUP BY table_id, currency, kind
)
SELECT table_id, currency, kind, coalesce(said.amount, 0) AS said, coalesce(moved.amount, 0) AS moved
FROM said FULL JOIN moved USING (table_id, currency, kind)
WHERE coalesce(said.amount, 0) <> coalesce(moved.amount, 0);

-- invariant: a_buy_in_is_what_its_transfer_moved
-- Chips left the table's inventory for the player's account, as many as the buy-in says.
SELECT transfer_id, buy_ins.table_id, buy_ins.player, buy_ins.amount, debit, credit, transfers.amount AS moved
FROM buy_ins JOIN transfers USING (transfer_id)
WHERE buy_ins.amount <> transfers.amount OR code <> 'buy_in'
   OR (debit, credit) <> (format('table/%s/%s', buy_ins.table_id, buy_ins.currency),
                          format('player/%s/%s', buy_ins.player, buy_ins.currency));

-- invariant: closed_figures_are_those_of_their_rounds
-- The handle and the take in force of a closed day are the sums of the rounds that it was fixed on, not one more or less.
WITH in_force AS (
    SELECT DISTINCT ON (table_id, currency, gaming_day) table_id, currency, gaming_day, book, sheet
    FROM day_sheets ORDER BY table_id, currency, gaming_day, book DESC
), fixed AS (
    SELECT table_id, currency, gaming_day, book, (sheet ->> 'rounds')::numeric AS rounds,
           coalesce(sum((wager ->> 'handle')::numeric), 0) AS handle,
           coalesce(sum((wager ->> 'taken')::numeric), 0) AS taken
    FROM in_force LEFT JOIN LATERAL jsonb_array_elements(sheet -> 'wagers') AS wager ON true
    GROUP BY table_id, currency, gaming_day, book, sheet
), played AS (
    SELECT fixed.table_id, fixed.currency, fixed.gaming_day, count(DISTINCT rounds.round_no) AS rounds,
           coalesce(sum(wagers.handle), 0) AS handle, coalesce(sum(wagers.taken), 0) AS taken
    FROM in_force AS fixed
    LEFT JOIN table_rounds AS rounds ON rounds.table_id = fixed.table_id AND rounds.currency = fixed.currency
                                    AND rounds.gaming_day = fixed.gaming_day AND rounds.book < fixed.book
    LEFT JOIN (
        SELECT table_id, round_no, handle, taken, 0 AS corrected_in FROM table_wagers
        UNION ALL
        SELECT table_id, round_no, handle, taken, book FROM corrected_wagers
    ) AS wagers ON wagers.table_id = rounds.table_id AND wagers.round_no = rounds.round_no
               AND wagers.corrected_in < fixed.book
    GROUP BY fixed.table_id, fixed.currency, fixed.gaming_day
)
SELECT table_id, currency, gaming_day, fixed.rounds, played.rounds AS played, fixed.handle, played.handle AS wagered,
       fixed.taken, played.taken AS took
FROM fixed JOIN played USING (table_id, currency, gaming_day)
WHERE (fixed.rounds, fixed.handle, fixed.taken) <> (played.rounds, played.handle, played.taken);

-- invariant: every_settled_round_belongs_to_a_gaming_day
-- A round that the ledger has settled is among its table's day; only rounds from before there was table accounting are
-- not.
SELECT closed.table_id, closed.round_no
FROM closed_rounds AS closed LEFT JOIN table_rounds AS known USING (table_id, round_no)
WHERE known.book IS NULL
  AND closed.round_no > (SELECT min(round_no) FROM table_rounds AS first WHERE first.table_id = closed.table_id);

-- invariant: a_corrected_wager_is_never_below_nothing
-- What corrections took off a wager's sums had been there: no table took, paid or handled less than 0.
SELECT table_id, round_no, wager, sum(bets) AS bets, sum(handle) AS handle, sum(taken) AS taken, sum(paid) AS paid
FROM (
    SELECT table_id, round_no, wager, bets, handle, taken, paid FROM table_wagers
    UNION ALL
    SELECT table_id, round_no, wager, bets, handle, taken, paid FROM corrected_wagers
) AS wagers
GROUP BY table_id, round_no, wager
HAVING least(sum(bets), sum(handle), sum(taken), sum(paid), sum(handle) - sum(taken)) < 0;
