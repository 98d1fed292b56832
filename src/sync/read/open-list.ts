import { z } from "zod";
import type { PagePlace } from "../../board/board.ts";
import type { ProjectId } from "../../model/post.ts";
import type { Cycle } from "../ground/cycle-state.ts";
import type { World } from "../ground/world.ts";

/** The list of posts that this run reads: one of its own, or one that earlier runs have read a part of. */
export interface OwnList {
  /** Where it is gone on with; undefined where it begins. */
  readonly from: PagePlace | undefined;
  /** Epoch ms: in whichever run that was. */
  readonly beganAt: number;
}

/** As the state keeps it between two runs. An older version kept nothing but the place. */
const keptShape = z.object({ place: z.string().optional(), beganAt: z.number().optional() });

/** What is none of that is left to the board, for which it is no place: the list begins anew. */
function readKept(text: string): z.output<typeof keptShape> {
  try {
    return keptShape.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

/** Whether a list waits to be gone on with. */
export function isListOpen({ ledger }: Pick<World, "ledger">, project: ProjectId): boolean {
  return ledger.memory.openList(project) !== undefined;
}

/** Where an earlier run had to leave the list. Taken once: a place that the board no longer knows must not stay in the way. */
export async function takeOpenList({ memory, world, project }: Cycle): Promise<OwnList> {
  const { ledger, log, clock } = world;
  const now = clock.now();
  const text = ledger.memory.openList(memory.id);
  if (text === undefined) return { from: undefined, beganAt: now };
  await ledger.commit([{ kind: "remember-open-list", project: memory.id, place: undefined }]);
  log.info({ project: project.key }, "The list of posts is gone on with where the last run had to leave it");
  const { place = text, beganAt = now } = readKept(text);
  return { from: place as PagePlace, beganAt };
}

/** Keeps where the list is to be gone on with. */
export async function keepOpenList(
  { memory, world: { ledger } }: Cycle,
  { beganAt }: OwnList,
  place: PagePlace,
): Promise<void> {
  const kept = JSON.stringify({ place, beganAt });
  await ledger.commit([{ kind: "remember-open-list", project: memory.id, place: kept }]);
}

/**
 * Since when a post must have been seen to count as listed, epoch ms. While a list waits to be gone on with, the list before it
 * counts, too: what is known must not wait for pages that some later run has the time to read. A list that broke off is
 * none of that: the one before it may have been too short to be believed.
 */
export async function listedSince({ memory, world }: Cycle, { beganAt }: OwnList): Promise<number> {
  if (!isListOpen(world, memory.id)) return beganAt;
  return (await world.ledger.lookup.lastPull(memory.id))?.beganAt ?? beganAt;
}
