-- What an envy bonus is expected to cost hangs on the other hands at the table. Rounds from before have none of it: what
-- it was expected to cost then is not told.
ALTER TABLE table_wagers ADD COLUMN beside numeric NOT NULL DEFAULT 0;
ALTER TABLE corrected_wagers ADD COLUMN beside numeric NOT NULL DEFAULT 0;
