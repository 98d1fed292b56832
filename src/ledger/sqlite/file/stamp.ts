import { writeStamp } from "./copy.ts";
import type { Store } from "./store.ts";

/** What an open state says of itself. */
export interface Stamp {
  /** When this file was copied from a running state; undefined for an original. */
  read(): number | undefined;
  write(at: number): void;
  /** Made with the state; another one as soon as it is known for a copy. */
  identity(): string;
  /** Made with the state; a copy that is stamped gets another one. */
  pageKey(): string;
}

/** The stamp is read anew each time: what one transaction has written may be rolled back. */
export function createStamp(store: Store): Stamp {
  const select = store.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'copied_at'");
  const selectIdentity = store.prepare<[], { value: string }>(`
    SELECT group_concat(value, '-' ORDER BY key DESC) AS value FROM meta WHERE key IN ('identity', 'copied_at')`);
  const selectKey = store.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'page_key'");
  const write = store.prepare<[string]>(writeStamp);
  return {
    read() {
      const found = select.get();
      return found === undefined ? undefined : Number(found.value);
    },
    write(at) {
      write.run(String(at));
    },
    identity: () => selectIdentity.get()?.value ?? "",
    pageKey: () => selectKey.get()?.value ?? "",
  };
}
