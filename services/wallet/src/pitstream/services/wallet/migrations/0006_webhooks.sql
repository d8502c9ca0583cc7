-- What happened to a platform's players is sent to it, from an outbox that is written with the posting itself.

CREATE TABLE webhooks (
    webhook_id  UUID        NOT NULL CONSTRAINT webhooks_once PRIMARY KEY,
    owner       TEXT        NOT NULL,
    url         TEXT        NOT NULL,
    kinds       TEXT[]      NOT NULL,
    -- The newest first; an older one is in force for a while, so that its owner can change over.
    secrets     TEXT[]      NOT NULL,
    created_by  TEXT        NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    ended_at    TIMESTAMPTZ,
    position    BIGINT      GENERATED ALWAYS AS IDENTITY,
    CONSTRAINT webhooks_kinds CHECK (cardinality(kinds) >= 1),
    CONSTRAINT webhooks_secrets CHECK (cardinality(secrets) BETWEEN 1 AND 2)
);

CREATE TABLE webhook_deliveries (
    delivery_id  UUID        NOT NULL CONSTRAINT webhook_deliveries_once PRIMARY KEY,
    webhook_id   UUID        NOT NULL CONSTRAINT webhook_deliveries_webhook REFERENCES webhooks (webhook_id),
    order_key    TEXT        NOT NULL,
    kind         TEXT        NOT NULL,
    body         TEXT        NOT NULL,
    state        TEXT        NOT NULL DEFAULT 'pending',
    attempts     INT         NOT NULL DEFAULT 0,
    last_answer  TEXT        NOT NULL DEFAULT '',
    created_at   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    finished_at  TIMESTAMPTZ,
    position     BIGINT      GENERATED ALWAYS AS IDENTITY,
    CONSTRAINT webhook_deliveries_state CHECK (state IN ('pending', 'delivered', 'dead'))
);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, order_key, position) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (webhook_id, position);
CREATE INDEX webhook_deliveries_done ON webhook_deliveries (finished_at) WHERE state = 'delivered';

-- One row for each order that must be kept: what is first in it is due at this time; null when nothing waits. Who adds a
-- delivery locks the row, as does who finishes one, so that neither overlooks the other.
CREATE TABLE webhook_lanes (
    webhook_id UUID        NOT NULL CONSTRAINT webhook_lanes_webhook REFERENCES webhooks (webhook_id),
    order_key  TEXT        NOT NULL,
    due_at     TIMESTAMPTZ,
    CONSTRAINT webhook_lanes_once PRIMARY KEY (webhook_id, order_key)
);
CREATE INDEX webhook_lanes_due ON webhook_lanes (due_at) WHERE due_at IS NOT NULL;
