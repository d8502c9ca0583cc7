-- What is compared when a day is reconciled. Each query finds one cause between two people's books, as rows of what,
-- currency and says; in this order, so that a round, seat, prize or movement is told once, with the first cause that fits.

-- between settlement and ledger: corrected
SELECT r.table_id || '/' || r.round_no AS what, coalesce(s.currency, p.currency) AS currency,
       'correction ' || r.confirmed || ' of the round is settled and not posted yet: seat '
       || coalesce(s.seat, p.seat) || ' settled ' || coalesce(s.net, 'nothing') || ', posted '
       || coalesce(p.net, 'nothing') AS says
FROM unposted AS r
LEFT JOIN settled AS s ON (s.table_id, s.round_no) = (r.table_id, r.round_no)
LEFT JOIN posted AS p ON (p.table_id, p.round_no, p.seat, p.player) = (r.table_id, r.round_no, s.seat, s.player)
WHERE s.net IS NOT p.net ORDER BY r.table_id, r.round_no, s.seat;

-- between settlement and ledger: missing in the ledger
SELECT s.table_id || '/' || s.round_no || ' seat ' || s.seat AS what, s.currency,
       'settled ' || s.net || ' for ' || s.player || '; nothing is posted' AS says
FROM settled AS s LEFT JOIN posted AS p USING (table_id, round_no, seat)
WHERE p.seat IS NULL AND (s.table_id, s.round_no) NOT IN (SELECT table_id, round_no FROM unposted)
ORDER BY s.table_id, s.round_no, s.seat;

-- between settlement and ledger: missing in settlements
SELECT p.table_id || '/' || p.round_no || ' seat ' || p.seat AS what, p.currency,
       'posted ' || p.net || ' for ' || p.player || '; nothing is settled' AS says
FROM posted AS p LEFT JOIN settled AS s USING (table_id, round_no, seat)
WHERE s.seat IS NULL AND p.net <> 0 AND (p.table_id, p.round_no) NOT IN (SELECT table_id, round_no FROM unposted)
ORDER BY p.table_id, p.round_no, p.seat;

-- between settlement and ledger: duplicated
SELECT table_id || '/' || round_no || ' seat ' || seat AS what, min(currency) AS currency,
       'posted ' || count(*) || ' times: ' || group_concat(net, ', ') AS says
FROM posted GROUP BY table_id, round_no, seat HAVING count(*) > 1 ORDER BY table_id, round_no, seat;

-- between settlement and ledger: wrong currency
SELECT s.table_id || '/' || s.round_no || ' seat ' || s.seat AS what, s.currency,
       'settled in ' || s.currency || ', posted in ' || p.currency AS says
FROM settled AS s JOIN posted AS p USING (table_id, round_no, seat)
WHERE s.currency <> p.currency ORDER BY s.table_id, s.round_no, s.seat;

-- between settlement and ledger: wrong player
SELECT s.table_id || '/' || s.round_no || ' seat ' || s.seat AS what, s.currency,
       'settled for ' || s.player || ', posted for ' || p.player AS says
FROM settled AS s JOIN posted AS p USING (table_id, round_no, seat, currency)
WHERE s.player <> p.player AND (s.table_id, s.round_no) NOT IN (SELECT table_id, round_no FROM unposted)
ORDER BY s.table_id, s.round_no, s.seat;

-- between settlement and ledger: amount differs
SELECT s.table_id || '/' || s.round_no || ' seat ' || s.seat AS what, s.currency,
       'settled ' || s.net || ', posted ' || p.net AS says
FROM settled AS s JOIN posted AS p USING (table_id, round_no, seat, currency, player)
WHERE s.net <> p.net AND (s.table_id, s.round_no) NOT IN (SELECT table_id, round_no FROM unposted)
  AND (SELECT count(*) FROM posted AS q
       WHERE (q.table_id, q.round_no, q.seat) = (s.table_id, s.round_no, s.seat)) = 1
ORDER BY s.table_id, s.round_no, s.seat;

-- between settlement and closed figures: late
SELECT table_id || '/' || round_no AS what, currency,
       'settled after the day was closed; a correction takes it in' AS says
FROM late_rounds WHERE NOT corrected ORDER BY table_id, round_no;

-- between settlement and closed figures: corrected
SELECT table_id || '/' || round_no AS what, currency,
       'corrected after the day was closed; a correction of the day takes it in' AS says
