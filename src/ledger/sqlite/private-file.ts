import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StateError } from "../../errors.ts";

const privateMode = 0o600;
const othersBits = 0o077;

/**
 * Makes the folder of a file, readable by its owner alone, when it is missing.
 *
 * @throws StateError when it can't be made.
 */
export function createFolderOf(file: string): void {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StateError(
      `The folder ${folder} can't be made (${reason}): make it, or name another file as \`state\` in the config.`,
      { cause: error },
    );
  }
}

/**
 * Creates an empty file with mode 0600, whatever the umask says, or tightens one that is there, with the journal files
 * beside it. SQLite gives these the mode of the database.
 *
 * An existing file is never opened here: closing any descriptor of a file drops every lock that this process has on it,
 * those of an open database too. See https://www.sqlite.org/howtocorrupt.html, section 2.2.
 */
export function createPrivateFile(file: string): void {
  if (existsSync(file)) {
    for (const path of [file, `${file}-wal`, `${file}-shm`]) tighten(path);
    return;
  }
  closeSync(openSync(file, "wx", privateMode));
}

function tighten(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & othersBits) !== 0) chmodSync(path, privateMode);
}
