-- A long stream's state, so that a start need not read all of it: a cache, of no worth to other code than made it.

CREATE TABLE snapshots (
    stream      text   NOT NULL,
    fingerprint bytea  NOT NULL,
    version     bigint NOT NULL CHECK (version >= 1),
    hash        bytea  NOT NULL CHECK (length(hash) = 32),
    traceparent text   NOT NULL,
    state       bytea  NOT NULL,
    CONSTRAINT snapshots_once PRIMARY KEY (stream, fingerprint)
);
