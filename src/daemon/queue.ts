/** Runs one thing at a time, in the order in which they were asked for; what waits already is not asked for twice. */
export interface Queue {
  /** Returns false when it waits or runs already, or the queue is closed. */
  add(key: string, work: () => Promise<void>): boolean;
  /** Takes nothing more, drops what waits, and resolves when what runs has ended. */
  close(): Promise<void>;
}

export function createQueue(): Queue {
  const waiting = new Map<string, () => Promise<void>>();
  let running: string | undefined;
  let isClosed = false;
  let current: Promise<void> = Promise.resolve();

  const runAll = async (): Promise<void> => {
    for (;;) {
      const next = waiting.entries().next().value;
      if (next === undefined) return;
      const [key, work] = next;
      waiting.delete(key);
      running = key;
      try {
        await work();
      } finally {
        running = undefined;
      }
    }
  };

  return {
    add(key, work) {
      if (isClosed || running === key || waiting.has(key)) return false;
      waiting.set(key, work);
      if (running === undefined && waiting.size === 1) current = runAll();
      return true;
    },
    async close() {
      isClosed = true;
      waiting.clear();
      await current;
    },
  };
}
