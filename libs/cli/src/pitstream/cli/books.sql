-- Everybody's books of one day. Amounts are minor units; a day is of the calendar of whoever it is about.

CREATE TABLE settled (table_id, round_no, seat, player, currency, net, PRIMARY KEY (table_id, round_no, seat));
CREATE TABLE posted (table_id, round_no, seat, player, currency, net);
CREATE INDEX posted_seat ON posted (table_id, round_no, seat);
CREATE TABLE rounds (table_id, round_no, PRIMARY KEY (table_id, round_no));
CREATE TABLE late_rounds (table_id, round_no, currency, corrected);
-- Rounds with confirmed corrections: the last one's number, and the last one that the ledger has posted.
CREATE TABLE corrected_rounds (table_id, round_no, confirmed, posted, PRIMARY KEY (table_id, round_no));
CREATE TABLE claimed (id PRIMARY KEY, kind, table_id, round_no, seat, player, currency, amount);
CREATE TABLE decided (id, kind, table_id, round_no, seat, player, currency, amount, status);
CREATE INDEX decided_id ON decided (id, seat);
CREATE TABLE paid (id, table_id, round_no, seat, player, currency, amount);
CREATE INDEX paid_id ON paid (id, seat);
CREATE TABLE counted (table_id, currency, counted_less_settled, drop_less_buy_ins, state);
CREATE TABLE theirs (line INTEGER PRIMARY KEY, id, reference, player, currency, way, amount);
CREATE INDEX theirs_id ON theirs (id);
CREATE INDEX theirs_reference ON theirs (reference) WHERE way = 'rollback';
CREATE TABLE unreadable (line, says);
CREATE TABLE ours (id PRIMARY KEY, player, currency, way, amount, state, day, today);

-- A rollback and the movement that it takes back cancel each other before anything is compared: what is left of the
-- operator's lines stands. Of lines that share an id the first one counts.
CREATE TEMP VIEW standing AS
SELECT t.* FROM theirs AS t
WHERE t.way <> 'rollback'
  AND NOT EXISTS (SELECT 1 FROM theirs AS r WHERE r.way = 'rollback' AND r.reference = t.id);
CREATE TEMP VIEW first AS
SELECT s.* FROM standing AS s WHERE s.line = (SELECT min(o.line) FROM standing AS o WHERE o.id = s.id);
-- Corrected rounds whose correction the ledger has not posted yet.
CREATE TEMP VIEW unposted AS SELECT * FROM corrected_rounds WHERE posted < confirmed;
