-- What a table's gaming day is made of: its rounds and their wagers, slips with two signatures, buy-ins, closed figures.

ALTER TABLE accounts
    DROP CONSTRAINT accounts_kind,
    ADD CONSTRAINT accounts_kind CHECK (
        kind IN ('player', 'table', 'pot', 'meter', 'reserve', 'overflow', 'transit', 'handpay', 'payable', 'house',
                 'operator', 'suspense', 'cash', 'drop')
    );

-- The rounds of each gaming day, from two topics in whichever order they come: opened (rounds.v1) and settled
-- (settlements.v1). `book` is 0 for a round that was settled while its day was open; one that came after n figures of
-- its day were fixed has book n, and is taken in by the next correction.
CREATE TABLE table_rounds (
    table_id   TEXT    NOT NULL,
    round_no   BIGINT  NOT NULL,
    gaming_day TEXT    NOT NULL,
    currency   TEXT    NOT NULL,
    game       TEXT    NOT NULL,
    paytables  JSONB   NOT NULL DEFAULT '{}',
    shift      TEXT,
    book       INT,
    void       BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT table_rounds_once PRIMARY KEY (table_id, round_no),
    CONSTRAINT table_rounds_settled CHECK ((shift IS NULL) = (book IS NULL) AND book >= 0)
);
CREATE INDEX table_rounds_of_a_day ON table_rounds (gaming_day, table_id, currency, round_no);

-- What each wager of a settled round came to at the whole table, minor units; the players' own Pot is not among them.
CREATE TABLE table_wagers (
    table_id TEXT          NOT NULL,
    round_no BIGINT        NOT NULL,
    wager    TEXT          NOT NULL,
    bets     INT           NOT NULL CHECK (bets >= 0),
    handle   NUMERIC(30,0) NOT NULL CHECK (handle >= 0),
    taken    NUMERIC(30,0) NOT NULL CHECK (taken BETWEEN 0 AND handle),
    paid     NUMERIC(30,0) NOT NULL CHECK (paid >= 0),
    CONSTRAINT table_wagers_once PRIMARY KEY (table_id, round_no, wager),
    CONSTRAINT table_wagers_round FOREIGN KEY (table_id, round_no) REFERENCES table_rounds (table_id, round_no)
);

-- Prizes that a floorperson refused: their money is the table's again, though the settlement had it paid.
CREATE TABLE refused_prizes (
    prize_id TEXT          NOT NULL CONSTRAINT refused_prizes_once PRIMARY KEY,
    table_id TEXT          NOT NULL,
    round_no BIGINT        NOT NULL,
    prize    TEXT          NOT NULL,
    amount   NUMERIC(30,0) NOT NULL CHECK (amount > 0)
);
CREATE INDEX refused_prizes_of_a_round ON refused_prizes (table_id, round_no);

-- Slips as they were made out; a property uses a number once.
CREATE TABLE slips (
    owner       TEXT   NOT NULL,
    slip        TEXT   NOT NULL,
    position    BIGINT GENERATED ALWAYS AS IDENTITY,
    table_id    TEXT   NOT NULL,
    currency    TEXT   NOT NULL,
    gaming_day  TEXT   NOT NULL,
    shift       TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    amount      BIGINT NOT NULL,
    pieces      JSONB  NOT NULL,
    prepared_by TEXT   NOT NULL,
    role        TEXT   NOT NULL,
    CONSTRAINT slips_once PRIMARY KEY (owner, slip),
    CONSTRAINT slips_kind CHECK (kind IN ('opener', 'fill', 'credit', 'closer', 'drop')),
    CONSTRAINT slips_amount CHECK (amount > 0 OR (amount = 0 AND kind NOT IN ('fill', 'credit')))
);
CREATE INDEX slips_of_a_day ON slips (table_id, currency, gaming_day);

-- What became of a slip, once: a second signature, or cancelled.
CREATE TABLE slip_ends (
    owner  TEXT NOT NULL,
    slip   TEXT NOT NULL,
    state  TEXT NOT NULL,
    by     TEXT NOT NULL,
    role   TEXT,
    reason TEXT,
    CONSTRAINT slip_ends_once PRIMARY KEY (owner, slip),
    CONSTRAINT slip_ends_of FOREIGN KEY (owner, slip) REFERENCES slips (owner, slip),
    CONSTRAINT slip_ends_state CHECK (state IN ('signed', 'cancelled')),
    CONSTRAINT slip_ends_told CHECK ((state = 'signed') = (role IS NOT NULL) AND (state = 'cancelled') = (reason IS NOT NULL))
);

