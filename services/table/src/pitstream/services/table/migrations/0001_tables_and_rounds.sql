-- A floor is asked "which tables are there, what is played" and "where is round r00017": neither is one stream's state.

CREATE TABLE tables (
    table_id      text    NOT NULL CONSTRAINT tables_once PRIMARY KEY,
    is_open       boolean NOT NULL,
    game          text    NOT NULL,
    gaming_day    date    NOT NULL,
    currency      text    NOT NULL,
    network       text,
    last_round_no bigint  NOT NULL DEFAULT 0 CHECK (last_round_no >= 0),
    round_is_open boolean NOT NULL DEFAULT false,
    CONSTRAINT tables_close_without_a_round CHECK (is_open OR NOT round_is_open)
);

CREATE TABLE rounds (
    table_id text   NOT NULL CONSTRAINT rounds_table REFERENCES tables (table_id),
    round_no bigint NOT NULL,
    round_id text   NOT NULL,
    CONSTRAINT rounds_once PRIMARY KEY (table_id, round_no)
);
-- A caller's own round id is not ours to make unique: two feeds may both begin with r00001.
CREATE INDEX rounds_of_an_id ON rounds (round_id);
