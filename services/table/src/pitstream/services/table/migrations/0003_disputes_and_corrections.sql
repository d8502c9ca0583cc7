-- A floor is asked "which disputes are open" and "which corrections wait": their streams are one round's each. Rows refer
-- to no table that is made anew from events now and then.

CREATE TABLE disputes (
    place      bigint   GENERATED ALWAYS AS IDENTITY,
    table_id   text     NOT NULL,
    round_no   bigint   NOT NULL,
    number     bigint   NOT NULL CHECK (number >= 1),
    seat       smallint,
    decision   text,
    statements bigint   NOT NULL DEFAULT 0,
    CONSTRAINT disputes_once PRIMARY KEY (table_id, round_no, number),
    CONSTRAINT disputes_decision CHECK (decision IN ('upheld', 'denied'))
);
CREATE INDEX disputes_by_place ON disputes (place);

CREATE TABLE corrections (
    place    bigint GENERATED ALWAYS AS IDENTITY,
    table_id text   NOT NULL,
    round_no bigint NOT NULL,
    number   bigint NOT NULL CHECK (number >= 1),
    state    text   NOT NULL DEFAULT 'proposed',
    CONSTRAINT corrections_once PRIMARY KEY (table_id, round_no, number),
    CONSTRAINT corrections_state CHECK (state IN ('proposed', 'confirmed', 'declined'))
);
CREATE INDEX corrections_by_place ON corrections (place);
-- One at a time: each is judged by what is in force before it.
CREATE UNIQUE INDEX corrections_one_waits ON corrections (table_id, round_no) WHERE state = 'proposed';
