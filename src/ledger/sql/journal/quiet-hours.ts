import { sql } from "../statements.ts";

/** The end of an INSERT of quiet runs: what their hour has counted already stays. Apart, as `health` loads it, and nothing else of what prunes. */
export const addedToHour = sql`ON CONFLICT (hour) DO UPDATE SET runs = quiet_runs.runs + excluded.runs,
  failures = quiet_runs.failures + excluded.failures, longest_ms = CASE
    WHEN excluded.longest_ms > quiet_runs.longest_ms THEN excluded.longest_ms ELSE quiet_runs.longest_ms END`;
