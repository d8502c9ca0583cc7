-- A gaming day's movements are found by their time, without a look at every transfer there ever was.

CREATE INDEX transfers_by_time ON transfers USING brin (recorded_at) WITH (pages_per_range = 32);
CREATE INDEX remote_moves_by_time ON remote_moves USING brin (requested_at);
