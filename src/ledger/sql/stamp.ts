import { randomBytes } from "node:crypto";
import { createMeta, type MetaKey } from "./journal/meta.ts";
import type { Asked, Store } from "./store.ts";

/** What a state says of itself from its beginning. */
export function freshMeta(): readonly (readonly [MetaKey, string])[] {
  return [
    ["identity", randomBytes(16).toString("hex")],
    ["page_key", freshPageKey()],
  ];
}

/**
 * Marks a new copy, inside a transaction. What it holds was scanned before it was made, also where the clock has been set back
 * since: put back, it is told by that from what has been scanned in its new life. Whoever gets hold of a backup must not open
 * the page of the state, and no daemon works on a copy: the sign of life of the original's stays there.
 */
export function* stampCopy(store: Store, at: number): Asked<void> {
  const meta = createMeta(store);
  yield* meta.write("copied_at", String(at));
  yield* meta.write("page_key", freshPageKey());
  yield* meta.remove("heartbeat", yield* meta.read("heartbeat"));
  yield* rewrite(store, memories.slice(2), (key) => (key === "scannedAt" ? 0 : undefined), at);
}

function freshPageKey(): string {
  return randomBytes(32).toString("hex");
}

/** What is remembered as JSON, and by which columns its rows are known. */
const memories = [
  { table: "memory", column: "value", keys: ["kind", "key"], where: "kind <> 'open-list'" },
  { table: "projects", column: "memory", keys: ["key"], where: "key <> ''" },
  { table: "repositories", column: "memory", keys: ["id"], where: "id > 0" },
];

/** Sets back the times in all that is remembered, as `Runs.begin` wants it: what happened ahead happened now, and a scan from then is none. */
export function rewindMemory(store: Store, now: number): Asked<void> {
  return rewrite(
    store,
    memories,
    (key) => (/(At|Since)$/.test(key) ? (key === "scannedAt" ? 0 : now) : undefined),
    now,
  );
}

function* rewrite(
  store: Store,
  where: typeof memories,
  timeOf: (key: string) => number | undefined,
  now: number,
): Asked<void> {
  for (const { table, column, keys, where: which } of where) {
    const select = store.prepare<[], Record<string, string>>(
      `SELECT ${keys.join(", ")}, ${column} AS json FROM ${table} WHERE ${which}`,
    );
    const write = store.prepare<[Record<string, string>]>(
      `UPDATE ${table} SET ${column} = @json WHERE ${keys.map((key) => `${key} = @${key}`).join(" AND ")}`,
    );
    for (const row of yield* select.all()) {
      const json = JSON.stringify(JSON.parse(row["json"] ?? ""), (key, value: unknown) =>
        typeof value === "number" && value > now ? (timeOf(key) ?? value) : value,
      );
      if (json !== row["json"]) yield* write.run({ ...row, json });
    }
  }
}
