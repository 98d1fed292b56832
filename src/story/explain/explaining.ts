import type { Ledger } from "../../ledger/ledger.ts";
import type { ProjectMemory } from "../../ledger/memory.ts";
import type { Row } from "../../model/link.ts";
import type { PostField } from "../../model/post.ts";
import type { Settings } from "../../plan/ground/settings.ts";
import type { Policy, SyncProject } from "../../sync/ground/world.ts";

/** What an explanation is made of: recorded facts and the config, never a request. */
export interface ExplainSources {
  readonly ledger: Ledger;
  readonly policy: Pick<Policy, "boardHash" | "waits" | "fullEveryMs" | "projectKeys">;
  /** Epoch ms. */
  readonly now: number;
}

/** What the parts of an explanation share. */
export interface Explaining extends ExplainSources {
  readonly project: SyncProject;
  readonly memory: ProjectMemory;
  readonly settings: Settings;
  readonly row: Row;
  /** The fields that the board shows. */
  readonly seen: ReadonlySet<PostField>;
}
