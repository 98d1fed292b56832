import type { Issue } from "../../model/issue.ts";
import type { FieldWrite, OwnChanges, Row, SentField } from "../../model/link.ts";
import type { FieldValue, PostChange, PostField, RuleField } from "../../model/post.ts";
import { changedBases, noTarget } from "../fields/base.ts";
import {
  conflictOf,
  decideField,
  decideUnnamed,
  type FieldDecision,
  type FieldPolicy,
  postSides,
} from "../fields/decide.ts";
import { type Decision, isNotified, type Note, type PatchPost } from "../ground/action.ts";
import { isSameTarget, isUnread, readField, spellStatus, votersOf } from "../ground/fields.ts";
import { readIssueField } from "../ground/issue-fields.ts";
import { chooseFree, type HeldWrite, isStopped, joinHolds, patchObstacle } from "../ground/obstacle.ts";
import { type PlanContext, type Settings, sortsByVotes } from "../ground/settings.ts";
import { isByVotes, orderAsk } from "./by-votes.ts";
import { nameWithDuplicate } from "./place.ts";
import {
  advancedValues,
  type Derivation,
  type DerivedField,
  deriveTarget,
  type FieldDerivation,
} from "./rules.ts";

type PatchContext = Pick<PlanContext, "settings" | "seen" | "statuses" | "now" | "fullEveryMs">;

/** What is written to the board for a row. */
interface PatchPlan extends Pick<Decision, "base" | "notes" | "behind" | "pauses"> {
  readonly patch: PatchPost | undefined;
  /** The PATCH that is asked for, and stays out of the plan; undefined where there is none. */
  readonly stopped?: PatchPost;
  /** As of a decision. */
  readonly settling?: PatchPost;
  /** All that the issues ask for of the post and that will be written, as far as one can see: also what waits for `settle` or is held. */
  readonly asked: PostChange;
}

/** Decides every field of the post that any rule sets; what is to be written goes into one PATCH. */
export function planPatch(row: Row, context: PatchContext): PatchPlan {
  const { settings, seen, statuses, now } = context;
  const isStale = row.seenAt === undefined;
  if (isStale || isChanging(row) || row.openIntents.includes("patch-post"))
    return { ...noPatch, base: {}, notes: [] };
  const derived = withoutUnread(deriveTarget(row.links, settings), row, seen);
  const isOpened = row.links.every(({ link }) => link.origin !== "adopted");
  const isNew = Object.keys(row.base).length === 0;
  const decided = [...derived].flatMap(([field, found]) => {
    if (found.kind === "unknown" || isOpenWord(field, found, settings)) return [];
    const post = readKnown(row, field, seen);
    const base = row.base[field];
    const isLate = row.late?.includes(field) === true;
    const isMissing = row.missing > 0;
    const facts = { field, sides: postSides, post, isMissing, isLate, base, isOpened, isNew };
    const isOrder = found.kind === "derived" && isByVotes(found);
    const policy = postPolicy(field, row, settings, isOrder);
    if (found.kind === "unnamed") return [{ field, ...decideUnnamed(facts, found.message, policy, now) }];
    // Only a first plan asks for them, and one that has not been carried out yet.
    const isFirst = base === undefined || base.pending !== undefined;
    const advanced = isFirst ? advancedValues(settings.rules, found.rule, field) : [];
    const order = isOrder ? orderAsk(row, post, seen, context) : { target: found.target };
    // The board shows no votes.
    if (order === undefined) return [];
    const decision = decideField({ ...facts, advanced, ...order }, { ...policy, ...order }, now);
    return [
      {
        field,
        ...decision,
        write: decision.write && spell(decision.write, statuses),
        ...(decision.later && { later: { ...decision.later, write: spell(decision.later.write, statuses) } }),
      },
    ];
  });
  const undecided = noteUndecided(derived);
  const [pauses] = decided.flatMap((field) => field.pauses ?? []);
  const recorded = { base: changedBases(row.base, decided), ...(pauses !== undefined && { pauses }) };
  if (decided.every(isAtRest)) return { ...noPatch, ...recorded, notes: undecided };
  const wanted = decided.flatMap(({ write, hold }) => (write === undefined ? [] : [{ write, hold }]));
  const isOrder = ({ write: { field } }: HeldWrite): boolean =>
    field === "roadmapOrder" && sortsByVotes(settings);
  const { chosen: free, held } = chooseFree(wanted);
  const chosen = setApart(free, isOrder);
  const notes = [...decided.flatMap((field) => field.notes), ...held, ...undecided];
  const settling = decided.filter(({ notes }) => notes.some(({ kind }) => kind === "settling"));
  const asked: PostChange = Object.fromEntries([
    ...wanted.map(({ write: { field, value } }) => [field, value]),
    ...settling.flatMap(({ field, base: { pending } }) =>
      pending?.target.kind === "value" ? [[field, pending.target.value]] : [],
    ),
  ]);
  const patchOf = (fields: readonly HeldWrite[]): PatchPost => {
    const writes = fields.map(({ write }) => write);
    return {
      kind: "patch-post",
      post: row.post.id,
      writes,
      reason: reasonOf(derived, writes),
      notifies: writes.some(isNotified) ? votersOf(row.post, seen) : 0,
      hold: joinHolds(fields.flatMap(({ hold }) => hold ?? [])),
    };
  };
  const behind =
    held.length === 0 ? {} : { behind: patchOf(wanted.filter(({ hold }) => hold !== undefined)) };
  const future = decided.flatMap(({ later }) => later ?? []);
  const ahead =
    future.length === 0 ? undefined : patchOf(setApart(chooseFree([...wanted, ...future]).chosen, isOrder));
  const mayGo = (one: PatchPost): boolean =>
    !isStopped(one, row, settings) && patchObstacle(one, row, settings) === undefined;
  const settled = { ...recorded, ...(ahead && mayGo(ahead) && { settling: ahead }) };
  if (chosen.length === 0) return { patch: undefined, asked, notes, ...settled };
  const patch = patchOf(chosen);
  if (isStopped(patch, row, settings)) return { ...noPatch, notes, stopped: patch, ...settled };
  const obstacle = patchObstacle(patch, row, settings);
  if (obstacle === undefined) return { patch, asked, notes, ...settled, ...behind };
  return { ...noPatch, notes: [...notes, ...obstacle], stopped: patch, ...settled };
}

