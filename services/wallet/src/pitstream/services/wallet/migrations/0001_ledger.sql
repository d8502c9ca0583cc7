-- The ledger: balances that only transfers move, transfers that nothing edits, holds that are resolved once.

-- What a connection may never do here, whatever code it runs. The constraint's name travels with the error.
CREATE FUNCTION refuse_edit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    RAISE EXCEPTION '% on %: nothing is edited here; a mistake is corrected by a further transfer', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_ARGV[0];
END $$;

-- One owner's money in one currency, in minor units. balance = credits - debits; available = balance - pending.
CREATE TABLE accounts (
    account        TEXT   NOT NULL CONSTRAINT accounts_once PRIMARY KEY,
    kind           TEXT   NOT NULL,
    currency       TEXT   NOT NULL,
    debits_posted  BIGINT NOT NULL DEFAULT 0,
    credits_posted BIGINT NOT NULL DEFAULT 0,
    debits_pending BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT accounts_currency UNIQUE (account, currency),
    CONSTRAINT accounts_kind CHECK (kind IN ('player', 'table', 'meter', 'handpay', 'house')),
    CONSTRAINT accounts_name CHECK (account LIKE kind || '/%' AND account LIKE '%/' || currency),
    CONSTRAINT accounts_sums CHECK (debits_posted >= 0 AND credits_posted >= 0 AND debits_pending >= 0),
    -- A player spends only what is there, held money included; no more is paid by hand than was reserved.
    CONSTRAINT accounts_available CHECK (
        kind NOT IN ('player', 'handpay') OR credits_posted - debits_posted - debits_pending >= 0
    )
);

-- One double-entry transfer. Its id is derived from what it stands for, so the same reason never moves money twice; both
-- sides reference the account together with its currency, so money never changes currency on the way.
CREATE TABLE transfers (
    transfer_id UUID        NOT NULL CONSTRAINT transfers_once PRIMARY KEY,
    debit       TEXT        NOT NULL,
    credit      TEXT        NOT NULL,
    currency    TEXT        NOT NULL,
    amount      BIGINT      NOT NULL,
    code        TEXT        NOT NULL,
    stream      TEXT        NOT NULL,
    version     BIGINT      NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT transfers_amount CHECK (amount > 0),
    CONSTRAINT transfers_two_sides CHECK (debit <> credit),
    CONSTRAINT transfers_debit FOREIGN KEY (debit, currency) REFERENCES accounts (account, currency),
    CONSTRAINT transfers_credit FOREIGN KEY (credit, currency) REFERENCES accounts (account, currency)
);

-- Money of one bundle of wagers that cannot be spent twice. A row turns from held to resolved once, and never back.
CREATE TABLE holds (
    hold_id  UUID     NOT NULL CONSTRAINT holds_once PRIMARY KEY,
    account  TEXT     NOT NULL CONSTRAINT holds_account REFERENCES accounts (account),
    table_id TEXT     NOT NULL,
    round_no BIGINT   NOT NULL,
    seat     SMALLINT NOT NULL,
    bundle   SMALLINT NOT NULL,
    amount   BIGINT   NOT NULL,
    state    TEXT     NOT NULL DEFAULT 'held',
    CONSTRAINT holds_bundle_once UNIQUE (table_id, round_no, seat, bundle),
    CONSTRAINT holds_amount CHECK (amount > 0),
    CONSTRAINT holds_state CHECK (state IN ('held', 'resolved'))
);
CREATE INDEX holds_open ON holds (account) WHERE state = 'held';

-- What a settled seat, or a share paid by hand, came to for its player: a round's answer to "what was I paid?".
CREATE TABLE postings (
    account  TEXT     NOT NULL CONSTRAINT postings_account REFERENCES accounts (account),
    table_id TEXT     NOT NULL,
    round_no BIGINT   NOT NULL,
    seat     SMALLINT NOT NULL,
    net      BIGINT   NOT NULL,
    claim_id UUID,
    CONSTRAINT postings_seat_once UNIQUE NULLS NOT DISTINCT (table_id, round_no, seat, claim_id)
);

