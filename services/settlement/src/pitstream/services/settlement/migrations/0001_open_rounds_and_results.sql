-- A round is settled from all its events, which arrive over time; and the pit asks for sums by gaming day and game.

-- Events of rounds that are not closed yet, as they came; deleted in the transaction that settles the round, since they
-- remain in their topic and in the table's own store.
CREATE TABLE open_round_events (
    stream   text   NOT NULL,
    version  bigint NOT NULL CHECK (version >= 1),
    envelope bytea  NOT NULL,
    CONSTRAINT open_round_events_once PRIMARY KEY (stream, version)
);

-- What each wager of a settled round came to at the whole table, minor units. A won share of a meter counts in `claims`:
-- its amount is fixed by the progressive service.
CREATE TABLE results (
    table_id   text   NOT NULL,
    round_no   bigint NOT NULL,
    wager      text   NOT NULL,
    gaming_day date   NOT NULL,
    game       text   NOT NULL,
    currency   text   NOT NULL,
    stake      bigint NOT NULL CHECK (stake >= 0),
    returned   bigint NOT NULL CHECK (returned >= 0),
    won        bigint NOT NULL CHECK (won >= 0),
    awards     bigint NOT NULL CHECK (awards >= 0),
    claims     bigint NOT NULL CHECK (claims >= 0),
    CONSTRAINT results_once PRIMARY KEY (table_id, round_no, wager)
);
CREATE INDEX results_by_gaming_day ON results (gaming_day, game);
