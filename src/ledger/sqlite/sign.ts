import type { SignOfLife } from "../orders.ts";
import { toSign } from "../sign.ts";
import { createMeta } from "../sql/journal/meta.ts";
import { openStoreReadOnly } from "./store.ts";

/**
 * The last sign of life of a daemon, without all the rest of a state; undefined where there is none yet.
 *
 * @throws StateError when the file can't be read.
 */
export function readLastSign(file: string): SignOfLife | undefined {
  const store = openStoreReadOnly(file);
  try {
    const found = store?.carry(createMeta(store).read("heartbeat"));
    return found === undefined ? undefined : toSign("meta.value", found);
  } finally {
    store?.close();
  }
}
