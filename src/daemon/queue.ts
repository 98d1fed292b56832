/** Runs one thing at a time, in the order in which they were asked for; what waits or runs already is not taken twice. */
export interface Queue {
  /** Returns false when the key waits or runs already, or the queue is closed. The work never starts within this call. */
  add(key: string, work: () => Promise<void>): boolean;
  /** Takes nothing more, drops what waits, and resolves when what runs has ended. */
  close(): Promise<void>;
}

/**
 * A queue that works off what it is given. Its length is bounded by the number of keys.
 *
 * @param onError is told what a work threw, and must not throw itself; the queue goes on with the next.
 */
export function createQueue(onError: (key: string, error: unknown) => void): Queue {
  const pending = new Set<string>();
  let isClosed = false;
  // Never rejects, or nothing would run any more.
  let last: Promise<void> = Promise.resolve();

  const run = async (key: string, work: () => Promise<void>): Promise<void> => {
    try {
      if (!isClosed) await work();
    } catch (error) {
      onError(key, error);
    } finally {
      pending.delete(key);
    }
  };

  return {
    add(key, work) {
      if (isClosed || pending.has(key)) return false;
      pending.add(key);
      last = last.then(() => run(key, work));
      return true;
    },
    close() {
      isClosed = true;
      return last;
    },
  };
}
