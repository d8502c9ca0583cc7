-- A table names a network that it must have heard of, and knows for which of its rounds that network has not answered.

-- As progressives.v1 tells of them.
CREATE TABLE networks (
    network  text   NOT NULL CONSTRAINT networks_once PRIMARY KEY,
    currency text   NOT NULL,
    meters   text[] NOT NULL
);

-- The progressive wagers of one round, as the table counted them when betting closed.
CREATE TABLE network_stakes (
    table_id     text    NOT NULL,
    round_no     bigint  NOT NULL,
    network      text    NOT NULL,
    currency     text    NOT NULL,
    stakes       bigint  NOT NULL,
    closed_at_us bigint  NOT NULL,
    answered     boolean NOT NULL DEFAULT false,
    void         boolean NOT NULL DEFAULT false,
    CONSTRAINT network_stakes_once PRIMARY KEY (table_id, round_no),
    CONSTRAINT network_stakes_amount CHECK (stakes > 0)
);
CREATE INDEX network_stakes_unanswered ON network_stakes (table_id, network, round_no) WHERE NOT answered;
CREATE INDEX network_stakes_of_a_network ON network_stakes (network, table_id);
