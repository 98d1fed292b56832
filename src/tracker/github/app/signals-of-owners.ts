import type { ReadBounds } from "../../../model/surroundings.ts";
import { chunks } from "../../../select.ts";
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
  for (const batch of chunks(nodeIds, batchSize)) {
    const found = await readBatch(owners, batch, wish, bounds);
    yield batch.map((nodeId) => {
      const answer = found.get(nodeId);
      if (answer === undefined) return { nodeId, signals: {}, fault: "missing" };
      const { issue: _, ...rest } = answer;
      return wish.facts ? answer : rest;
    });
  }
}

async function readBatch(
  owners: Owners,
  batch: readonly string[],
  wish: SignalWish,
  bounds: ReadBounds,
): Promise<ReadonlyMap<string, SignalAnswer>> {
  const found = new Map<string, SignalAnswer>();
  const names = owners.names();
  const byOwner = Map.groupBy(batch, (nodeId) => {
    const repository = wish.repositories?.get(nodeId);
    return repository === undefined ? undefined : ownerOf(repository);
  });
  for (const [owner, asked] of byOwner) {
    if (owner === undefined || !names.includes(owner)) continue;
    for await (const page of owners.ofOwner(owner).readSignals(asked, wish, bounds)) {
      for (const answer of page) if (answer.fault === undefined) found.set(answer.nodeId, answer);
    }
  }
  let open = batch.filter((nodeId) => !found.has(nodeId));
  for (const owner of names) {
    if (open.length === 0) break;
    const own = new Set<string>();
    // Only the issue's facts tell whose it is.
    const pages = owners.ofOwner(owner).readSignals(open, { ...wish, facts: true }, bounds);
    for await (const page of pages) {
      for (const answer of page.filter(({ fault }) => fault !== "missing")) {
        const id = answer.issue?.repositoryId;
        const isOwn = id !== undefined && owners.ownerOfId(id) === owner;
        if (isOwn) own.add(answer.nodeId);
        if (isOwn || !found.has(answer.nodeId)) found.set(answer.nodeId, answer);
      }
    }
    open = open.filter((nodeId) => !own.has(nodeId));
  }
  return found;
}
