-- A corrected round fed the meters with other stakes, and won other shares.

ALTER TABLE meter_moves
    DROP CONSTRAINT meter_moves_kind,
    DROP CONSTRAINT meter_moves_fall,
    DROP CONSTRAINT meter_moves_reserve_falls,
    DROP CONSTRAINT meter_moves_fed,
    ADD CONSTRAINT meter_moves_kind CHECK (kind IN (
        'opened', 'contributed', 'recontributed', 'returned', 'locked', 'refused', 'corrected', 'sent', 'received'
    )),
    -- A meter falls only through a lock, a round declared void or corrected, a refused hit's seed, an approved correction
    -- or transfer.
    ADD CONSTRAINT meter_moves_fall CHECK (
        moved >= 0 OR kind IN ('recontributed', 'returned', 'locked', 'refused', 'corrected', 'sent')
    ),
    ADD CONSTRAINT meter_moves_reserve_falls CHECK (
        reserve_moved >= 0 OR kind IN ('recontributed', 'returned', 'locked', 'corrected', 'sent')
    ),
    ADD CONSTRAINT meter_moves_fed CHECK ((stakes <> 0) = (kind IN ('contributed', 'recontributed', 'returned')));
CREATE INDEX meter_moves_of_corrected_rounds ON meter_moves (network, table_id, round_no) WHERE kind = 'recontributed';
CREATE INDEX hits_of_a_round ON hits (network, table_id, round_no);

-- Hits that corrections of rounds made appear: nothing is locked before one of the network's people accepts it.
CREATE TABLE proposed_hits (
    network     text   NOT NULL,
    claim_id    uuid   NOT NULL,
    proposed_at bigint NOT NULL,
    table_id    text   NOT NULL,
    round_no    bigint NOT NULL,
    proposed    jsonb  NOT NULL,
    status      text   NOT NULL DEFAULT 'proposed',
    declined_by text,
    reason      text,
    CONSTRAINT proposed_hits_once PRIMARY KEY (network, claim_id, proposed_at),
    CONSTRAINT proposed_hits_status CHECK (status IN ('proposed', 'locked', 'declined')),
    CONSTRAINT proposed_hits_declined CHECK ((status = 'declined') = (declined_by IS NOT NULL))
);
CREATE UNIQUE INDEX proposed_hits_wait_once ON proposed_hits (network, claim_id) WHERE status = 'proposed';

-- Prizes that had been paid before a correction of their round took them away, or changed them: listed, by round.
CREATE TABLE questioned_prizes (
    place      bigint GENERATED ALWAYS AS IDENTITY,
    prize_id   uuid   NOT NULL,
    table_id   text   NOT NULL,
    round_no   bigint NOT NULL,
    correction bigint NOT NULL,
    questioned jsonb  NOT NULL,
    CONSTRAINT questioned_prizes_once PRIMARY KEY (prize_id, correction)
);
CREATE INDEX questioned_prizes_by_place ON questioned_prizes (place);
