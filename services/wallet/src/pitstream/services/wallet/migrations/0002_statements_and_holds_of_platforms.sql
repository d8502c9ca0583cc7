-- Platforms read statements page by page, and set money aside for purposes of their own.

-- Whoever moves an account's money has its row locked, so on one account positions grow in the order of the commits:
-- what is read after a position is complete, and no later commit slips in before it. The same for the time.
ALTER TABLE transfers ADD COLUMN position BIGINT GENERATED ALWAYS AS IDENTITY;
ALTER TABLE transfers ALTER COLUMN recorded_at SET DEFAULT clock_timestamp();
CREATE INDEX transfers_given ON transfers (debit, position);
CREATE INDEX transfers_received ON transfers (credit, position);
ALTER TABLE postings ADD COLUMN position BIGINT GENERATED ALWAYS AS IDENTITY;
CREATE INDEX postings_of_an_account ON postings (account, position);

-- Money that a platform set aside. A row turns from held to one of the other states once, and never back.
CREATE TABLE placed_holds (
    hold_id       UUID        NOT NULL CONSTRAINT placed_holds_once PRIMARY KEY,
    account       TEXT        NOT NULL CONSTRAINT placed_holds_account REFERENCES accounts (account),
    amount        BIGINT      NOT NULL,
    purpose       TEXT        NOT NULL,
    expires_at_us BIGINT      NOT NULL,
    state         TEXT        NOT NULL DEFAULT 'held',
    captured      BIGINT      NOT NULL DEFAULT 0,
    placed_at     TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    position      BIGINT      GENERATED ALWAYS AS IDENTITY,
    CONSTRAINT placed_holds_amount CHECK (amount > 0),
    CONSTRAINT placed_holds_expiry CHECK (expires_at_us >= 0),
    CONSTRAINT placed_holds_state CHECK (state IN ('held', 'captured', 'voided', 'expired')),
    CONSTRAINT placed_holds_captured CHECK (
        captured BETWEEN 0 AND amount AND (captured > 0) = (state = 'captured')
    )
);
CREATE INDEX placed_holds_of_an_account ON placed_holds (account, position);
CREATE INDEX placed_holds_that_expire ON placed_holds (expires_at_us) WHERE state = 'held' AND expires_at_us > 0;

CREATE TRIGGER placed_holds_append_only BEFORE DELETE OR TRUNCATE ON placed_holds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('placed_holds_append_only');
CREATE TRIGGER placed_holds_resolved_once BEFORE UPDATE ON placed_holds FOR EACH ROW
    WHEN (
        OLD.state <> 'held' OR NEW.state = 'held'
        OR (OLD.hold_id, OLD.account, OLD.amount, OLD.purpose, OLD.expires_at_us, OLD.placed_at, OLD.position)
        IS DISTINCT FROM (NEW.hold_id, NEW.account, NEW.amount, NEW.purpose, NEW.expires_at_us, NEW.placed_at, NEW.position)
    )
    EXECUTE FUNCTION refuse_edit('placed_holds_resolved_once');
CREATE TRIGGER placed_holds_open_held BEFORE INSERT ON placed_holds FOR EACH ROW
    WHEN (NEW.state <> 'held') EXECUTE FUNCTION refuse_edit('placed_holds_open_held');
CREATE TRIGGER placed_holds_take_pending AFTER INSERT ON placed_holds REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION move_pending();
CREATE TRIGGER placed_holds_free_pending AFTER UPDATE ON placed_holds REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION move_pending();
