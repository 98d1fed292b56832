import { closeSync, openSync, readSync, statSync } from "node:fs";
import { StateError } from "../../errors.ts";

/** Where a database says how it is written: 1 with a rollback journal, 2 with a log. https://www.sqlite.org/fileformat.html */
const writeVersionAt = 18;
const rollbackJournal = 1;

/**
 * SQLite replays any log that lies beside a database, also that of another one: a copy that was put back over a state whose
 * process had been killed would become a mixture of the two. Our copies don't use a log until they are opened, so one
 * beside them is never theirs.
 *
 * Only before the first connection of this process to the file: closing it here drops every lock that the process has on it.
 *
 * @throws StateError
 */
export function refuseForeignJournal(path: string, file: string): void {
  const journal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (journal === undefined || journal.size === 0) return;
  if (readWriteVersion(path) !== rollbackJournal) return;
  throw new StateError(
    `The state file ${file} is a copy that was put back beside the log of another state (${file}-wal), and the two would be mixed: delete ${file}-wal and ${file}-shm, then try again.`,
  );
}

/** undefined for a file that is too short to be a database. */
function readWriteVersion(path: string): number | undefined {
  const header = Buffer.alloc(1);
  const descriptor = openSync(path, "r");
  try {
    return readSync(descriptor, header, 0, 1, writeVersionAt) === 1 ? header[0] : undefined;
  } finally {
    closeSync(descriptor);
  }
}
