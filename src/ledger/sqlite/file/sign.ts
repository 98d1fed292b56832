import type { SignOfLife } from "../../runs.ts";
import { toSign } from "../../sign.ts";
import { openStoreReadOnly, type Store } from "./store.ts";

/** Reads the last sign of life of a daemon. */
export function createSignReader(store: Store): () => SignOfLife | undefined {
  const select = store.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'heartbeat'");
  return () => {
    const found = select.get();
    return found && toSign("meta.value", found.value);
  };
}

/**
 * The same of a file, without all the rest of a state; undefined where there is none yet.
 *
 * @throws StateError when the file can't be read.
 */
export function readLastSign(file: string): SignOfLife | undefined {
  const store = openStoreReadOnly(file);
  try {
    return store && createSignReader(store)();
  } finally {
    store?.close();
  }
}
