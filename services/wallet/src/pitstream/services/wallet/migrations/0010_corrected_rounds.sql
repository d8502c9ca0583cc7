-- A corrected round is posted anew beside what was posted; what a player cannot give back is an open item of the house.

ALTER TABLE accounts
    DROP CONSTRAINT accounts_kind,
    ADD CONSTRAINT accounts_kind CHECK (
        kind IN ('player', 'table', 'pot', 'meter', 'reserve', 'overflow', 'transit', 'handpay', 'payable', 'house',
                 'operator', 'suspense', 'cash', 'drop', 'receivable')
    ),
    -- Nobody pays more than is owed.
    ADD CONSTRAINT accounts_receivable CHECK (kind <> 'receivable' OR credits_posted <= debits_posted);

-- `correction` is 0 for what a round's first settlement came to; a correction's postings are differences, one for each
-- player that the seat had before or has now.
ALTER TABLE postings ADD COLUMN correction BIGINT NOT NULL DEFAULT 0 CHECK (correction >= 0);
ALTER TABLE postings DROP CONSTRAINT postings_seat_once;
CREATE UNIQUE INDEX postings_seat_once ON postings (table_id, round_no, seat, claim_id) NULLS NOT DISTINCT
    WHERE correction = 0;
CREATE UNIQUE INDEX postings_correction_once ON postings (table_id, round_no, seat, correction, account)
    WHERE correction > 0;

-- What a player owes since a correction of a round took back more than was there, and what was paid of it.
CREATE TABLE receivables (
    receivable_id UUID        NOT NULL CONSTRAINT receivables_once PRIMARY KEY,
    position      BIGINT      GENERATED ALWAYS AS IDENTITY,
    account       TEXT        NOT NULL CONSTRAINT receivables_account REFERENCES accounts (account),
    player        TEXT        NOT NULL,
    table_id      TEXT        NOT NULL,
    round_no      BIGINT      NOT NULL,
    correction    BIGINT      NOT NULL,
    amount        BIGINT      NOT NULL CHECK (amount > 0),
    opened_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT receivables_of_a_round UNIQUE (table_id, round_no, correction, player)
);
CREATE INDEX receivables_by_position ON receivables (position);
CREATE TABLE receivable_payments (
    transfer_id   UUID   NOT NULL CONSTRAINT receivable_payments_once PRIMARY KEY,
    receivable_id UUID   NOT NULL CONSTRAINT receivable_payments_of REFERENCES receivables (receivable_id),
    amount        BIGINT NOT NULL CHECK (amount > 0),
    how           TEXT   NOT NULL CHECK (how IN ('offset', 'collected', 'written_off')),
    by            TEXT   NOT NULL,
    reason        TEXT   NOT NULL
);
CREATE INDEX receivable_payments_of_one ON receivable_payments (receivable_id);

-- What a correction made of a wager's sums at the whole table: differences. `book` as in table_rounds: how many figures of
-- the day were fixed when it came.
CREATE TABLE corrected_wagers (
    table_id   TEXT          NOT NULL,
    round_no   BIGINT        NOT NULL,
    correction BIGINT        NOT NULL,
    wager      TEXT          NOT NULL,
    bets       INT           NOT NULL,
    handle     NUMERIC(30,0) NOT NULL,
    taken      NUMERIC(30,0) NOT NULL,
    paid       NUMERIC(30,0) NOT NULL,
    book       INT           NOT NULL CHECK (book >= 0),
    CONSTRAINT corrected_wagers_once PRIMARY KEY (table_id, round_no, correction, wager)
);
-- Prizes of a settlement that is not in force any more: that they were refused takes nothing off what is.
CREATE TABLE superseded_prizes (
    prize_id TEXT NOT NULL CONSTRAINT superseded_prizes_once PRIMARY KEY
);

CREATE TRIGGER receivables_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON receivables
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('receivables_append_only');
CREATE TRIGGER receivable_payments_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON receivable_payments
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('receivable_payments_append_only');
CREATE TRIGGER corrected_wagers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON corrected_wagers
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('corrected_wagers_append_only');
CREATE TRIGGER superseded_prizes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON superseded_prizes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('superseded_prizes_append_only');
