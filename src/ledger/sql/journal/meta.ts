import type { Ledger } from "../../ledger.ts";
import { statementsOf } from "../statements.ts";
import type { Asked, Store } from "../store.ts";

/** Single things that the state says of itself, by name. */
export type MetaKey =
  /** The program that made this schema. */
  | "version"
  /** Made with the state; it stays what it is in a copy. */
  | "identity"
  /** When this state was copied from a running one. */
  | "copied_at"
  | "page_key"
  | "heartbeat"
  | "holder"
  /** The code that opens the page. */
  | "page"
  | "audit_pruned"
  | "quiet_until";

export type Meta = ReturnType<typeof createMeta>;

/** What an open state says of itself. */
export type Stamp = Pick<Ledger, "copiedAt" | "identity" | "pageKey">;

export function createMeta(store: Store) {
  const { count, get, all, upsert } = statementsOf(store);
  return {
    *read(key: MetaKey): Asked<string | undefined> {
      return (yield* get<{ value: string }>`SELECT value FROM meta WHERE key = ${key}`)?.value;
    },
    write: (key: MetaKey, value: string) => upsert("meta", ["key"], { key, value }),
    /** Removes it while it is that; false where it was not. */
    *remove(key: MetaKey, value: string | undefined) {
      return (yield* count`DELETE FROM meta WHERE key = ${key} AND value = ${value}`) > 0;
    },
    *stamp(): Asked<Stamp> {
      const lines = yield* all<{ key: string; value: string }>`
        SELECT key, value FROM meta WHERE key IN ('identity', 'copied_at', 'page_key')`;
      const found = new Map(lines.map(({ key, value }) => [key, value]));
      const copiedAt = found.get("copied_at");
      const identity = found.get("identity") ?? "";
      return {
        copiedAt: copiedAt === undefined ? undefined : Number(copiedAt),
        identity: copiedAt === undefined ? identity : `${identity}-${copiedAt}`,
        pageKey: found.get("page_key") ?? "",
      };
    },
  };
}