-- Tombstones: a settled round takes no late bet.
CREATE TABLE closed_rounds (
    table_id TEXT   NOT NULL,
    round_no BIGINT NOT NULL,
    CONSTRAINT closed_rounds_once PRIMARY KEY (table_id, round_no)
);

CREATE TRIGGER transfers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('transfers_append_only');
CREATE TRIGGER postings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON postings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('postings_append_only');
CREATE TRIGGER closed_rounds_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON closed_rounds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('closed_rounds_append_only');
CREATE TRIGGER holds_append_only BEFORE DELETE OR TRUNCATE ON holds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('holds_append_only');
CREATE TRIGGER holds_resolved_once BEFORE UPDATE ON holds FOR EACH ROW
    WHEN (
        OLD.state <> 'held' OR NEW.state <> 'resolved'
        OR (OLD.hold_id, OLD.account, OLD.table_id, OLD.round_no, OLD.seat, OLD.bundle, OLD.amount)
        IS DISTINCT FROM (NEW.hold_id, NEW.account, NEW.table_id, NEW.round_no, NEW.seat, NEW.bundle, NEW.amount)
    )
    EXECUTE FUNCTION refuse_edit('holds_resolved_once');
CREATE TRIGGER accounts_append_only BEFORE DELETE OR TRUNCATE ON accounts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('accounts_append_only');
CREATE TRIGGER accounts_open_empty BEFORE INSERT ON accounts FOR EACH ROW
    WHEN (NEW.debits_posted <> 0 OR NEW.credits_posted <> 0 OR NEW.debits_pending <> 0)
    EXECUTE FUNCTION refuse_edit('accounts_open_empty');
-- Depth 0: a statement of a client. The triggers below run their updates at depth 1.
CREATE TRIGGER accounts_moved_by_transfers BEFORE UPDATE ON accounts FOR EACH STATEMENT
    WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION refuse_edit('accounts_moved_by_transfers');

-- balance = fold(transfers), because nothing else moves it; and each transfer gives what it takes, so all balances of a
-- currency add up to 0.
CREATE FUNCTION move_posted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE accounts
    SET debits_posted = accounts.debits_posted + moved.debits,
        credits_posted = accounts.credits_posted + moved.credits
    FROM (
        SELECT legs.account, sum(legs.debits)::BIGINT AS debits, sum(legs.credits)::BIGINT AS credits
        FROM (
            SELECT debit AS account, amount AS debits, 0 AS credits FROM posted
            UNION ALL
            SELECT credit, 0, amount FROM posted
        ) AS legs
        GROUP BY legs.account
    ) AS moved
    WHERE accounts.account = moved.account;
    RETURN NULL;
END $$;
CREATE TRIGGER transfers_move_posted AFTER INSERT ON transfers REFERENCING NEW TABLE AS posted
    FOR EACH STATEMENT EXECUTE FUNCTION move_posted();

-- pending = the sum of the open holds, for the same reason. The changed rows are called `changed` in both triggers: an
-- inserted hold adds its amount, a resolved one (the only update there is) takes it off.
CREATE FUNCTION move_pending() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE accounts
    SET debits_pending = accounts.debits_pending + moved.amount
    FROM (
        SELECT account, sum(CASE state WHEN 'held' THEN amount ELSE -amount END)::BIGINT AS amount
        FROM changed
        GROUP BY account
    ) AS moved
    WHERE accounts.account = moved.account;
    RETURN NULL;
END $$;
CREATE TRIGGER holds_open_held BEFORE INSERT ON holds FOR EACH ROW
    WHEN (NEW.state <> 'held') EXECUTE FUNCTION refuse_edit('holds_open_held');
CREATE TRIGGER holds_take_pending AFTER INSERT ON holds REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION move_pending();
CREATE TRIGGER holds_free_pending AFTER UPDATE ON holds REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION move_pending();
