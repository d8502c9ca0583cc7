-- Operators whose own wallet keeps their players' money, and each move of money there until it is certain.

-- The terms in force: what the last OperatorConnected of stream operator/<operator> says.
CREATE TABLE operators (
    operator         TEXT  NOT NULL CONSTRAINT operators_once PRIMARY KEY,
    mode             TEXT  NOT NULL,
    currency         TEXT  NOT NULL,
    base_url         TEXT  NOT NULL,
    key_ref          TEXT  NOT NULL,
    deadline_ms      INT   NOT NULL,
    retry_ms         INT[] NOT NULL,
    unknown_rollback TEXT  NOT NULL,
    calls_at_once    INT   NOT NULL,
    CONSTRAINT operators_mode CHECK (mode IN ('ledger', 'seamless')),
    CONSTRAINT operators_retry CHECK (cardinality(retry_ms) > 0)
);

-- The game that each table opened for last: operators are told it, and a bundle of wagers does not name it.
CREATE TABLE table_games (
    table_id TEXT NOT NULL CONSTRAINT table_games_once PRIMARY KEY,
    game     TEXT NOT NULL
);

-- One move at an operator's wallet: its intent, which is there before the first call, and when it is due again. What
-- became of it is told by its stream, remote/<transaction_id>; step, uncertain and ended are that stream's state.
CREATE TABLE remote_moves (
    transaction_id UUID        NOT NULL CONSTRAINT remote_moves_once PRIMARY KEY,
    position       BIGINT      GENERATED ALWAYS AS IDENTITY,
    operator       TEXT        NOT NULL CONSTRAINT remote_moves_operator REFERENCES operators (operator),
    verb           TEXT        NOT NULL,
    account        TEXT        NOT NULL,
    player         TEXT        NOT NULL,
    currency       TEXT        NOT NULL,
    amount         BIGINT      NOT NULL,
    table_id       TEXT        NOT NULL,
    round_no       BIGINT      NOT NULL,
    seat           SMALLINT,
    bundle         SMALLINT,
    game           TEXT        NOT NULL,
    reference_id   UUID,
    step           TEXT,
    attempts       INT         NOT NULL DEFAULT 0,
    due_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
    last_doubt     TEXT        NOT NULL DEFAULT '',
    uncertain      BOOLEAN     NOT NULL DEFAULT false,
    ended          TEXT,
    requested_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT remote_moves_amount CHECK (amount > 0),
    CONSTRAINT remote_moves_verb CHECK (verb IN ('debit', 'credit')),
    CONSTRAINT remote_moves_debit CHECK ((verb = 'debit') = (seat IS NOT NULL AND bundle IS NOT NULL)),
    CONSTRAINT remote_moves_step CHECK (
        (verb = 'debit' AND step IN ('debit', 'rollback')) OR (verb = 'credit' AND step = 'credit') OR step IS NULL
    ),
    CONSTRAINT remote_moves_ended CHECK (
        ended IS NULL OR (verb = 'debit' AND ended IN ('taken', 'refused', 'undone', 'returned'))
        OR (verb = 'credit' AND ended IN ('paid', 'paid_by_hand'))
    ),
    -- Certain, on its way, or with a person: nothing is forgotten in between.
    CONSTRAINT remote_moves_somewhere CHECK (
        (ended IS NOT NULL AND step IS NULL AND NOT uncertain) OR (ended IS NULL AND (step IS NOT NULL OR uncertain))
    )
);
CREATE INDEX remote_moves_debits_due ON remote_moves (operator, due_at) WHERE step = 'debit';
CREATE INDEX remote_moves_others_due ON remote_moves (operator, due_at) WHERE step IN ('rollback', 'credit');
CREATE INDEX remote_moves_uncertain ON remote_moves (operator, position) WHERE uncertain;
CREATE INDEX remote_moves_open ON remote_moves (operator) WHERE ended IS NULL;
CREATE INDEX remote_moves_of_round ON remote_moves (account, table_id, round_no) WHERE verb = 'debit';

-- An intent is never edited, and an end is for ever.
CREATE TRIGGER remote_moves_append_only BEFORE DELETE OR TRUNCATE ON remote_moves
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('remote_moves_append_only');
CREATE TRIGGER remote_moves_end_once BEFORE UPDATE ON remote_moves FOR EACH ROW
    WHEN (
        OLD.ended IS NOT NULL
        OR (OLD.transaction_id, OLD.operator, OLD.verb, OLD.account, OLD.currency, OLD.amount, OLD.reference_id)
        IS DISTINCT FROM (NEW.transaction_id, NEW.operator, NEW.verb, NEW.account, NEW.currency, NEW.amount,
                          NEW.reference_id)
    )
    EXECUTE FUNCTION refuse_edit('remote_moves_end_once');
