-- Everything here is made from the topics alone: drop the schema, and the service makes it again.

-- Each event's exact bytes, so that a round can be told. Events about a round are found by it.
CREATE TABLE told (
    topic          text   NOT NULL,
    stream         text   NOT NULL,
    version        bigint NOT NULL,
    type           text   NOT NULL,
    recorded_at_us bigint NOT NULL,
    table_id       text,
    round_no       bigint,
    envelope       bytea  NOT NULL,
    CONSTRAINT told_once PRIMARY KEY (stream, version)
);
CREATE INDEX told_of_a_round ON told (table_id, round_no) WHERE round_no IS NOT NULL;

-- How far each topic was heard: what "as of" means.
CREATE TABLE heard (
    topic          text   NOT NULL CONSTRAINT heard_once PRIMARY KEY,
    last_event_us  bigint NOT NULL,
    applied_at_us  bigint NOT NULL,
    events         bigint NOT NULL
);

-- Which building of these tables this is: whoever follows changes begins anew with another one.
CREATE TABLE epoch (
    epoch      uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT epoch_once PRIMARY KEY,
    only_one   boolean NOT NULL DEFAULT true CONSTRAINT epoch_is_one UNIQUE CHECK (only_one)
);
INSERT INTO epoch DEFAULT VALUES;

-- Every table as it stands, with the round that is being played. ``changed`` is the transaction that wrote the row:
-- whoever reads all rows from the oldest one that may still commit misses none.
CREATE TABLE floor (
    table_id       text    NOT NULL CONSTRAINT floor_once PRIMARY KEY,
    is_open        boolean NOT NULL,
    game           text    NOT NULL,
    gaming_day     text    NOT NULL,
    currency       text    NOT NULL,
    network        text,
    paytables      jsonb   NOT NULL,
    policies       jsonb   NOT NULL,
    suspended      jsonb,
    last_round_no  bigint  NOT NULL,
    stage          text,
    street         text,
    asked          smallint,
    seats          jsonb   NOT NULL,
    round_began_us bigint,
    ends_us        bigint[] NOT NULL,
    last_event_us  bigint  NOT NULL,
    changed        bigint  NOT NULL DEFAULT pg_current_xact_id()::text::bigint
);
CREATE INDEX floor_changed ON floor (changed);

-- What a table's rounds of a gaming day came to, as settled.
CREATE TABLE table_days (
    table_id   text   NOT NULL,
    gaming_day text   NOT NULL,
    currency   text   NOT NULL,
    rounds     bigint NOT NULL,
    handle     numeric NOT NULL,
    win        numeric NOT NULL,
    changed    bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    CONSTRAINT table_days_once PRIMARY KEY (table_id, gaming_day, currency)
);
CREATE INDEX table_days_changed ON table_days (changed);
