import type { PersonRequest } from "../../ledger/orders.ts";
import { isAllowed, reasonOf } from "../../plan/ground/obstacle.ts";
import { type PulledCycle, projectNow } from "../ground/cycle-state.ts";
import { type EntryWork, entryOf, textOf } from "../ground/entries.ts";
import { type Verdict, writesHold } from "../ground/verdict.ts";
import { rememberEntry } from "../read/releases.ts";

/**
 * What holds all that is written to the board of a project; and drafts, where there are more new ones at once than its guard lets go.
 * These stay held until a person lets them go.
 */
export async function judgeEntries(
  cycle: PulledCycle,
  works: readonly EntryWork[],
  pending: readonly PersonRequest[],
): Promise<readonly EntryWork[]> {
  const stop = await whyStopped(cycle);
  const { issues } = cycle.settings.guard;
  const asked = pending.filter((request) => request.kind === "draft-entry");
  const isHeldBefore = ({ tag }: EntryWork): boolean => entryOf(cycle, tag)?.held !== undefined;
  const isFree = ({ kind, tag, print }: EntryWork): boolean =>
    kind !== "create" || asked.some((request) => request.tag === tag && request.print === print);
  const going = works.filter(({ verdict }) => verdict.kind === "go");
  const news = going.filter((work) => !isFree(work) && !isHeldBefore(work)).length;
  const why =
    news > issues ? `${news} new at once, and the guard lets ${issues} go (\`guard.issues\`)` : undefined;
  return works.map((work) => {
    const own = work.kind === "create" ? asked.filter(({ tag }) => tag === work.tag) : [];
    const held = isFree(work) ? undefined : (entryOf(cycle, work.tag)?.held ?? why);
    const hold: Verdict | undefined =
      held === undefined ? undefined : { kind: "hold", cause: "guard", why: held };
    const verdict = work.verdict.kind === "go" ? (stop ?? hold ?? work.verdict) : work.verdict;
    return { ...work, verdict, requests: own.map(({ id }) => id) };
  });
}

/** What the guard holds is remembered, so that it is counted and shown. */
export async function noteHeld(cycle: PulledCycle, works: readonly EntryWork[]): Promise<void> {
  for (const { tag, held } of projectNow(cycle).changelog?.entries ?? []) {
    const isWaiting = works.some(
      (work) => work.kind === "create" && work.tag === tag && work.verdict.kind !== "go",
    );
    if (held !== undefined && !isWaiting) await rememberEntry(cycle, { tag, held: undefined });
  }
  for (const work of works) {
    const { tag, print, verdict } = work;
    if (verdict.kind !== "hold" || verdict.cause !== "guard") continue;
    const known = entryOf(cycle, tag);
    if (known?.held !== verdict.why || known.print !== print)
      await rememberEntry(cycle, { ...textOf(work), shown: undefined, held: verdict.why });
  }
}

/** Of drafts that are not to be made any more. */
export async function endOthers(
  { world }: PulledCycle,
  works: readonly EntryWork[],
  pending: readonly PersonRequest[],
): Promise<void> {
  const over = pending.filter((request) => {
    return request.kind === "draft-entry" && !works.some(({ requests }) => requests.includes(request.id));
  });
  await world.ledger.commit(over.map(({ id }) => ({ kind: "end-request", request: id })));
}

export async function whyStopped({
  world,
  memory,
  settings,
  pull,
}: PulledCycle): Promise<Verdict | undefined> {
  const [whole] = await world.ledger.rows.wholePauses(memory.id);
  if (whole !== undefined) return { kind: "pause", ...reasonOf(whole) };
  if (!isAllowed({ kind: "patch-post" }, settings)) return { kind: "hold", ...writesHold(settings) };
  return pull.hold === undefined ? undefined : { kind: "hold", cause: "shrank", why: pull.hold };
}