CREATE TABLE buy_ins (
    transfer_id UUID   NOT NULL CONSTRAINT buy_ins_once PRIMARY KEY,
    table_id    TEXT   NOT NULL,
    currency    TEXT   NOT NULL,
    gaming_day  TEXT   NOT NULL,
    shift       TEXT   NOT NULL,
    player      TEXT   NOT NULL,
    amount      BIGINT NOT NULL CHECK (amount > 0),
    taken_by    TEXT   NOT NULL,
    CONSTRAINT buy_ins_transfer FOREIGN KEY (transfer_id) REFERENCES transfers (transfer_id)
);
CREATE INDEX buy_ins_of_a_day ON buy_ins (table_id, currency, gaming_day);

CREATE TABLE day_corrections (
    table_id    TEXT  NOT NULL,
    currency    TEXT  NOT NULL,
    gaming_day  TEXT  NOT NULL,
    number      INT   NOT NULL,
    counts      JSONB NOT NULL,
    reason      TEXT  NOT NULL,
    prepared_by TEXT  NOT NULL,
    role        TEXT  NOT NULL,
    CONSTRAINT day_corrections_once PRIMARY KEY (table_id, currency, gaming_day, number)
);

CREATE TABLE day_corrections_declined (
    table_id    TEXT NOT NULL,
    currency    TEXT NOT NULL,
    gaming_day  TEXT NOT NULL,
    number      INT  NOT NULL,
    reason      TEXT NOT NULL,
    declined_by TEXT NOT NULL,
    CONSTRAINT day_corrections_declined_once PRIMARY KEY (table_id, currency, gaming_day, number),
    CONSTRAINT day_corrections_declined_of FOREIGN KEY (table_id, currency, gaming_day, number)
        REFERENCES day_corrections (table_id, currency, gaming_day, number)
);

-- The figures of a day as they were fixed: book 1 at the close, one more with each approved correction. `sheet` is the
-- Sheet of the event that fixed them.
CREATE TABLE day_sheets (
    table_id    TEXT  NOT NULL,
    currency    TEXT  NOT NULL,
    gaming_day  TEXT  NOT NULL,
    book        INT   NOT NULL,
    number      INT,
    sheet       JSONB NOT NULL,
    fixed_by    TEXT  NOT NULL,
    dated       TEXT  NOT NULL,
    CONSTRAINT day_sheets_once PRIMARY KEY (table_id, currency, gaming_day, book),
    CONSTRAINT day_sheets_correction_once UNIQUE (table_id, currency, gaming_day, number),
    CONSTRAINT day_sheets_correction FOREIGN KEY (table_id, currency, gaming_day, number)
        REFERENCES day_corrections (table_id, currency, gaming_day, number),
    CONSTRAINT day_sheets_book CHECK (book >= 1 AND (book = 1) = (number IS NULL))
);
CREATE INDEX day_sheets_of_a_day ON day_sheets (gaming_day, table_id, currency);

CREATE TRIGGER table_rounds_append_only BEFORE DELETE OR TRUNCATE ON table_rounds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('table_rounds_append_only');
CREATE TRIGGER table_rounds_settled_once BEFORE UPDATE ON table_rounds FOR EACH ROW
    WHEN (
        (OLD.book IS NOT NULL AND (OLD.shift, OLD.book, OLD.void) IS DISTINCT FROM (NEW.shift, NEW.book, NEW.void))
        OR (OLD.table_id, OLD.round_no, OLD.gaming_day, OLD.currency, OLD.game)
        IS DISTINCT FROM (NEW.table_id, NEW.round_no, NEW.gaming_day, NEW.currency, NEW.game)
    )
    EXECUTE FUNCTION refuse_edit('table_rounds_settled_once');
CREATE TRIGGER table_wagers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON table_wagers
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('table_wagers_append_only');
CREATE TRIGGER refused_prizes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON refused_prizes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('refused_prizes_append_only');
CREATE TRIGGER slips_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON slips
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('slips_append_only');
CREATE TRIGGER slip_ends_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON slip_ends
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('slip_ends_append_only');
CREATE TRIGGER buy_ins_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON buy_ins
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('buy_ins_append_only');
CREATE TRIGGER day_corrections_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON day_corrections
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('day_corrections_append_only');
CREATE TRIGGER day_corrections_declined_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON day_corrections_declined
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('day_corrections_declined_append_only');
CREATE TRIGGER day_sheets_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON day_sheets
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('day_sheets_append_only');
