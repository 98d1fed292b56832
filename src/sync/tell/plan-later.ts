import type { Intent } from "../../ledger/journal.ts";
import { letGoBy, type Reason } from "../../model/causes.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { lookUpAt } from "../../model/waiting.ts";
import { type Action, type Decision, isNotified } from "../../plan/ground/action.ts";
import { votersOf } from "../../plan/ground/fields.ts";
import { parkedOf, pauseOf } from "../../plan/ground/obstacle.ts";
import { planRow, wishesOf } from "../../plan/plan.ts";
import { nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { describeAction, ruleText, titleOf } from "../ground/describe.ts";
import { attemptNow } from "../ground/report.ts";
import type { PlannedAction } from "../ground/reports.ts";
import { readRow } from "../ground/rows.ts";

/** What a plan says beside what the next run does: all that is decided and not sent yet, and follows at a time or when a person lets it go. */
export async function planLater(cycle: PulledCycle): Promise<readonly PlannedAction[]> {
  const { ledger } = cycle.world;
  const waiting = await ledger.rows.waiting(cycle.memory.id, mostWaiting, notDecided);
  const later: PlannedAction[] = [];
  const held = await ledger.rows.held(cycle.memory.id);
  const behind = held.filter(({ kind }) => kind === "patch-post");
  for (const post of new Set([...waiting, ...behind].map((one) => one.post)))
    later.push(...((await attemptNow(cycle, post, () => planRowLater(cycle, post))) ?? []));
  const open = (await ledger.journal.open(cycle.memory.id)).filter(
    ({ state }) => state === "SENT" || state === "UNKNOWN",
  );
  for (const intent of open) later.push(await describeOpen(cycle, intent));
  return later;
}

/** A plan looks at no more of what waits than this. */
const mostWaiting = 100_000;

/** What else waits is among the actions that are decided. */
const notDecided = ["parked", "quarantined", "settling", "paused"] as const;

async function planRowLater(cycle: PulledCycle, post: PostId): Promise<readonly PlannedAction[]> {
  const row = await readRow(cycle, post);
  if (row === undefined) return [];
  return linesLater(cycle, row, planRow(row, await cycle.context(cycle.world.clock.now())));
}

/** What a row asks for beside the actions of its decision. */
export function linesLater(cycle: Told, row: Row, decision: Decision): readonly PlannedAction[] {
  const stopped = (wishesOf(row, decision) ?? []).flatMap((action) => {
    const stop = whyStopped(row, action);
    if (stop === undefined) return [];
    const lines = describeAction(cycle, row, action).filter(({ kind }) => kind === action.kind);
    return lines.map((line) => heldLine(line, stop));
  });
  return [...planSettling(cycle, row, decision), ...stopped, ...planBehind(cycle, row, decision)];
}

type Told = Parameters<typeof describeAction>[0];

/** The same line of what a person has to let go, with the order that does; none does where the cause is another matter. */
export function heldLine(line: PlannedAction, { cause, why: held }: Reason): PlannedAction {
  const way = letGoBy(cause);
  const isOrder = way !== "time" && way !== "sides" && way !== "config";
  return { ...line, when: "held", held, cause, ...(isOrder && { letGoBy: way }) };
}

/** What a person has to let go, once what goes by itself is sent. */
function planBehind(cycle: Told, row: Row, { behind }: Decision): readonly PlannedAction[] {
  const hold = pauseOf(row) === undefined ? behind?.hold : undefined;
  return behind && hold ? describeAction(cycle, row, behind).map((line) => heldLine(line, hold)) : [];
}

/** What is to be written and has not stood long enough; of a PATCH only what the next run does not send already. */
function planSettling(cycle: Told, row: Row, decision: Decision): readonly PlannedAction[] {
  const notBefore = decision.dueAt === undefined ? {} : { notBefore: new Date(decision.dueAt).toISOString() };
  const pause = pauseOf(row);
  const now = decision.actions.flatMap((action) => describeAction(cycle, row, action));
  const ahead = decision.settling === undefined ? [] : describeAction(cycle, row, decision.settling);
  return ahead.flatMap((line): readonly PlannedAction[] => {
    const known = now.filter(({ kind, issue }) => kind === line.kind && issue === line.issue);
    const fields = Object.entries(line.fields).filter(
      ([name, value]) => !known.some((one) => JSON.stringify(one.fields[name]) === JSON.stringify(value)),
    );
    if (fields.length === 0) return [];
    const isQuiet =
      line.kind === "patch-post" && !fields.some(([field]) => isNotified({ field: field as "status" }));
    const notifies = isQuiet ? 0 : line.notifies;
    const told = { ...line, fields: Object.fromEntries(fields), notifies };
    return [pause === undefined ? { ...told, when: "later", ...notBefore } : heldLine(told, pause)];
  });
}

function whyStopped(row: Row, { kind }: Action): Reason | undefined {
  const refused = parkedOf(row).find(({ action }) => action.kind === kind);
  if (refused !== undefined) {
    const why = `${refused.message} \`boardsync retry\` tries it again`;
    return { cause: refused.cause, why };
  }
  const quarantined = row.notes?.find((note) => note.kind === "quarantined");
  if (kind !== "patch-post" || quarantined === undefined) return undefined;
  return { cause: "quarantined", why: quarantined.message };
}

/** A write of unknown outcome: it is looked up after its wait, and sent again only where it provably did not arrive. */
async function describeOpen(cycle: PulledCycle, intent: Intent): Promise<PlannedAction> {
  const { policy } = cycle.world;
  const { kind, post, repository, number, writes, issueWrites, unknownAt, sentAt, at } = intent;
  const row = await readRow(cycle, post);
  const isNotifying = kind === "patch-post" && writes?.some(isNotified) === true;
  const first = row?.links[0]?.link.issue;
  const issue =
    number === undefined || repository === undefined ? first : { repositoryId: repository, number };
  return {
    kind,
    post,
    title: row === undefined ? null : titleOf(row),
    issue: issue === undefined ? null : nameIssue(cycle, issue),
    fields: Object.fromEntries(
      // Of a comment only its key is kept.
      (writes ?? issueWrites ?? []).map(({ field, value }) => [
        field,
        field === "comment" ? ruleText : value,
      ]),
    ),
    before: {},
    reason: "it is not known whether it arrived: it is looked up, and sent again only where it did not",
    notifies: isNotifying ? (row === undefined ? null : votersOf(row.post, cycle.pull.seen)) : 0,
    when: "later",
    notBefore: new Date(lookUpAt(kind, unknownAt ?? sentAt ?? at, policy.waits)).toISOString(),
  };
}
