import type { ReadBounds } from "../../../model/surroundings.ts";
import type { SignalAnswer, SignalWish } from "../../tracker.ts";
import { type Owners, ownerOf } from "./owners.ts";

/** As many as one request takes. */
const batchSize = 100;

/**
 * Signals of issues that may belong to several owners: a node id does not tell which. Where the caller knows it, that owner
 * is asked. For the others, and for what is not found there, all are asked in turn, and an answer counts when it comes from
 * the issue's own owner; another one shows a public issue without what is private around it.
 */
export async function* readSignalsOfAll(
  owners: Owners,
  nodeIds: readonly string[],
  wish: SignalWish,
  bounds: ReadBounds,
): AsyncGenerator<readonly SignalAnswer[]> {
  const names = owners.names();
  const [only] = names;
  if (only !== undefined && names.length === 1) {
    yield* owners.ofOwner(only).readSignals(nodeIds, wish, bounds);
    return;
  }
  for (let start = 0; start < nodeIds.length; start += batchSize) {
    const batch = nodeIds.slice(start, start + batchSize);
    const found = await askKnown(owners, batch, wish, bounds);
    let open = batch.filter((nodeId) => !found.has(nodeId));
    for (const owner of names) {
      if (open.length === 0) break;
      const own = await askOne(owners, owner, { nodeIds: open, wish, bounds, found });
      open = open.filter((nodeId) => !own.has(nodeId));
    }
    yield batch.map((nodeId) => asWished(found.get(nodeId) ?? missing(nodeId), wish));
  }
}

/** Asks the owners that issues are known to belong to. */
async function askKnown(
  owners: Owners,
  nodeIds: readonly string[],
  wish: SignalWish,
  bounds: ReadBounds,
): Promise<Map<string, SignalAnswer>> {
  const found = new Map<string, SignalAnswer>();
  const names = owners.names();
  const byOwner = Map.groupBy(nodeIds, (nodeId) => {
    const repository = wish.repositories?.get(nodeId);
    return repository === undefined ? undefined : ownerOf(repository);
  });
  for (const [owner, asked] of byOwner) {
    if (owner === undefined || !names.includes(owner)) continue;
    for await (const page of owners.ofOwner(owner).readSignals(asked, wish, bounds)) {
      for (const answer of page) if (answer.fault === undefined) found.set(answer.nodeId, answer);
    }
  }
  return found;
}

/** Asks one owner's installation, and gives the node ids whose issues are that owner's. */
async function askOne(
  owners: Owners,
  owner: string,
  asked: {
    readonly nodeIds: readonly string[];
    readonly wish: SignalWish;
    readonly bounds: ReadBounds;
    readonly found: Map<string, SignalAnswer>;
  },
): Promise<ReadonlySet<string>> {
  const { nodeIds, wish, bounds, found } = asked;
  const own = new Set<string>();
  // Only the issue's facts tell whose it is.
  const pages = owners.ofOwner(owner).readSignals(nodeIds, { ...wish, facts: true }, bounds);
  for await (const page of pages) {
    for (const answer of page) {
      if (answer.fault === "missing") continue;
      const id = answer.issue?.repositoryId;
      const isOwn = id !== undefined && owners.ownerOfId(id) === owner;
      if (isOwn) own.add(answer.nodeId);
      if (isOwn || !found.has(answer.nodeId)) found.set(answer.nodeId, answer);
    }
  }
  return own;
}

function asWished(answer: SignalAnswer, { facts }: SignalWish): SignalAnswer {
  if (facts) return answer;
  const { issue: _, ...rest } = answer;
  return rest;
}

function missing(nodeId: string): SignalAnswer {
  return { nodeId, signals: {}, fault: "missing" };
}
