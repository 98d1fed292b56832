import { type IssueField, type IssueRecord, type IssueRef, isSameIssue } from "../../model/issue.ts";
import type { FieldWrite } from "../../model/link.ts";
import type { Action, ChangeIssue } from "../../plan/ground/action.ts";
import { planSignature } from "../../plan/ground/identity.ts";
import { isSameName, labelOf, splitState, withFields } from "../../plan/ground/issue-fields.ts";
import type { IssueWrite, WriteOutcome } from "../../tracker/tracker.ts";
import { isOpen, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { laneOfIssue } from "../ground/lane.ts";
import { isTakenUp } from "../ground/order.ts";
import { noteError } from "../ground/report.ts";
import { type Outcome, type PartOutcome, waitForTurn, worse } from "../ground/verdict.ts";
import { storeRecords } from "../read/markers.ts";
import { readWoken } from "../read/signals/pull-signals.ts";
import { parkAction, reportTrouble } from "./failure.ts";
import { eachIssue, type FreshIssue, issueRequest, sayIssueWritten, writeToIssue } from "./issue.ts";
import { takeOwnChange } from "./own-change.ts";
import { ensureLabels, findMilestone, lacksLabel } from "./prepare.ts";
import type { Request } from "./send.ts";

/** One request, with the fields that it writes. */
interface ChangePart {
  readonly write: IssueWrite;
  readonly writes: readonly FieldWrite<IssueField>[];
}

/** What is asked for by now. @param fresh an issue that was read a moment ago. */
export type Again = (fresh?: FreshIssue) => Promise<Action | undefined>;

/**
 * Brings a post's issues to what the board rules ask for, one request after the other, each journalled by itself. Before each
 * of them the issue is read: what people have changed meanwhile is decided with first. A refusal stops no other request; what
 * it leaves undone is parked.
 */
export async function changeIssue(cycle: PulledCycle, action: ChangeIssue, again: Again): Promise<Outcome> {
  const refusals: string[] = [];
  const issues = action.changes.map(({ issue }) => issue);
  const { outcome, next } = await eachIssue(cycle, action.kind, issues, (issue, isAllDone) =>
    writeFields({ cycle, action, issue, again, isAllDone, sent: new Set(), refusals }),
  );
  return next === "stop" || refusals.length === 0
    ? outcome
    : worse(outcome, await endRefused(cycle, action, again, refusals));
}

/** One of the issues, while its fields are written. */
interface Changing {
  readonly cycle: PulledCycle;
  readonly action: ChangeIssue;
  readonly issue: IssueRef;
  readonly again: Again;
  /** Whether what the action asks of issues before it is done. */
  readonly isAllDone: boolean;
  /** Each field is sent once: a read that lags may not show it yet. */
  readonly sent: Set<IssueField>;
  /** What was refused, in words. */
  readonly refusals: string[];
}

const nothingLeft: PartOutcome = { outcome: { kind: "done" }, next: "go on" };

/** Writes fields of an issue, one request after the other. It is read before each of them, after the wait for the pace. */
async function writeFields(changing: Changing): Promise<PartOutcome> {
  const { cycle, action, issue, sent, refusals } = changing;
  for (;;) {
    let found: NextPart | PartOutcome | undefined;
    const { answer, outcome, next } = await writeToIssue(cycle, action, issue, async (fresh) => {
      found = await findPart(changing, fresh);
      return "outcome" in found ? found.outcome : requestOf(cycle, found);
    });
    if (found === labelMade) continue;
    if (found !== undefined && "outcome" in found) return found;
    if (answer === undefined || found === undefined) return { outcome, next };
    if (answer.kind === "rejected") refusals.push(answer.message);
    else if (answer.kind !== "applied") return { outcome, next };
    for (const { field } of found.writes) sent.add(field);
    if (!found.isLast) continue;
    // The answer to a change of labels does not show the issue.
    if (found.write.kind !== "edit-issue") await readAgain(cycle, issue);
    return nothingLeft;
  }
}

/** The first of the requests that an issue needs, made of what it shows this moment. */
interface NextPart extends ChangePart {
  readonly action: ChangeIssue;
  readonly fresh: FreshIssue;
  /** What a saved plan knows the whole action by, where all else of it is done. */
  readonly signature: string | undefined;
  readonly isLast: boolean;
}

/** A label that the repository lacks is created first; that takes a turn of its own, so the issue is read once more. */
async function findPart(changing: Changing, fresh: FreshIssue): Promise<NextPart | PartOutcome> {
  const { cycle, action, again, isAllDone, sent, refusals } = changing;
  const { issue } = fresh.record;
  await storeRecords(cycle, [fresh.record]);
  const now = await again(fresh);
  if (now?.kind !== "change-issue") return { outcome: { kind: "unneeded" }, next: "stop" };
  if (now.hold !== undefined && action.hold === undefined) {
    const outcome = waitForTurn("a person has to let it go, and nobody could see that yet");
    return { outcome, next: "stop" };
  }
  const change = now.changes.find((one) => isSameIssue(one.issue, changing.issue));
  if (change === undefined) return nothingLeft;
  const writes = change.writes.filter(({ field }) => !sent.has(field));
  await readWoken(cycle, issue, withFields(issue, writes, fresh.repository.milestones));
  const { parts, lacking } = await partsOf(cycle, fresh, writes);
  if (lacking !== undefined) {
    refusals.push(lacking);
    sent.add("milestone");
  }
  const [part] = parts;
  if (part === undefined) return nothingLeft;
  const labels = part.write.kind === "add-labels" ? part.write.labels : [];
  if (await ensureLabels(cycle, fresh.repository, { post: now.post, labels })) return labelMade;
  const isLast = parts.length === 1;
  const isEnd = isLast && refusals.length === 0 && isAllDone && change === now.changes.at(-1);
  return { ...part, action: now, fresh, signature: isEnd ? planSignature(action) : undefined, isLast };
}

/** Is told to nobody. */
const labelMade: PartOutcome = { outcome: waitForTurn("a label was made first"), next: "go on" };

/** A list that lags must not pass for a change of people's: facts with the time of our own change are newer than its. */
async function readAgain(cycle: PulledCycle, issue: IssueRef): Promise<void> {
  if (!isOpen(cycle, laneOfIssue(cycle.world, issue))) return;
  const answer = await cycle.world.tracker.readIssue(issue, cycle.run.bounds);
  if (answer.kind === "found") await storeRecords(cycle, [answer.record]);
}

function requestOf(
  cycle: PulledCycle,
  { action, fresh, signature, write, writes }: NextPart,
): Request<WriteOutcome> {
  const { repository, record } = fresh;
  const { issue } = record;
  const place = nameIssue(cycle, issue);
  return issueRequest(cycle, {
    action,
    signature,
    repository,
    write,
    kept: { issueWrites: writes, updatedAtBefore: issue.updatedAt },
    isOwnRefusal:
      write.kind === "add-labels" && write.labels.some((name) => lacksLabel(cycle, repository, name)),
    fields: writes,
    record: async (own, record) => {
      const shown = record?.issue ?? withFields(issue, writes, repository.milestones);
      await takeOwnChange(own, { post: action.post, writes, issue: shown, repository });
      const isDropped = writes.some(
        ({ field, value }) => field === "milestone" && value !== null && shown.milestone === null,
      );
      if (isDropped) {
        const message = `${place} was changed without its milestone: ${repository.repository.name} did not take it. The token needs push access there.`;
        noteError(own.tally, { post: action.post, issue: place, code: "tracker.dropped", message });
      }
      const change = Object.fromEntries(writes.map(({ field, value }) => [field, value]));
      sayIssueWritten(cycle, { post: action.post, issue: place, change, reason: action.reason });
    },
  });
}

/** The requests for one issue, state and milestone last; and in words what can't be asked for. */
async function partsOf(
  cycle: PulledCycle,
  { repository, record }: FreshIssue,
  writes: readonly FieldWrite<IssueField>[],
) {
  const labels = writes.flatMap((write): readonly ChangePart[] => {
    const name = labelOf(write.field);
    if (name === undefined) return [];
    return [{ write: labelWrite(cycle, record, name, write.value === true), writes: [write] }];
  });
  const others = writes.filter(({ field }) => labelOf(field) === undefined);
  const title = others.find(({ field }) => field === "milestone")?.value;
  const milestone = typeof title === "string" ? await findMilestone(cycle, repository, title) : undefined;
  const isLacking = typeof title === "string" && milestone === undefined;
  const possible = isLacking ? others.filter(({ field }) => field !== "milestone") : others;
  const edit: readonly ChangePart[] =
    possible.length === 0
      ? []
      : [{ write: editWrite(record, possible, milestone?.number), writes: possible }];
  const lacking = isLacking
    ? `${repository.name} has no milestone "${title}": create it, or correct the board rule`
    : undefined;
  return { parts: [...labels, ...edit], lacking };
}

/** Label names have no case: the one that is there is removed, and a new one is spelt as the config does. */
function labelWrite(
  { settings }: PulledCycle,
  { issue: { number, labels } }: IssueRecord,
  name: string,
  isAdded: boolean,
): IssueWrite {
  const isIt = (label: string): boolean => isSameName(label, name);
  if (!isAdded) return { kind: "remove-label", number, label: labels.find(isIt) ?? name };
  const ruled = settings.boardRules.flatMap(({ set }) => [
    ...(set.addLabels ?? []),
    ...(set.removeLabels ?? []),
  ]);
  const named = [...ruled, ...Object.values(settings.issue.voteLabels ?? {})];
  return { kind: "add-labels", number, labels: [named.find(isIt) ?? name] };
}

function editWrite(
  { issue: { number } }: IssueRecord,
  writes: readonly FieldWrite<IssueField>[],
  milestone: number | undefined,
): IssueWrite {
  const state = writes.find(({ field }) => field === "state");
  const reason = state && splitState(state.value).stateReason;
  const stateReason = (["completed", "not_planned", "duplicate"] as const).find((one) => one === reason);
  const isMilestone = writes.some(({ field }) => field === "milestone");
  return {
    kind: "edit-issue",
    number,
    ...(state !== undefined && { state: splitState(state.value).state }),
    // A reason that the API does not take is left out: the tracker then gives its own.
    ...(stateReason !== undefined && { stateReason }),
    ...(isMilestone && { milestone: milestone ?? null }),
  };
}

/** What was refused is left alone until it changes, or a person says `retry`; an undo is over. What was done beside it is done. */
async function endRefused(
  cycle: PulledCycle,
  action: ChangeIssue,
  again: Again,
  refusals: readonly string[],
): Promise<Outcome> {
  const isRule = isTakenUp(cycle.run);
  const rest = isRule ? await again() : action;
  if (rest?.kind !== "change-issue") return { kind: "done" };
  const [first] = rest.changes;
  const place = first && nameIssue(cycle, first.issue);
  const advice = isRule ? `; \`boardsync retry ${action.post}\` tries this again` : "";
  const message = `What ${isRule ? "the post" : "the undo"} asks of ${place ?? "the issue"} was refused: ${refusals.join("; ")}. What else it asks for is done${advice}.`;
  const trouble = { issue: place, code: "tracker.rejected", message };
  return isRule ? parkAction(cycle, rest, trouble) : reportTrouble(cycle, { post: action.post, ...trouble });
}