/** What a record shows and nobody can read is not written over. */
function withoutUnread(derived: Derivation, { post, base }: Row, seen: ReadonlySet<PostField>): Derivation {
  if (post.unread === undefined) return derived;
  const rests = (field: RuleField, found: FieldDerivation): boolean =>
    found.kind === "derived" && isSameTarget(field, found.target, base[field]?.target ?? noTarget);
  const message = (field: RuleField): string =>
    `the board's record of the post has a \`${field}\` that can't be read: name the place of a readable one in \`board.fields\``;
  return new Map(
    [...derived].map(([field, found]) => [
      field,
      isUnread(post, field, seen) && !rests(field, found)
        ? { kind: "unknown", message: message(field) }
        : found,
    ]),
  );
}

/** The order by votes, and what a restore goes back to, comes in a PATCH of its own: what voters are notified of is not said with it, and what is refused is not refused with it. */
function setApart(wanted: readonly HeldWrite[], isOrder: (one: HeldWrite) => boolean): readonly HeldWrite[] {
  const others = wanted.filter((one) => !isOrder(one));
  return others.length > 0 ? others : wanted;
}

/** Each missing fact once: the fields that hang on it stay as they are, the others are decided. */
export function noteUndecided(derived: Derivation): readonly Note[] {
  const doubts = new Map(
    [...derived.values()].flatMap((found) => (found.kind === "unknown" ? [[found.message, found]] : [])),
  );
  return [...doubts.values()].map(({ message, isTooLarge }) => {
    return { kind: "undecided", cause: isTooLarge ? "too-large" : "undecided", message };
  });
}

/** What an issue shows may be our own doing, or about to be undone by it, and is no reason to write before that is known. */
export function isChanging({ links }: Pick<Row, "links">): boolean {
  return links.some(({ known, ...own }) => {
    const canonical = known?.canonical;
    return (
      mayStillChange(own, known?.issue) ||
      (canonical !== undefined && mayStillChange(canonical, canonical.issue))
    );
  });
}

/** Whether something of a post is under way, so that nobody knows yet what both sides are. */
export function isInDoubt(row: Pick<Row, "links" | "openIntents">): boolean {
  return row.openIntents.length > 0 || isChanging(row);
}

