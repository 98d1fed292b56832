import type { Clock } from "../../../model/surroundings.ts";
import { hourMs } from "../../../model/time.ts";
import type { ReadSize, ReadSizes } from "../../tracker.ts";
import { TooHeavyError } from "./reader.ts";

/** GitHub's largest page, and the most ids of one query. */
export const largestSize = 100;
/** After this it is tried whether more is answered again: a bad hour must not cost for ever. */
const restMs = hourMs;
/**
 * So many requests in a row that are too heavy are more than one thing explains that is too heavy alone (eight on the way down from
 * a hundred), or a few neighbours: GitHub just does not answer now.
 */
const mostFailures = 12;

/** How much GitHub answers for at once, by what is asked, as far as less than all that may be asked. */
export interface Sizes extends ReadSizes {
  of(name: string, most?: number): number;
  /** The largest size that is asked for from now on; undefined takes back what was noted. */
  note(name: string, size: number | undefined): void;
}

/** Nothing was too heavy yet. */
export function createSizes(clock: Pick<Clock, "now">): Sizes {
  const known = new Map<string, ReadSize>();
  const find = (name: string): ReadSize | undefined => {
    const found = known.get(name);
    const left = found === undefined ? 0 : found.until - clock.now();
    return left > 0 && left <= restMs ? found : undefined;
  };
  return {
    of: (name, most = largestSize) => Math.min(most, find(name)?.size ?? most),
    note(name, size) {
      if (size === undefined) known.delete(name);
      else known.set(name, { name, size, until: clock.now() + restMs });
    },
    all: () => [...known.keys()].flatMap((name) => find(name) ?? []),
    take(sizes) {
      for (const one of sizes) known.set(one.name, one);
    },
  };
}

/** Half of what is too much. */
export function halve(size: number): number {
  return Math.max(1, Math.floor(size / 2));
}

/** Many things that are asked for by one kind of query. */
export interface Asking<T, R> {
  /** What is asked for: sizes are remembered by it. */
  readonly name: string;
  readonly most: number;
  /** By what one that is too heavy alone is remembered. */
  nameOf(one: T): string;
  /** One request. @param isDivisible - whether less can be asked for: then it is not repeated as it is. @throws TooHeavyError */
  ask(some: readonly T[], isDivisible: boolean): Promise<readonly R[]>;
  /** What stands in the place of one that is too heavy alone. */
  unread(one: T, error: TooHeavyError): R;
  /** Whether other queries have just been answered: then that none of these was does not mean that GitHub is down. */
  readonly isUp?: boolean;
}

/**
 * Asks for things, as many at once as GitHub is known to answer for. What is too heavy is halved, and the size that works is
 * remembered. What is too heavy alone is unread by itself, and asked for by itself from then on.
 *
 * Each half is asked for once, and only what was never divided is repeated. So of n things, one that is too heavy costs 2 log₂ n
 * requests more at most, and no more than twelve in a row fail: then all that is left is unread.
 *
 * @returns in the order of the things.
 * @throws TooHeavyError where none of them was answered, and nothing else was.
 */
export async function readInPieces<T, R>(
  sizes: Sizes,
  things: readonly T[],
  asking: Asking<T, R>,
): Promise<readonly R[]> {
  const { name, most } = asking;
  const found = new Map<T, R>();
  const heavy = new Map<T, TooHeavyError>();
  let failures = 0;
  let last: TooHeavyError | undefined;

  /** Whether it was answered. */
  async function ask(some: readonly T[], isDivisible: boolean): Promise<boolean> {
    if (last !== undefined && failures >= mostFailures) return false;
    try {
      const rows = await asking.ask(some, isDivisible);
      for (const [index, row] of rows.entries()) found.set(some[index] as T, row);
      failures = 0;
      return true;
    } catch (error) {
      if (!(error instanceof TooHeavyError)) throw error;
      last = error;
      failures += 1;
      return false;
    }
  }

  async function readPiece(piece: readonly T[]): Promise<void> {
    const size = sizes.of(name, most);
    const [one] = piece;
    if (one === undefined) return;
    if (piece.length > size) {
      await readPiece(piece.slice(0, size));
      await readPiece(piece.slice(size));
      return;
    }
    const isWhole = piece.length === things.length;
    if (await ask(piece, piece.length > 1 || !isWhole)) return;
    if (piece.length === 1) {
      heavy.set(one, last as TooHeavyError);
      return;
    }
    const half = Math.ceil(piece.length / 2);
    const before = sizes.of(name, most);
    const known = heavy.size;
    sizes.note(name, half);
    await readPiece(piece.slice(0, half));
    await readPiece(piece.slice(half));
    // One that is too heavy alone explains why all that held it failed.
    if (heavy.size > known) sizes.note(name, before < most ? before : undefined);
  }

  const isAlone = (one: T): boolean => sizes.of(asking.nameOf(one), 2) === 1;
  await readPiece(things.filter((one) => !isAlone(one)));
  for (const one of things.filter(isAlone))
    if (!(await ask([one], true))) heavy.set(one, last as TooHeavyError);
  if (last !== undefined && found.size === 0 && asking.isUp !== true) throw last;
  if (failures < mostFailures) for (const one of heavy.keys()) sizes.note(asking.nameOf(one), 1);
  for (const one of found.keys()) if (isAlone(one)) sizes.note(asking.nameOf(one), undefined);
  return things.map((one) => {
    const error = heavy.get(one);
    return error === undefined ? (found.get(one) as R) : asking.unread(one, error);
  });
}
