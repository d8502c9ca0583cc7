-- Refusals are answered as application/problem+json: those that were kept are told again in that shape, and no other.
UPDATE commands
SET body = (
    SELECT json_build_object(
        'type', 'urn:pitstream:error:' || (e ->> 'code'),
        'title', upper(left(e ->> 'code', 1)) || replace(substr(e ->> 'code', 2), '_', ' '),
        'status', status,
        'detail', e ->> 'message',
        'code', e ->> 'code',
        'field', e ->> 'field'
    )::text
    FROM (SELECT body::json -> 'error' AS e) AS told
)
WHERE status >= 400 AND body LIKE '{"error":%';
