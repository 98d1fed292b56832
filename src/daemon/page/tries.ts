import { minuteMs } from "../../model/time.ts";
/** Counts what strangers try, and when it is enough. */
export interface Tries {
  /** Counts one more of an address; false where it had enough in this minute, or all together had. */
  isRoom(address: string): boolean;
}

const mostOfAddress = 10;
const mostInAll = 100;

/**
 * Keeps a hundred addresses in mind at most: those of one minute.
 *
 * @param monotonic - milliseconds since some moment, by a clock that nobody can set.
 */
export function createTries(monotonic: () => number): Tries {
  const counts = new Map<string, number>();
  let begunAt = monotonic();
  let inAll = 0;
  return {
    isRoom(address) {
      if (monotonic() - begunAt >= minuteMs) {
        counts.clear();
        inAll = 0;
        begunAt = monotonic();
      }
      const count = counts.get(address) ?? 0;
      if (inAll >= mostInAll || count >= mostOfAddress) return false;
      counts.set(address, count + 1);
      inAll += 1;
      return true;
    },
  };
}
