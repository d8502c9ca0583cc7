-- Every service needs the same ground to stand on: its events, what it still has to publish, what it has read, and
-- the answers it gave.

CREATE TABLE events (
    stream         text    NOT NULL,
    version        bigint  NOT NULL CHECK (version >= 1),
    key            text    NOT NULL,
    key_sequence   bigint  NOT NULL CHECK (key_sequence >= 1),
    event_id       uuid    NOT NULL,
    type           text    NOT NULL,
    recorded_at_us bigint  NOT NULL,
    hash           bytea   NOT NULL CHECK (length(hash) = 32),
    envelope       bytea   NOT NULL,
    CONSTRAINT events_one_a_version PRIMARY KEY (stream, version),
    CONSTRAINT events_one_a_place_in_its_key UNIQUE (key, key_sequence)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused; a mistake is corrected by a further event', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Locked before an event of the key is numbered, and held until commit: so positions in the outbox grow in the order
-- of key_sequence within a key, whatever happens between keys.
CREATE TABLE key_heads (
    key           text   NOT NULL CONSTRAINT key_heads_once PRIMARY KEY,
    last_sequence bigint NOT NULL
);

CREATE TABLE dead_letters (
    id            bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT dead_letters_once PRIMARY KEY,
    topic         text   NOT NULL,
    partition     int    NOT NULL,
    kafka_offset  bigint NOT NULL,
    kafka_time_ms bigint NOT NULL,
    record_key    bytea,
    record_value  bytea,
    header_names  bytea[] NOT NULL,
    header_values bytea[] NOT NULL,
    reason        text   NOT NULL,
    error         text   NOT NULL,
    recorded_at_us bigint NOT NULL,
    retried_at_us bigint
);
CREATE INDEX dead_letters_of_a_record ON dead_letters (topic, partition, kafka_offset);

-- A row is here until Kafka has acknowledged it; nothing ever asks "after which position", so that a transaction that
-- commits late is never overlooked.
CREATE TABLE outbox (
    position       bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT outbox_once PRIMARY KEY,
    topic          text NOT NULL,
    stream         text,
    version        bigint,
    dead_letter_id bigint,
    CONSTRAINT outbox_names_one_thing CHECK (num_nonnulls(stream, dead_letter_id) = 1)
);

CREATE TABLE inbox (
    topic    text  NOT NULL,
    event_id uuid  NOT NULL,
    hash     bytea NOT NULL,
    CONSTRAINT inbox_once PRIMARY KEY (topic, event_id)
);

CREATE TABLE checkpoints (
    topic       text   NOT NULL,
    partition   int    NOT NULL,
    next_offset bigint NOT NULL,
    CONSTRAINT checkpoints_once PRIMARY KEY (topic, partition)
);

-- How far each key of a topic was applied. A key that is blocked waits for its dead letter to be retried.
CREATE TABLE key_positions (
    topic         text   NOT NULL,
    key           text   NOT NULL,
    last_sequence bigint NOT NULL,
    blocked_by    bigint REFERENCES dead_letters (id),
    CONSTRAINT key_positions_once PRIMARY KEY (topic, key)
);

-- Events that wait: for the one before them, or for a blocked key to be freed. Two that claim one place may wait, since
-- only their turn tells which of them joins the chain.
CREATE TABLE parked (
    topic         text   NOT NULL,
    key           text   NOT NULL,
    key_sequence  bigint NOT NULL,
    partition     int    NOT NULL,
    kafka_offset  bigint NOT NULL,
    kafka_time_ms bigint NOT NULL,
    record_value  bytea  NOT NULL,
    header_names  bytea[] NOT NULL,
    header_values bytea[] NOT NULL,
    CONSTRAINT parked_once PRIMARY KEY (topic, key, key_sequence, partition, kafka_offset)
);

-- The first answer to a command id is the answer for ever; status is null only inside the transaction that decides.
CREATE TABLE commands (
    scope       text   NOT NULL,
    command_id  text   NOT NULL,
    inputs_hash bytea  NOT NULL,
    actor       text   NOT NULL,
    recorded_at_us bigint NOT NULL,
    status      int,
    body        text,
    CONSTRAINT commands_once PRIMARY KEY (scope, command_id)
);