FROM late_rounds WHERE corrected ORDER BY table_id, round_no;

-- between settlement and progressive: missing at the progressive
SELECT c.kind || ' ' || c.id || ' of ' || c.table_id || '/' || c.round_no || ' seat ' || c.seat AS what,
       c.currency, 'claimed by the settlement; nobody locked or holds it' AS says
FROM claimed AS c WHERE NOT EXISTS (SELECT 1 FROM decided AS d WHERE d.id = c.id) ORDER BY c.id;

-- between settlement and progressive: missing in settlements
SELECT DISTINCT d.kind || ' ' || d.id || ' of ' || d.table_id || '/' || d.round_no AS what, d.currency,
       'locked or held; no settled line claims it' AS says
FROM decided AS d WHERE NOT EXISTS (SELECT 1 FROM claimed AS c WHERE c.id = d.id)
  AND (d.table_id, d.round_no) NOT IN (SELECT table_id, round_no FROM corrected_rounds) ORDER BY d.id;

-- between settlement and progressive: corrected
SELECT DISTINCT d.kind || ' ' || d.id || ' of ' || d.table_id || '/' || d.round_no AS what, d.currency,
       'a correction of the round took it away; it is ' || d.status AS says
FROM decided AS d WHERE NOT EXISTS (SELECT 1 FROM claimed AS c WHERE c.id = d.id) AND d.status <> 'refused'
  AND (d.table_id, d.round_no) IN (SELECT table_id, round_no FROM corrected_rounds) ORDER BY d.id;

-- between settlement and progressive: amount differs
SELECT c.kind || ' ' || c.id || ' of ' || c.table_id || '/' || c.round_no || ' seat ' || c.seat AS what,
       c.currency, 'settled ' || c.amount || ', held ' || sum(d.amount) AS says
FROM claimed AS c JOIN decided AS d USING (id) WHERE c.amount IS NOT NULL
GROUP BY c.id HAVING c.amount <> sum(d.amount) ORDER BY c.id;

-- between progressive and ledger: missing in the ledger
SELECT d.kind || ' ' || d.id || ' of ' || d.table_id || '/' || d.round_no || ' seat ' || d.seat AS what,
       d.currency, 'approved ' || d.amount || ' for ' || d.player || '; nothing is paid' AS says
FROM decided AS d LEFT JOIN paid AS p USING (id, seat)
WHERE d.status = 'paid' AND d.amount > 0 AND p.id IS NULL ORDER BY d.id, d.seat;

-- between progressive and ledger: missing at the progressive
SELECT p.id || ' of ' || p.table_id || '/' || p.round_no || ' seat ' || p.seat AS what, p.currency,
       'paid ' || p.amount || ' to ' || p.player || '; ' || coalesce('it is ' || d.status, 'nobody has it') AS says
FROM paid AS p LEFT JOIN decided AS d USING (id, seat)
WHERE d.id IS NULL OR d.status <> 'paid' ORDER BY p.id, p.seat;

-- between progressive and ledger: wrong currency
SELECT d.kind || ' ' || d.id || ' of ' || d.table_id || '/' || d.round_no || ' seat ' || d.seat AS what,
       d.currency, 'approved in ' || d.currency || ', paid in ' || p.currency AS says
FROM decided AS d JOIN paid AS p USING (id, seat)
WHERE d.status = 'paid' AND d.currency <> p.currency ORDER BY d.id, d.seat;

-- between progressive and ledger: wrong player
SELECT d.kind || ' ' || d.id || ' of ' || d.table_id || '/' || d.round_no || ' seat ' || d.seat AS what,
       d.currency, 'approved for ' || d.player || ', paid to ' || p.player AS says
FROM decided AS d JOIN paid AS p USING (id, seat, currency)
WHERE d.status = 'paid' AND d.player <> p.player ORDER BY d.id, d.seat;

-- between progressive and ledger: amount differs
SELECT d.kind || ' ' || d.id || ' of ' || d.table_id || '/' || d.round_no || ' seat ' || d.seat AS what,
       d.currency, 'approved ' || d.amount || ', paid ' || p.amount AS says
FROM decided AS d JOIN paid AS p USING (id, seat, currency, player)
WHERE d.status = 'paid' AND d.amount <> p.amount ORDER BY d.id, d.seat;

-- between count and settlement: amount differs
SELECT table_id AS what, currency,
       'the counted win is ' || counted_less_settled || ' above the settled one' AS says
