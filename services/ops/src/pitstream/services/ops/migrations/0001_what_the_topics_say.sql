-- Everything here is made from the topics alone: drop the schema, and the service makes it again.

-- Each event's exact bytes, so that a round can be told, and all else made anew without reading the topics again.
CREATE TABLE told (
    topic          text   NOT NULL,
    key            text   NOT NULL,
    key_sequence   bigint NOT NULL,
    stream         text   NOT NULL,
    version        bigint NOT NULL,
    type           text   NOT NULL,
    recorded_at_us bigint NOT NULL,
    table_id       text,
    round_no       bigint,
    envelope       bytea  NOT NULL,
    CONSTRAINT told_once PRIMARY KEY (topic, key, key_sequence)
);
CREATE UNIQUE INDEX told_of_a_stream ON told (stream, version);
CREATE INDEX told_of_a_round ON told (table_id, round_no) WHERE round_no IS NOT NULL;
-- A network's history without the events that every round brings.
CREATE INDEX told_of_a_network ON told (key, key_sequence) WHERE topic = 'progressives.v1' AND type NOT IN (
    'pitstream.progressives.v1.WagersContributed', 'pitstream.progressives.v1.RoundClosed'
);

-- How far each topic was heard: what "as of" means.
CREATE TABLE heard (
    topic         text   NOT NULL CONSTRAINT heard_once PRIMARY KEY,
    last_event_us bigint NOT NULL,
    applied_at_us bigint NOT NULL,
    events        bigint NOT NULL
);

-- What changed last, for those who follow: ``changed`` is the transaction that did it. Whoever reads from the oldest
-- one that may still commit misses nothing.
CREATE TABLE touched (
    kind    text   NOT NULL,
    id      text   NOT NULL,
    changed bigint NOT NULL,
    CONSTRAINT touched_once PRIMARY KEY (kind, id)
);
CREATE INDEX touched_since ON touched (changed);

-- Every table as it stands, with the round that is being played.
CREATE TABLE floor (
    table_id       text     NOT NULL CONSTRAINT floor_once PRIMARY KEY,
    is_open        boolean  NOT NULL,
    game           text     NOT NULL,
    gaming_day     text     NOT NULL,
    currency       text     NOT NULL,
    network        text,
    paytables      jsonb    NOT NULL,
    policies       jsonb    NOT NULL,
    suspended      jsonb,
    last_round_no  bigint   NOT NULL,
    stage          text,
    street         text,
    asked          smallint,
    seats          jsonb    NOT NULL,
    round_began_us bigint,
    ends_us        bigint[] NOT NULL,
    last_event_us  bigint   NOT NULL
);

-- A round, told of by two topics of which either may be first: what it was opened with, and what it came to.
CREATE TABLE rounds (
    table_id   text    NOT NULL,
    round_no   bigint  NOT NULL,
    round_id   text,
    game       text    NOT NULL,
    gaming_day text    NOT NULL,
    currency   text    NOT NULL,
    network    text,
    terms      jsonb,
    opened_us  bigint,
    ended_us   bigint,
    void       text,
    board      smallint[] NOT NULL DEFAULT '{}',
    corrected  bigint  NOT NULL DEFAULT 0,
    settled_us bigint,
    shift      text,
    handle     numeric,
    win        numeric,
    -- What each wager came to; prizes that the table kept after all; those that a correction made nothing of.
    wagers     jsonb,
    kept       jsonb   NOT NULL DEFAULT '{}',
    gone       jsonb   NOT NULL DEFAULT '[]',
    -- What of it stands in the sums below.
    counted    jsonb,
    CONSTRAINT rounds_once PRIMARY KEY (table_id, round_no)
);
CREATE INDEX rounds_by_id ON rounds (round_id);
CREATE INDEX rounds_ended ON rounds (ended_us);
CREATE INDEX rounds_of_a_day ON rounds (gaming_day, table_id);

