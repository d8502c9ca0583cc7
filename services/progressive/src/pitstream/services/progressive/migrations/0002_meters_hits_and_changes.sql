-- What reports, audits and "was that decided before?" ask for, written in the transaction that appends the events.

-- Each meter as it stands: what its events, folded, come to.
CREATE TABLE meters (
    network             text    NOT NULL,
    meter               text    NOT NULL,
    currency            text    NOT NULL,
    version             bigint  NOT NULL,
    amount              bigint  NOT NULL,
    overflow            bigint  NOT NULL CONSTRAINT meters_overflow CHECK (overflow >= 0),
    reserve             bigint  NOT NULL,
    carry               bigint  NOT NULL,
    carry_denominator   bigint  NOT NULL,
    reserve_carry       bigint  NOT NULL,
    reserve_carry_denominator bigint NOT NULL,
    shown_max           bigint,
    retired             boolean NOT NULL,
    CONSTRAINT meters_once PRIMARY KEY (network, meter),
    CONSTRAINT meters_carry CHECK (carry >= 0 AND carry < carry_denominator),
    CONSTRAINT meters_reserve_carry CHECK (reserve_carry >= 0 AND reserve_carry < reserve_carry_denominator),
    CONSTRAINT meters_limit CHECK (shown_max IS NULL OR amount <= shown_max),
    -- Money overflows only past a full meter.
    CONSTRAINT meters_overflow_is_past_the_limit CHECK (overflow = 0 OR amount = shown_max)
);

-- Each change of a meter, one row for each event that made it: how it came to stand there.
CREATE TABLE meter_moves (
    network             text   NOT NULL,
    version             bigint NOT NULL,
    meter               text   NOT NULL,
    kind                text   NOT NULL,
    table_id            text,
    round_no            bigint,
    -- The claim of a hit, or the id of the change or transfer that two people decided.
    about               uuid,
    -- Stakes that fed it, negative where they were given back, and the exact rates at which they did.
    stakes              bigint NOT NULL DEFAULT 0,
    rate_numerator      bigint NOT NULL DEFAULT 0,
    rate_denominator    bigint NOT NULL DEFAULT 1,
    reserve_numerator   bigint NOT NULL DEFAULT 0,
    reserve_denominator bigint NOT NULL DEFAULT 1,
    -- Whole minor units that went into the meter together with its overflow (or out, below 0), and into its reserve.
    moved               bigint NOT NULL,
    reserve_moved       bigint NOT NULL,
    CONSTRAINT meter_moves_once PRIMARY KEY (network, version, meter),
    CONSTRAINT meter_moves_kind CHECK (kind IN (
        'opened', 'contributed', 'returned', 'locked', 'refused', 'corrected', 'sent', 'received'
    )),
    -- A meter falls only through a lock, a round declared void, a refused hit's seed, an approved correction or transfer.
    CONSTRAINT meter_moves_fall CHECK (
        moved >= 0 OR kind IN ('returned', 'locked', 'refused', 'corrected', 'sent')
    ),
    CONSTRAINT meter_moves_reserve_falls CHECK (
        reserve_moved >= 0 OR kind IN ('returned', 'locked', 'corrected', 'sent')
    ),
    CONSTRAINT meter_moves_fed CHECK ((stakes <> 0) = (kind IN ('contributed', 'returned')))
);
-- A round feeds a meter once and takes it back once; a claim locks once and is refused once.
CREATE UNIQUE INDEX meter_moves_of_a_round_once ON meter_moves (network, table_id, round_no, meter, kind)
    WHERE kind IN ('contributed', 'returned');
CREATE UNIQUE INDEX meter_moves_about_one_thing_once ON meter_moves (network, about, kind) WHERE about IS NOT NULL;
CREATE TRIGGER meter_moves_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON meter_moves
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Rates are exact, so sums of them are: over the product of their denominators.
CREATE AGGREGATE product (numeric) (SFUNC = numeric_mul, STYPE = numeric, INITCOND = '1');

-- Hits as they stand, those that are long over too.
CREATE TABLE hits (
    network    text     NOT NULL,
    claim_id   uuid     NOT NULL,
    locked_at  bigint   NOT NULL,
    meter      text     NOT NULL,
    table_id   text     NOT NULL,
    round_no   bigint   NOT NULL,
    amount     bigint   NOT NULL CHECK (amount >= 0),
    status     text     NOT NULL,
    released   boolean  NOT NULL,
    state      jsonb    NOT NULL,
    CONSTRAINT hits_once PRIMARY KEY (network, claim_id),
    CONSTRAINT hits_status CHECK (status IN ('locked', 'verified', 'paid', 'refused')),
    CONSTRAINT hits_release CHECK (NOT released OR status IN ('paid', 'refused'))
);
CREATE INDEX hits_of_a_meter ON hits (network, meter, locked_at);
CREATE INDEX hits_not_over ON hits (network, locked_at) WHERE NOT released;

-- What was asked for and what became of it. Two people stand behind every change that was made.
CREATE TABLE changes (
    network     text   NOT NULL,
    proposal_id uuid   NOT NULL,
    proposed_at bigint NOT NULL,
    proposed_by text   NOT NULL,
    change      jsonb  NOT NULL,
    status      text   NOT NULL DEFAULT 'proposed',
    decided_at  bigint,
    decided_by  text,
    CONSTRAINT changes_once PRIMARY KEY (network, proposal_id),
    CONSTRAINT changes_status CHECK (status IN ('proposed', 'approved', 'rejected')),
    CONSTRAINT changes_decided CHECK ((status = 'proposed') = (decided_by IS NULL)),
    CONSTRAINT changes_by_two CHECK (status <> 'approved' OR decided_by <> proposed_by)
);

-- Contributions that wait for a person's word: what is too much for a meter to take from one round.
CREATE TABLE questions (
    network   text   NOT NULL,
    table_id  text   NOT NULL,
    round_no  bigint NOT NULL,
    asked_at  bigint NOT NULL,
    meter     text   NOT NULL,
    stakes    bigint NOT NULL,
    would_add bigint NOT NULL,
    allowed   bigint NOT NULL,
    answer    text,
    answered_by text,
    reason    text,
    CONSTRAINT questions_once PRIMARY KEY (network, table_id, round_no),
    CONSTRAINT questions_answer CHECK (answer IN ('admitted', 'kept out'))
);
