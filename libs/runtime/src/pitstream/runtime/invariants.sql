-- What holds in every service's schema. `pitstream audit` runs these; a row is a fault.

-- invariant: a_key_s_events_are_numbered_without_a_gap
-- The events of a key are numbered 1, 2, 3 … and its head is the last of them: a reader of the topic misses none.
SELECT key, head.last_sequence, count(events.key) AS events, max(events.key_sequence) AS highest
FROM key_heads AS head LEFT JOIN events USING (key)
GROUP BY key, head.last_sequence
HAVING count(events.key) <> head.last_sequence OR max(events.key_sequence) IS DISTINCT FROM head.last_sequence;

-- invariant: a_stream_s_versions_are_numbered_without_a_gap
-- The versions of a stream are 1, 2, 3 …: nothing in the middle of a story is missing.
SELECT stream, count(*) AS events, max(version) AS highest FROM events GROUP BY stream HAVING count(*) <> max(version);

-- invariant: what_waits_to_be_published_is_there
-- A row of the outbox names an event or a dead letter that the schema has.
SELECT outbox.position, outbox.stream, outbox.version, outbox.dead_letter_id
FROM outbox
LEFT JOIN events ON events.stream = outbox.stream AND events.version = outbox.version
LEFT JOIN dead_letters ON dead_letters.id = outbox.dead_letter_id
WHERE events.stream IS NULL AND dead_letters.id IS NULL;

-- invariant: every_command_was_answered
-- A command's first answer is kept with it: status and body are there once its transaction is done.
SELECT scope, command_id FROM commands WHERE status IS NULL OR body IS NULL;

-- invariant: a_key_that_waits_names_a_dead_letter_that_is_there
-- A key of a topic that stands still waits for a dead letter which was not taken in since.
SELECT topic, key, last_sequence, blocked_by
FROM key_positions WHERE blocked_by IS NOT NULL AND blocked_by NOT IN (SELECT id FROM dead_letters);