/** What arrives once more changes nothing where the issue still shows it. */
function mayStillChange({ isChanging, mayArrive = [] }: OwnChanges, issue: Issue | undefined): boolean {
  const isUndone = ({ field, value }: SentField): boolean =>
    issue !== undefined && readIssueField(issue, field) !== value;
  return isChanging === true || mayArrive.some(isUndone);
}

/** The board may know a status only as it shows it. */
function spell(write: FieldWrite, statuses: readonly string[]): FieldWrite {
  if (write.field !== "status" || typeof write.value !== "string") return write;
  return { ...write, value: spellStatus(write.value, statuses) };
}

function isAtRest({ write, notes }: FieldDecision): boolean {
  return write === undefined && notes.length === 0;
}

const noPatch = { patch: undefined, asked: {} } as const;

function postPolicy(
  field: RuleField,
  { accepted = [] }: Row,
  settings: Settings,
  isOrder: boolean,
): FieldPolicy {
  const { whenNoRule, settleMs } = settings;
  const policies = { tracker: "write", board: "keep", hold: "hold", pause: "pause" } as const;
  const conflict = policies[conflictOf(field, settings)];
  // With a status of ours the board may have moved the roadmap by itself, and that is no person's change.
  const isBoards = field !== "status" && accepted.some(({ writes }) => writes.some(isNotified));
  // A board may number a whole column anew for one card, and no person has to choose between that and the votes.
  if (isOrder && conflict !== "keep") return { whenNoRule, settleMs, conflict: "write" };
  return { whenNoRule, settleMs, conflict: conflict === "pause" && isBoards ? "hold" : conflict };
}

/**
 * P. What a missing post showed last says nothing of what it shows now: no base may rest on it. Nor does a record that leaves the
 * status out where others show it: every post has one.
 */
export function readKnown(
  { post, missing }: Row,
  field: RuleField,
  seen: ReadonlySet<PostField>,
): FieldValue | undefined {
  const value = missing > 0 ? undefined : readField(post, field, seen);
  return field === "status" && (value === null || value === "") ? undefined : value;
}

/** The issue that decides and its rule; where several do, which of them each field comes from. */
function reasonOf(derived: Derivation, writes: readonly FieldWrite[]): string {
  const sources = writes.map(({ field }) => derived.get(field)).filter((found) => found?.kind === "derived");
  const ruled = sources.filter(({ rule }) => rule !== undefined);
  const causes =
    ruled.length > 0
      ? tellRules(ruled)
      : sources.slice(0, 1).map((one) => `${nameSource(one)} → no rule any more`);
  const restored = sources.filter(({ rule }) => rule === undefined).map(({ field }) => field);
  return [
    ...causes,
    ...(restored.length > 0 ? [`${restored.join(", ")} back to what it was before`] : []),
  ].join("; ");
}

/** One sentence an issue. */
function tellRules(sources: readonly DerivedField[]): readonly string[] {
  const isOne = new Set(sources.map(({ rule }) => rule)).size === 1;
  return [...Map.groupBy(sources, nameSource)].map(([name, fields]) => {
    const rules = [...Map.groupBy(fields, ({ rule = 0 }) => rule + 1)].map(([rule, named]) =>
      isOne ? `rule ${rule}` : `${named.map(({ field }) => field).join(", ")} by rule ${rule}`,
    );
    return `${name} → ${rules.join(", ")}`;
  });
}

function nameSource({ issue, duplicate }: DerivedField): string {
  const { number, state, stateReason } = issue;
  const name =
    number === 0
      ? "the new issue"
      : `${nameWithDuplicate(issue, duplicate)}${duplicate === undefined ? "" : ","}`;
  if (state === "open") return `${name} ${stateReason === "reopened" ? "reopened" : "open"}`;
  return stateReason === null ? `${name} closed` : `${name} closed as ${stateReason.replaceAll("_", " ")}`;
}

/** Whether a rule sets a category by a word of which nobody knows yet what it means: it may be a name, and is not sent as an id. */
function isOpenWord(field: RuleField, found: FieldDerivation, { openCategories: open }: Settings): boolean {
  if (field !== "categoryId" || open === undefined || found.kind !== "derived") return false;
  return found.target.kind === "value" && open.written.includes(String(found.target.value));
}
