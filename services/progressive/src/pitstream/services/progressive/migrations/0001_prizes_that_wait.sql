-- A floorperson asks "which prizes wait at my tables?" and names one by its id: neither is one stream's state.

CREATE TABLE prizes (
    prize_id uuid   NOT NULL CONSTRAINT prizes_once PRIMARY KEY,
    place    bigint GENERATED ALWAYS AS IDENTITY,
    table_id text   NOT NULL,
    round_no bigint NOT NULL,
    status   text   NOT NULL DEFAULT 'pending',
    CONSTRAINT prizes_in_order UNIQUE (place),
    CONSTRAINT prizes_status CHECK (status IN ('pending', 'approved', 'refused'))
);
CREATE INDEX prizes_of_a_table ON prizes (table_id, place);
CREATE INDEX prizes_that_wait ON prizes (place) WHERE status = 'pending';
