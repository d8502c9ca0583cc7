-- What must hold of money that operators' own wallets keep, and of each move there.

-- invariant: suspense_is_what_is_on_its_way_to_an_operator
-- Every cent in suspense belongs to a credit that its operator has not confirmed yet, and the other way round.
SELECT coalesce(s.operator, m.operator) AS operator, coalesce(s.currency, m.currency) AS currency, s.suspense, m.on_its_way
FROM (
    SELECT split_part(account, '/', 2) AS operator, currency, sum(credits_posted - debits_posted) AS suspense
    FROM accounts WHERE kind = 'suspense' GROUP BY 1, 2
) AS s
FULL JOIN (
    SELECT operator, currency, sum(amount) AS on_its_way
    FROM remote_moves WHERE verb = 'credit' AND ended IS NULL GROUP BY 1, 2
) AS m USING (operator, currency)
WHERE coalesce(s.suspense, 0) <> coalesce(m.on_its_way, 0);

-- invariant: a_seamless_players_account_has_nothing_but_what_is_held
-- Money comes onto such an account with a hold, and what a round leaves on it goes back in the same transaction.
SELECT accounts.account, credits_posted - debits_posted AS balance, debits_pending AS held
FROM accounts
JOIN operators ON operators.operator = substring(accounts.account FROM '^player/([a-z0-9_-]+)(?:[.][^:/]*)?:')
WHERE accounts.kind = 'player' AND operators.mode = 'seamless' AND credits_posted - debits_posted <> debits_pending;

-- invariant: the_ledger_follows_each_move_at_an_operator_once
-- A debit that stands there came into the ledger once, and a credit that stands there left it once; no other move did.
SELECT coalesce(t.what, m.what) AS what, coalesce(t.operator, m.operator) AS operator, t.amount AS in_the_ledger,
       m.amount AS in_the_moves
FROM (
    SELECT CASE WHEN debit LIKE 'operator/%' THEN 'debit' ELSE 'credit' END AS what,
           split_part(CASE WHEN debit LIKE 'operator/%' THEN debit ELSE credit END, '/', 2) AS operator,
           sum(amount) AS amount
    FROM transfers
    WHERE code IN ('remote_debit', 'remote_credit') AND (debit LIKE 'operator/%' OR credit LIKE 'operator/%')
    GROUP BY 1, 2
) AS t
FULL JOIN (
    SELECT verb AS what, operator, sum(amount) AS amount
    FROM remote_moves WHERE ended IN ('taken', 'returned', 'paid') GROUP BY 1, 2
) AS m USING (what, operator)
WHERE t.amount IS DISTINCT FROM m.amount;

-- invariant: every_move_at_an_operator_began_and_ended_with_an_event
-- A move's row is what its stream says: one intent, and an end where the row has one.
SELECT coalesce(m.stream, e.stream) AS stream, m.ended, e.intents, e.last_type
FROM (SELECT 'remote/' || transaction_id AS stream, ended FROM remote_moves) AS m
FULL JOIN (
    SELECT stream, count(*) FILTER (WHERE type LIKE '%.RemoteDebitRequested' OR type LIKE '%.RemoteCreditRequested')
               AS intents,
           split_part((array_agg(type ORDER BY version DESC))[1], '.', 4) AS last_type
    FROM events WHERE stream LIKE 'remote/%' GROUP BY stream
) AS e USING (stream)
WHERE e.intents IS DISTINCT FROM 1
   OR m.stream IS NULL
   OR (m.ended IS NOT NULL) <> (
       e.last_type IN ('RemoteDebitConfirmed', 'RemoteDebitRefused', 'RemoteRollbackConfirmed', 'RemoteCreditConfirmed')
       OR (e.last_type = 'RemoteMoveResolved' AND m.ended IN ('paid', 'returned', 'undone', 'paid_by_hand'))
   );
