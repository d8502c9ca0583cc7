-- Sums of products of stakes: what covariances and the cost of envy go by. `pitstream ops rebuild` fills in those of days
-- from before.
ALTER TABLE day_wagers
    ADD COLUMN with_ante numeric NOT NULL DEFAULT 0,
    ADD COLUMN beside numeric NOT NULL DEFAULT 0,
    ADD COLUMN squares_beside numeric NOT NULL DEFAULT 0;
UPDATE rounds SET
    wagers = (SELECT coalesce(jsonb_object_agg(wager, sums || '[0, 0, 0]'), wagers)
              FROM jsonb_each(wagers) AS each (wager, sums)),
    counted = (SELECT coalesce(jsonb_object_agg(wager, sums || '[0, 0, 0]'), counted)
               FROM jsonb_each(counted) AS each (wager, sums))
WHERE wagers IS NOT NULL OR counted IS NOT NULL;
