import type { FieldWrite, Row } from "../../model/link.ts";
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
import { isSameTarget, isUnread, readField, spellWrite, votersOf } from "../ground/fields.ts";
import {
  chooseFree,
  type HeldWrite,
  isChanging,
  isStopped,
  joinHolds,
  patchObstacle,
} from "../ground/obstacle.ts";
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

/** What is written to the board for a row: a PATCH at most. */
interface PatchPlan extends Pick<Decision, "base" | "notes" | "behind" | "pauses"> {
  readonly actions: readonly PatchPost[];
  /** The PATCH that is asked for, and stays out of the plan. */
  readonly stopped: readonly PatchPost[];
  /** As of a decision. */
  readonly settling?: PatchPost;
  /** All that the issues ask for of the post and that will be written, as far as one can see: also what waits for `settle` or is held. */
  readonly asked: PostChange;
}

const noPatch = { actions: [], stopped: [], asked: {} } as const;

/** Decides every field of the post that any rule sets; what is to be written goes into one PATCH. */
export function planPatch(row: Row, context: PatchContext): PatchPlan {
  const { settings, seen, statuses } = context;
  if (row.seenAt === undefined || isChanging(row) || row.openIntents.includes("patch-post"))
    return { ...noPatch, base: {}, notes: [] };
  const derived = withoutUnread(deriveTarget(row.links, settings), row, seen);
  const undecided = noteUndecided(derived);
  const decided = [...derived].flatMap(([field, found]) => decidePostField(row, field, found, context));
  const base = changedBases(row.base, decided);
  const [pauses] = decided.flatMap((field) => field.pauses ?? []);
  const spell = ({ write, hold }: Pick<FieldDecision, "write" | "hold">): readonly HeldWrite[] =>
    write === undefined ? [] : [{ write: spellWrite(write, statuses), hold }];
  const wanted = decided.flatMap(spell);
  const future = decided.flatMap(({ later }) => (later === undefined ? [] : spell(later)));
  const patchOf = (fields: readonly HeldWrite[]): PatchPost | undefined => {
    if (fields.length === 0) return undefined;
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
  const obstacleTo = (patch: PatchPost): readonly Note[] | undefined =>
    isStopped(patch, row, settings) ? [] : patchObstacle(patch, row, settings);
  const { chosen, held } = chooseFree(wanted);
  const patch = patchOf(setApart(chosen, settings));
  const obstacle = patch && obstacleTo(patch);
  const ahead =
    future.length === 0 ? undefined : patchOf(setApart(chooseFree([...wanted, ...future]).chosen, settings));
  const notes = [...decided.flatMap((field) => field.notes), ...held, ...undecided];
  const planned = {
    base,
    ...(pauses !== undefined && { pauses }),
    ...(ahead && obstacleTo(ahead) === undefined && { settling: ahead }),
  };
  if (patch !== undefined && obstacle !== undefined)
    return { ...noPatch, ...planned, stopped: [patch], notes: [...notes, ...obstacle] };
  const settling = decided.filter((field) => field.notes.some(({ kind }) => kind === "settling"));
  const asked: PostChange = Object.fromEntries([
    ...wanted.map(({ write: { field, value } }) => [field, value]),
    ...settling.flatMap(({ field, base: { pending } }) =>
      pending?.target.kind === "value" ? [[field, pending.target.value]] : [],
    ),
  ]);
  const behind = held.length === 0 ? undefined : patchOf(wanted.filter(({ hold }) => hold !== undefined));
  return {
    ...planned,
    actions: patch === undefined ? [] : [patch],
    stopped: [],
    asked,
    notes,
    ...(behind && { behind }),
  };
}

/** One field of the post; nothing where it can't be decided now. */
function decidePostField(
  row: Row,
  field: RuleField,
  found: FieldDerivation,
  context: PatchContext,
): readonly (FieldDecision & { readonly field: RuleField })[] {
  const { settings, seen, now } = context;
  if (found.kind === "unknown" || isOpenWord(field, found, settings)) return [];
  const post = readKnown(row, field, seen);
  const base = row.base[field];
  const facts = {
    field,
    sides: postSides,
    post,
    isMissing: row.missing > 0,
    isLate: row.late?.includes(field) === true,
    base,
    // Also where other fields have a base: what other rules name is in step with them (`rebaseRow`); what has none could not be decided yet.
    isOpened: row.links.every(({ link }) => link.origin !== "adopted"),
  };
  const isOrder = found.kind === "derived" && isByVotes(found);
  const policy = postPolicy(field, row, settings, isOrder);
  if (found.kind === "unnamed") return [{ field, ...decideUnnamed(facts, found.message, policy, now) }];
  // Only a first plan asks for them, and one that has not been carried out yet.
  const isFirst = base === undefined || base.pending !== undefined;
  const advanced = isFirst ? advancedValues(settings.rules, found.rule, field) : [];
  const order = isOrder ? orderAsk(row, post, seen, context) : { target: found.target };
  // The board shows no votes.
  if (order === undefined) return [];
  return [{ field, ...decideField({ ...facts, advanced, ...order }, { ...policy, ...order }, now) }];
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
function setApart(wanted: readonly HeldWrite[], settings: Settings): readonly HeldWrite[] {
  const others = wanted.filter(({ write: { field } }) => field !== "roadmapOrder");
  const isOne = others.length === wanted.length || others.length === 0 || !sortsByVotes(settings);
  return isOne ? wanted : others;
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
