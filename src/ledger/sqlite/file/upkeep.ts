import { statSync } from "node:fs";
import type { Upkeep } from "../../upkeep.ts";
import type { Plain } from "./plain.ts";
import { createPrunedReader, createPruner } from "./prune.ts";
import { busyTimeoutMs, journalLimitBytes, type Store } from "./store.ts";

/** What keeps the file small, and how big it is. */
export function createUpkeep(store: Store): Plain<Upkeep> {
  const { database } = store;
  const count = store.prepare<[], { links: number | null }>(`
    SELECT sum((SELECT count(*) FROM links WHERE links.project = board_projects.number)) AS links
    FROM board_projects`);
  const journalBytes = (): number => {
    return statSync(`${database.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  };
  const pruned = createPrunedReader(store);
  const pragma = (name: string): number => Number(database.pragma(name, { simple: true }));
  return {
    prune: createPruner(store),
    trimJournal() {
      if (journalBytes() <= journalLimitBytes) return journalBytes();
      // Nobody is waited for: whoever reads now is gone by the next time, or it is said.
      database.pragma("busy_timeout = 0");
      try {
        database.pragma("wal_checkpoint(TRUNCATE)");
      } finally {
        database.pragma(`busy_timeout = ${busyTimeoutMs}`);
      }
      return journalBytes();
    },
    size: () => ({
      bytes: pragma("page_count") * pragma("page_size"),
      freeBytes: pragma("freelist_count") * pragma("page_size"),
      journalBytes: journalBytes(),
      links: count.get()?.links ?? 0,
      pruned: pruned(),
    }),
    schema: () => pragma("user_version"),
  };
}
