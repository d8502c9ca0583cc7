-- The toy wallet notes every event it applies, in the order it does, so that tests can count and compare.
CREATE TABLE applied (
    place  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key    text   NOT NULL,
    reason text   NOT NULL
);