-- When its last seat was posted in the ledger.
CREATE TABLE posted (
    table_id  text   NOT NULL,
    round_no  bigint NOT NULL,
    posted_us bigint NOT NULL,
    CONSTRAINT posted_once PRIMARY KEY (table_id, round_no)
);

-- Who sat where, what was dealt there (cards as 0 to 51), and what it came to.
CREATE TABLE seats (
    table_id   text     NOT NULL,
    round_no   bigint   NOT NULL,
    seat       smallint NOT NULL,
    player     text     NOT NULL,
    gaming_day text     NOT NULL,
    currency   text     NOT NULL,
    cards      smallint[],
    staked     bigint,
    net        bigint,
    CONSTRAINT seats_once PRIMARY KEY (table_id, round_no, seat)
);
CREATE INDEX seats_of_a_player ON seats (player, gaming_day);
CREATE INDEX seats_by_amount ON seats (gaming_day, abs(net));
CREATE INDEX seats_by_cards ON seats USING gin (cards);

-- What the wagers of a gaming day came to, as settled: under the terms that their rounds were opened with.
CREATE TABLE day_wagers (
    gaming_day text    NOT NULL,
    table_id   text    NOT NULL,
    currency   text    NOT NULL,
    shift      text    NOT NULL,
    game       text    NOT NULL,
    wager      text    NOT NULL,
    terms      text    NOT NULL,
    bets       bigint  NOT NULL,
    handle     numeric NOT NULL,
    taken      numeric NOT NULL,
    paid       numeric NOT NULL,
    squares    numeric NOT NULL,
    CONSTRAINT day_wagers_once PRIMARY KEY (gaming_day, table_id, currency, shift, game, wager, terms)
);

-- The same without the wagers: a table's day.
CREATE TABLE table_days (
    gaming_day text    NOT NULL,
    table_id   text    NOT NULL,
    currency   text    NOT NULL,
    rounds     bigint  NOT NULL,
    handle     numeric NOT NULL,
    win        numeric NOT NULL,
    CONSTRAINT table_days_once PRIMARY KEY (gaming_day, table_id, currency)
);

-- What goes through stages of its own, as it stands: networks, meters, hits, changes, questions, prizes, disputes,
-- corrections, moves at operators' wallets, receivables.
CREATE TABLE things (
    kind     text   NOT NULL,
    id       text   NOT NULL,
    status   text   NOT NULL,
    table_id text,
    network  text,
    account  text,
    first_us bigint NOT NULL,
    last_us  bigint NOT NULL,
    state    jsonb  NOT NULL,
    CONSTRAINT things_once PRIMARY KEY (kind, id)
);
CREATE INDEX things_by_status ON things (kind, status, first_us);
CREATE INDEX things_of_a_network ON things (network, kind, first_us) WHERE network IS NOT NULL;
CREATE INDEX things_of_a_table ON things (table_id, kind, first_us) WHERE table_id IS NOT NULL;

-- What went into each meter, minute by minute.
CREATE TABLE contributions (
    network   text    NOT NULL,
    meter     text    NOT NULL,
    minute_us bigint  NOT NULL,
    rounds    bigint  NOT NULL,
    stakes    numeric NOT NULL,
    posted    numeric NOT NULL,
    CONSTRAINT contributions_once PRIMARY KEY (network, meter, minute_us)
);

-- Every account of the ledger, as the transfers of its events leave it.
CREATE TABLE accounts (
    account  text    NOT NULL CONSTRAINT accounts_once PRIMARY KEY,
    kind     text    NOT NULL,
    currency text    NOT NULL,
    balance  numeric NOT NULL,
    last_us  bigint  NOT NULL
);
CREATE INDEX accounts_of_a_kind ON accounts (kind, account);

-- Events of each topic in ten seconds, by when they were recorded.
CREATE TABLE flow (
    topic   text   NOT NULL,
    ten_s   bigint NOT NULL,
    events  bigint NOT NULL,
    CONSTRAINT flow_once PRIMARY KEY (topic, ten_s)
);
