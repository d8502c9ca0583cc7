-- What moves balances runs for the ledger's own tables: no trigger on another table, and no temporary table of their name.

REVOKE EXECUTE ON FUNCTION move_posted(), move_pending() FROM PUBLIC;

-- A schema that is not named last is looked through first where it is the session's temporary one.
DO $$
DECLARE
    named TEXT;
BEGIN
    FOREACH named IN ARRAY ARRAY['move_posted', 'move_pending', 'refuse_full_pot', 'refuse_other_than_mirror'] LOOP
        EXECUTE format('ALTER FUNCTION %I() SET search_path = %I, pg_temp', named, current_schema());
    END LOOP;
END $$;
