-- What holds of the ledger at every moment. `pitstream audit` runs these; a row is a fault.

-- invariant: all_accounts_of_a_currency_add_up_to_0
-- What one account has too much another has too little: no money is made, and none is lost.
SELECT currency, sum(credits_posted - debits_posted) AS sum FROM accounts GROUP BY currency
HAVING sum(credits_posted - debits_posted) <> 0;

-- invariant: an_account_is_what_its_transfers_made_of_it
-- An account's sums are those of the transfers that name it, and what is pending is the sum of its open holds.
WITH moved AS (
    SELECT account, sum(debits) AS debits, sum(credits) AS credits
    FROM (
        SELECT debit AS account, amount AS debits, 0 AS credits FROM transfers
        UNION ALL
        SELECT credit, 0, amount FROM transfers
    ) AS legs
    GROUP BY account
), pending AS (
    SELECT account, sum(amount) AS amount
    FROM (
        SELECT account, amount FROM holds WHERE state = 'held'
        UNION ALL
        SELECT account, amount FROM placed_holds WHERE state = 'held'
    ) AS open
    GROUP BY account
)
SELECT account, debits_posted, moved.debits, credits_posted, moved.credits, debits_pending, pending.amount AS held
FROM accounts LEFT JOIN moved USING (account) LEFT JOIN pending USING (account)
WHERE debits_posted <> coalesce(moved.debits, 0)
   OR credits_posted <> coalesce(moved.credits, 0)
   OR debits_pending <> coalesce(pending.amount, 0);

-- invariant: nobody_spends_what_is_not_there
-- Players, pots, payables and suspense never fall below 0, held money included.
SELECT account, credits_posted - debits_posted AS balance, debits_pending FROM accounts
WHERE kind IN ('player', 'pot', 'handpay', 'payable', 'suspense')
  AND credits_posted - debits_posted - debits_pending < 0;

-- invariant: a_pot_is_empty_once_its_round_is_posted
-- What the players of a round put into its Pot, its winners took out of it.
SELECT account, credits_posted AS put_in, debits_posted AS taken_out FROM accounts
WHERE kind = 'pot' AND credits_posted <> debits_posted;

-- invariant: a_settled_round_holds_nothing
-- A closed round has no open hold: all of it was posted, or is free again.
SELECT hold_id, account, table_id, round_no, seat, amount
FROM holds JOIN closed_rounds USING (table_id, round_no) WHERE state = 'held';

-- invariant: players_postings_are_what_settlements_left_them
-- All that seats and hand-pays were told they came to is what those transfers left on the player's account.
SELECT account, told.net AS told, moved.net AS moved
FROM (SELECT account, sum(net) AS net FROM postings GROUP BY account) AS told
JOIN (
    SELECT legs.account, sum(legs.amount) AS net
    FROM (
        SELECT stream, version, credit AS account, amount FROM transfers
        UNION ALL
        SELECT stream, version, debit, -amount FROM transfers
    ) AS legs
    JOIN events USING (stream, version)
    WHERE events.type IN ('pitstream.wallet.v1.SeatPosted', 'pitstream.wallet.v1.HandPayPosted',
                          'pitstream.wallet.v1.PrizePosted', 'pitstream.wallet.v1.SeatCorrected')
    GROUP BY legs.account
) AS moved USING (account)
WHERE told.net <> moved.net;

-- invariant: a_transfer_is_told_by_an_event_that_is_there
-- Every transfer names the event that tells of it, on the stream of the account that the event is about.
SELECT transfer_id, transfers.stream, transfers.version
FROM transfers LEFT JOIN events USING (stream, version) WHERE events.stream IS NULL;

-- invariant: a_reversal_is_the_mirror_image_of_what_it_undoes
-- Debit and credit change sides, the amount stays; what undid another is not undone itself.
SELECT undo.transfer_id, undo.reverses
FROM transfers AS undo JOIN transfers AS undone ON undone.transfer_id = undo.reverses
WHERE (undo.debit, undo.credit, undo.amount) IS DISTINCT FROM (undone.credit, undone.debit, undone.amount)
   OR undone.reverses IS NOT NULL;

-- invariant: both_sides_of_a_transfer_have_its_currency
-- Money never changes currency on the way, and a currency has one scale everywhere.
SELECT t.transfer_id, t.currency, d.currency AS debit_currency, c.currency AS credit_currency
FROM transfers AS t JOIN accounts AS d ON d.account = t.debit JOIN accounts AS c ON c.account = t.credit
WHERE t.currency <> d.currency OR t.currency <> c.currency OR d.scale <> c.scale;

-- invariant: what_players_owe_is_listed_item_by_item
-- A receivable stands below 0 by what its open items say is owed, and nobody paid more than was.
SELECT account, credits_posted - debits_posted AS balance, coalesce(owed, 0) AS owed, overpaid
FROM accounts LEFT JOIN (
    SELECT account, sum(amount - paid) AS owed, bool_or(paid > amount) AS overpaid
    FROM receivables CROSS JOIN LATERAL (
        SELECT coalesce(sum(p.amount), 0) AS paid FROM receivable_payments AS p
        WHERE p.receivable_id = receivables.receivable_id
    ) AS payments
    GROUP BY account
) AS items USING (account)
WHERE kind = 'receivable' AND (credits_posted - debits_posted <> -coalesce(owed, 0) OR overpaid);

-- invariant: a_correction_undid_what_its_round_had_posted
-- Every transfer that a correction of a round undid was posted by an event of that very round.
SELECT undo.transfer_id, undo.reverses, told.stream, told.version
FROM transfers AS undo
JOIN events AS told ON told.stream = undo.stream AND told.version = undo.version
                   AND told.type = 'pitstream.wallet.v1.SeatCorrected'
JOIN transfers AS undone ON undone.transfer_id = undo.reverses
LEFT JOIN events AS was ON was.stream = undone.stream AND was.version = undone.version
                       AND was.type IN ('pitstream.wallet.v1.SeatPosted', 'pitstream.wallet.v1.SeatCorrected')
WHERE was.stream IS NULL;
