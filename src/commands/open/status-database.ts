import type { Ledger, Pruned } from "../../ledger/ledger.ts";

/** As `status --json` prints it. */
export type DatabaseStatus = Awaited<ReturnType<typeof readDatabase>>;

/** How big the state is; sizes in bytes, of the file and of the write-ahead journal beside it. */
export async function readDatabase(ledger: Ledger) {
  const { pruned, ...size } = await ledger.upkeep.size();
  const { bytes, freeBytes, links } = size;
  return {
    ...size,
    /** What the file uses; null while there is no link. */
    bytesPerLink: links === 0 ? null : Math.round((bytes - freeBytes) / links),
    historySince: describeSince(pruned),
  };
}

/** From when on the history is whole, ISO 8601; null where nothing was deleted from it. */
export function describeSince(pruned: Pruned | undefined): string | null {
  return pruned === undefined ? null : new Date(pruned.before).toISOString();
}

/** One sentence about the size. */
export function describeDatabase({ bytes, freeBytes, journalBytes }: DatabaseStatus): string {
  const free = freeBytes === 0 ? "" : `; ${describeBytes(freeBytes)} of it is used again before it grows`;
  return `The state takes ${describeBytes(bytes + journalBytes)}${free}.`;
}

const units = ["bytes", "kB", "MB", "GB"] as const;

/** Three digits are enough to see how it grows. */
export function describeBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const number = bytes / 1000 ** power;
  return `${number.toLocaleString("en", { maximumSignificantDigits: 3 })} ${units[power]}`;
}
