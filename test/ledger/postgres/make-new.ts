/** To be run once, on a state that nothing was written to: keeps the rows that a new state has. */
export const keepWhatIsNew = `
  DO $$ DECLARE name text; rows integer; BEGIN
    CREATE SCHEMA new;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'boardsync' LOOP
      EXECUTE format('CREATE TABLE new.%I AS TABLE boardsync.%I', name, name);
      GET DIAGNOSTICS rows = ROW_COUNT;
      IF rows = 0 THEN EXECUTE format('DROP TABLE new.%I', name); END IF;
    END LOOP;
  END $$`;

/**
 * The state as if it had just been made: its rows, and the numbers that come next. A row of `state` that is written anew is a
 * copy's.
 */
export const makeNew = `
  DO $$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'boardsync' AND tablename <> 'state' LOOP
      EXECUTE format('DELETE FROM boardsync.%I', name);
    END LOOP;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'new' AND tablename <> 'state' LOOP
      EXECUTE format('INSERT INTO boardsync.%I OVERRIDING SYSTEM VALUE SELECT * FROM new.%I', name, name);
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'boardsync' LOOP
      EXECUTE format('ALTER SEQUENCE boardsync.%I RESTART', name);
    END LOOP;
  END $$`;