FROM counted WHERE counted_less_settled <> 0 ORDER BY table_id, currency;

-- between drop box and buy-ins: amount differs
SELECT table_id AS what, currency, 'the drop box had ' || drop_less_buy_ins || ' above the buy-ins' AS says
FROM counted WHERE drop_less_buy_ins <> 0 AND state = 'closed' ORDER BY table_id, currency;

-- between operator and ledger: unreadable
SELECT 'line ' || line AS what, '' AS currency, says FROM unreadable ORDER BY line;

-- between operator and ledger: duplicated
SELECT s.id || ' at line ' || s.line AS what, s.currency,
       s.way || ' ' || s.amount || ' of ' || s.player || '; it is at line ' || f.line || ' before' AS says
FROM standing AS s JOIN first AS f USING (id) WHERE s.line <> f.line ORDER BY s.line;

-- between operator and ledger: rollback differs
SELECT r.id || ' at line ' || r.line AS what, r.currency,
       'takes back ' || r.amount || ' ' || r.currency || ' of ' || r.player || '; line ' || t.line || ' has '
       || t.amount || ' ' || t.currency || ' of ' || t.player AS says
FROM theirs AS r JOIN theirs AS t ON t.id = r.reference AND t.way <> 'rollback'
WHERE r.way = 'rollback' AND (r.currency, r.amount, r.player) <> (t.currency, t.amount, t.player)
ORDER BY r.line;

-- between operator and ledger: missing here
SELECT f.id || ' at line ' || f.line AS what, f.currency,
       f.way || ' ' || f.amount || ' of ' || f.player || '; '
       || CASE o.state WHEN 'undone' THEN 'it was undone here' ELSE 'nothing is booked here' END AS says
FROM first AS f LEFT JOIN ours AS o USING (id)
WHERE o.id IS NULL OR o.state = 'undone' ORDER BY f.line;

-- between operator and ledger: missing there
SELECT o.id AS what, o.currency,
       o.way || ' ' || o.amount || ' of ' || o.player || '; the operator has no line of it' AS says
FROM ours AS o LEFT JOIN first AS f USING (id)
WHERE f.id IS NULL AND o.state = 'booked' AND o.today ORDER BY o.id;

-- between operator and ledger: late
SELECT f.id || ' at line ' || f.line AS what, f.currency,
       f.way || ' ' || f.amount || ' of ' || f.player || '; booked here on gaming day ' || o.day AS says
FROM first AS f JOIN ours AS o USING (id) WHERE o.state <> 'undone' AND NOT o.today ORDER BY f.line;

-- between operator and ledger: uncertain
SELECT o.id AS what, o.currency,
       o.way || ' ' || o.amount || ' of ' || o.player || '; the operator '
       || CASE WHEN f.id IS NULL THEN 'has no line of it' ELSE 'has it at line ' || f.line END AS says
FROM ours AS o LEFT JOIN first AS f USING (id) WHERE o.state = 'uncertain' AND o.today ORDER BY o.id;

-- between operator and ledger: wrong currency
SELECT f.id || ' at line ' || f.line AS what, o.currency,
       'booked here in ' || o.currency || ', there in ' || f.currency AS says
FROM first AS f JOIN ours AS o USING (id)
WHERE o.state = 'booked' AND o.today AND f.currency <> o.currency ORDER BY f.line;

-- between operator and ledger: wrong player
SELECT f.id || ' at line ' || f.line AS what, o.currency,
       'booked here for ' || o.player || ', there for ' || f.player AS says
FROM first AS f JOIN ours AS o USING (id, currency)
WHERE o.state = 'booked' AND o.today AND f.player <> o.player ORDER BY f.line;

-- between operator and ledger: wrong way
SELECT f.id || ' at line ' || f.line AS what, o.currency,
       f.amount || ' of ' || f.player || ' went ' || o.way || ' here, ' || f.way || ' there' AS says
FROM first AS f JOIN ours AS o USING (id, currency, player)
WHERE o.state = 'booked' AND o.today AND f.way <> o.way ORDER BY f.line;

-- between operator and ledger: amount differs
SELECT f.id || ' at line ' || f.line AS what, o.currency,
       'booked here ' || o.amount || ', there ' || f.amount AS says
FROM first AS f JOIN ours AS o USING (id, currency, player, way)
WHERE o.state = 'booked' AND o.today AND f.amount <> o.amount ORDER BY f.line;
