/**
 * Runs one thing at a time, in the order in which they were asked for; what waits already is not taken twice. Its length is bounded by
 * the number of keys.
 *
 * @param onError is told what a work threw, and must not throw itself; the queue goes on with the next.
 */
export function createQueue(onError: (key: string, error: unknown) => void) {
  const waiting = new Set<string>();
  let running: string | undefined;
  let isClosed = false;
  // Never rejects, or nothing would run any more.
  let last: Promise<void> = Promise.resolve();

  const run = async (key: string, work: () => Promise<void>): Promise<void> => {
    waiting.delete(key);
    if (isClosed) return;
    running = key;
    try {
      await work();
    } catch (error) {
      onError(key, error);
    } finally {
      running = undefined;
    }
  };

  return {
    /**
     * Returns false when the key waits already, or the queue is closed. One that runs is taken to `follow` itself, else not.
     * The work never starts within this call.
     */
    add(key: string, work: () => Promise<void>, whileRunning: "skip" | "follow" = "skip"): boolean {
      if (isClosed || waiting.has(key) || (running === key && whileRunning === "skip")) return false;
      waiting.add(key);
      last = last.then(() => run(key, work));
      return true;
    },
    /** What waits now, in its order. */
    waiting: (): readonly string[] => [...waiting],
    /** Whether something runs now. */
    isBusy: () => running !== undefined,
    /** Takes nothing more, drops what waits, and resolves when what runs has ended. */
    close(): Promise<void> {
      isClosed = true;
      return last;
    },
  };
}
