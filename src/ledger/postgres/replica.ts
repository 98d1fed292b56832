import type { Ledger } from "../ledger.ts";
import type { Base } from "../sqlite/base.ts";
import type { CommitTurn, Entry, LeaseNumber, SharedLog } from "./log.ts";

/** How a base is made of an image. */
export type MakeBase = (image: Buffer) => Base;

/** A copy of the state that follows the log. */
export interface Replica {
  /** Reads the copy. */
  read<T>(work: (ledger: Ledger) => Promise<T>): Promise<T>;
  /** Writes to the log what `work` writes to the copy, as one; nothing of either where it fails. */
  write<T>(holds: readonly LeaseNumber[], work: (ledger: Ledger) => Promise<T>): Promise<T>;
  /** Makes what others have committed so far. */
  follow(): Promise<void>;
  /** The copy itself, for what is known without asking. */
  now(): Ledger;
  close(): void;
}

/**
 * An image is made anew when the entries since the last one take more than this share of it, and more than these bytes: a
 * process that starts reads an image at once, and each of the entries row by row.
 */
const entryShare = 1 / 4;
const leastEntryBytes = 1024 * 1024;

/**
 * Every commit waits for its turn, makes what others have committed before it, and only then does what it is to do: so each
 * one sees all that came before it, and all copies go the same way. One call at a time has the copy; between those the process
 * goes on.
 */
export async function openReplica(log: SharedLog, make: MakeBase): Promise<Replica> {
  let base: Base;
  let at = 0;
  /** Where the log was then: elsewhere the same number is another entry. */
  let place = "";
  let imageBytes = 0;
  let entryBytes = 0;
  /** Nothing was followed since the image was loaded. */
  let isFresh = true;
  const load = async (): Promise<void> => {
    const image = await log.image();
    const loaded = make(image.body);
    base?.close();
    base = loaded;
    at = image.number;
    place = image.place;
    imageBytes = image.body.length;
    entryBytes = 0;
    isFresh = true;
  };
  const makeUp = (entries: readonly Entry[]): void => {
    base.replay(entries.map(({ body }) => body));
    at = entries.at(-1)?.number ?? at;
    for (const { body } of entries) entryBytes += body.length;
  };
  const follow = async (): Promise<void> => {
    for (;;) {
      const news = await log.read(at);
      if (news.entries !== undefined && news.place === place) return makeUp(news.entries);
      await load();
    }
  };
  const keepImage = async (): Promise<void> => {
    if (entryBytes < Math.max(leastEntryBytes, imageBytes * entryShare)) return;
    const body = base.image();
    imageBytes = body.length;
    entryBytes = 0;
    // Without it the log is only longer than it need be, and the next one tries again.
    await log.keepImage({ number: at, body }).catch(() => undefined);
  };
  const writeIn = async <T>(turn: CommitTurn, work: (ledger: Ledger) => Promise<T>): Promise<T> => {
    const transaction = base.begin();
    try {
      const result = await work(base.ledger);
      const body = transaction.written();
      if (body !== undefined) {
        at = await turn.append(body);
        entryBytes += body.length;
      }
      transaction.commit();
      return result;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  };
  const write = async <T>(
    holds: readonly LeaseNumber[],
    work: (ledger: Ledger) => Promise<T>,
  ): Promise<T> => {
    for (;;) {
      const turn = await log.turn(at, holds);
      // What was followed since the last image may be what was lost.
      if (turn.news === undefined || turn.place !== place || !(turn.isAtHome || isFresh)) {
        await turn.end();
        await load();
        continue;
      }
      try {
        makeUp(turn.news);
        isFresh = false;
        if (turn.isAtHome) return await writeIn(turn, work);
        // The state was put back as it once was: what was committed since is lost, and nobody knows what was sent.
        await writeIn(turn, (ledger) => ledger.commit([{ kind: "declare-old", at: turn.now }]));
      } finally {
        await turn.end();
      }
    }
  };
  await load();
  const inTurn = createQueue();
  return {
    read: (work) => inTurn(() => work(base.ledger)),
    write: (holds, work) =>
      inTurn(async () => {
        const result = await write(holds, work);
        await keepImage();
        return result;
      }),
    follow: () => inTurn(follow),
    now: () => base.ledger,
    close: () => base.close(),
  };
}

/** One after another, in the order in which they come. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}
