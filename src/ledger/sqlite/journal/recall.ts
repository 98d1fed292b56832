import type { Store } from "../file/store.ts";

/**
 * What a run has read of the memory, so that it is asked for once: only the process that runs writes there. Outside of a
 * run nothing is kept, since another process may have the state.
 */
export interface Recall {
  begin(): void;
  end(): void;
  /** What `read` gives, or what it gave in this run; undefined is asked for again. */
  through<Found>(name: string, read: () => Found | undefined): Found | undefined;
  /** Something has been written: what is named like this is asked for again, also when that is rolled back. */
  forget(names: string): void;
}

/** Begins outside of a run. */
export function createRecall(store: Store): Recall {
  const known = new Map<string, unknown>();
  let isRunning = false;
  const clear = (): void => known.clear();
  return {
    begin() {
      clear();
      isRunning = true;
    },
    end() {
      clear();
      isRunning = false;
    },
    through<Found>(name: string, read: () => Found | undefined): Found | undefined {
      const found = (known.get(name) as Found | undefined) ?? read();
      if (isRunning && found !== undefined) known.set(name, found);
      return found;
    },
    forget(names) {
      const forgetNow = (): void => {
        for (const name of known.keys()) if (name.startsWith(names)) known.delete(name);
      };
      forgetNow();
      store.onRollback(forgetNow);
    },
  };
}
