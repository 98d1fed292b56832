import type { Issue, IssueRef } from "../model/issue.ts";
import type { FieldBase, LinkedIssue, Row } from "../model/link.ts";
import type { FieldValue, Post, PostChange, PostField, RuleField } from "../model/post.ts";
import {
  type Action,
  type CreateIssue,
  type Decision,
  type FieldWrite,
  isHeard,
  type Note,
  type PatchPost,
} from "./action.ts";
import { signalsOfNew } from "./asked.ts";
import { applied, changedBases } from "./base.ts";
import { decideField, type FieldDecision, type FieldPolicy, postSides, takeAsItIs } from "./decide.ts";
import { readField } from "./fields.ts";
import { draftIssue, followContent } from "./issue-text.ts";
import { isStopped, joinHolds, patchObstacle } from "./obstacle.ts";
import { adoptIssues, planIssues } from "./plan-issues.ts";
import { advancedValues, type Derivation, deriveTarget } from "./rules.ts";
import { selectPost } from "./select.ts";
import type { Render, RenderComment, Settings } from "./settings.ts";
import { nameIssue } from "./standing.ts";

/*
 * One row, as it stands now, becomes actions or none. Voters are mailed by a change of status, so a post is written at most
 * once per change of the target, and never because the two sides merely differ.
 *
 * T is what the rules make of the post's issues, P what the post shows, T₀ and P₀ are the base: what both sides agreed on
 * last. Each field that any rule sets is decided by itself; what is to be written goes into one PATCH.
 *
 *     issue side              board side                    do
 *
 *     A write with a reason to be held leaves only when a person has let it go.
 *
 *     no base yet
 *      1  opened, T a value   P is something else           write
 *      2  opened, T a value   P = T                         record
 *      3  opened, T a value   P as a more advanced rule     record, say that they differ
 *      4  opened, no rule     any                           record
 *      5  adopted             any                           record, say where they differ
 *
 *     T = T₀
 *      6                      P = P₀                        nothing; a target that was waiting is forgotten
 *      7                      P ≠ P₀: a person moved it     record P as not ours
 *         for as long as a value of T and P differ,         say so
 *      8  first look after    P = sent, in any spelling     remember the spelling
 *      9    our write         P as the answer showed it,    record, say once that it did not stick; a restore
 *                               not what was sent             may still undo it
 *     10                      P is neither                  record P as not ours, say that it did not stick
 *
 *     T ≠ T₀
 *     11                      P = T: agreed already         record
 *     12  for less than       any other                     wait, say until when; back to T₀: row 6
 *           `settle`
 *     13  T a value           P = P₀                        write
 *     14  T a value           P ≠ P₀, `conflict: tracker`   write; P is what a restore goes back to
 *     15  T a value           P ≠ P₀, `conflict: board`     record, say that they differ
 *     16  T a value           P ≠ P₀, `conflict: hold`      write, held
 *     17  no rule any more,   P = what our write left       write the last value that was not ours
 *           `restore`
 *     18  no rule any more    any other, or `keep`, or no   record
 *                               value that can be written
 *
 *     T = T₀, which other rules have made of issues that had not moved (`rebaseRow`)
 *     28                      P = P₀, not as T asks         write, held; rows 7 and 11 end that
 *
 *     the board does not show the field
 *     19  T ≠ T₀, a value     unseen                        write, blindly
 *     20  any other           unseen                        record
 *
 *     what is to be written stays out of the plan, and its base where it was, while
 *     21  the post is archived or missing                   say so; of a missing post every field is unseen, and what
 *                                                             row 17 would put back waits for its return
 *     22  the post is quarantined, or its status was        say so
 *           written `flips` times in 24 h
 *     23  this same write was refused, or voters would hear
 *           of a value that is in doubt (parked)
 *     24  a PATCH is under way, or its outcome unknown      change nothing: P may or may not be its doing
 *     25  `writes` forbids it
 *     29  a change of one of the issues is under way        change nothing: T may or may not be its doing
 *
 *     26  an issue that decides has not been read, or all   change nothing, say so
 *           are gone
 *     27  no listing has shown the post since our last       change nothing, look again with the next pull
 *           write to it
 */

/** Everything besides the row that a decision depends on. */
export interface PlanContext {
  readonly settings: Settings;
  /** The fields that any record of the last pull showed; all others are unseen. */
  readonly seen: ReadonlySet<PostField>;
  readonly render: Render;
  readonly renderComment: RenderComment;
  /** Epoch ms. */
  readonly now: number;
}

/** Decides one row. The same row and context give the same decision; planning again after applying it gives nothing. */
export function planRow(row: Row, context: PlanContext): Decision {
  return row.links.length > 0 ? planLinked(row, context) : planUnlinked(row, context);
}

/**
 * Takes both sides as they are: no action, every base as it is now, and a note wherever the two differ. For `--adopt`, for
 * an issue that was found or named, and for a state that is not to be trusted.
 */
export function adoptRow(row: Row, context: PlanContext): Decision {
  if (row.links.length === 0) return { ...planUnlinked(row, context), actions: [] };
  const derived = deriveTarget(row.links, context.settings);
  if (derived.kind === "undecided") return { ...standStill(row), notes: [derived] };
  const decided = [...derived.targets].map(([field, target]) => {
    const post = readKnown(row, field, context.seen);
    return { field, ...takeAsItIs({ field, sides: postSides, target, post, base: row.base[field] }) };
  });
  const issues = adoptIssues(row, context);
  return {
    ...standStill(row),
    base: changedBases(row.base, decided),
    issueBases: issues.issueBases,
    notes: [...decided.flatMap(({ notes }) => notes), ...issues.notes],
  };
}

/**
 * The bases after the board accepted a PATCH (or is known to have taken it).
 *
 * @param shown the post in the board's own answer, if it held one. A post from a later listing is none: people may have
 *   moved it since; leave it out, and the next plan sees what became of the write.
 */
export function recordApplied(
  row: Row,
  action: PatchPost,
  shown: Post | undefined,
): Readonly<Partial<Record<RuleField, FieldBase>>> {
  return Object.fromEntries(
    action.writes.map((write) => [
      write.field,
      applied(row.base[write.field], write, shown?.values[write.field]),
    ]),
  );
}

function planLinked(row: Row, context: PlanContext): Decision {
  const { patch, asked, base, notes } = planPatch(row, context);
  const issues = planIssues(row, asked, context);
  const updates = followContent(row, context.settings, context.render);
  const times = notes.flatMap((note) => (note.kind === "settling" ? [note.until] : []));
  return {
    ...standStill(row),
    actions: [...(patch === undefined ? [] : [patch]), ...updates, ...issues.actions],
    base,
    issueBases: issues.issueBases,
    notes: [...notes, ...issues.notes],
    dueAt: row.seenAt === undefined ? context.now : earliest(times),
  };
}

function planUnlinked(row: Row, context: PlanContext): Decision {
  const { settings, seen, render } = context;
  const skip = (reason: string): Decision => ({ ...standStill(row), standing: { kind: "skipped", reason } });
  if (row.missing > 0) return skip("the board no longer lists the post");
  if (row.unlinkedAt !== undefined) return skip(unlinked);
  const { isSelected, reason } = selectPost(row.post, settings, seen);
  if (!isSelected) return skip(reason);
  const draft = draftIssue(row, settings, render, reason);
  const create = { ...draft, followUp: planFollowUp(row, draft, context) };
  const actions: readonly Action[] = isStopped(create, row, settings) ? [] : [create];
  return { ...standStill(row), actions, standing: { kind: "wanted", reason } };
}

const unlinked =
  "a person unlinked it: `boardsync link` gives it an issue again, `boardsync retry` lets another one be opened";

/** The PATCH that follows an issue which comes out as it was asked for. */
function planFollowUp(row: Row, draft: CreateIssue, context: PlanContext): PatchPost | undefined {
  const ref: IssueRef = { repositoryId: 0, number: 0 };
  const issue: Issue = {
    ...ref,
    nodeId: "",
    state: "open",
    stateReason: null,
    labels: draft.labels,
    assignees: draft.assignees,
    milestone: draft.milestone === undefined ? null : { number: 0, title: draft.milestone, state: "open" },
    type: draft.type ?? null,
    locked: false,
    createdAt: "",
    updatedAt: "",
  };
  const linked: LinkedIssue = {
    link: { post: row.post.id, issue: ref, origin: "opened" },
    issue,
    isGone: false,
    content: draft.content,
    signals: signalsOfNew,
  };
  return planPatch({ ...row, links: [linked], base: {} }, context).patch;
}

interface PatchPlan {
  readonly patch: PatchPost | undefined;
  /** All that the issues ask for of the post and that will be written, as far as one can see: also what settles or is held. */
  readonly asked: PostChange;
  readonly base: Decision["base"];
  readonly notes: readonly Note[];
}

function planPatch(row: Row, { settings, seen, now }: PlanContext): PatchPlan {
  const isStale = row.seenAt === undefined;
  // What the issue shows may be our own doing, and is no reason to write before that is known.
  const isChanging = row.links.some((linked) => linked.isChanging);
  if (isStale || isChanging || row.openIntents.includes("patch-post"))
    return { ...noPatch, base: {}, notes: [] };
  const derived = deriveTarget(row.links, settings);
  if (derived.kind === "undecided") return { ...noPatch, base: {}, notes: [derived] };
  // A pair with any base has had its first plan: a field without one was named by a rule since.
  const isOpening =
    Object.keys(row.base).length === 0 && row.links.every(({ link }) => link.origin === "opened");
  const decided = [...derived.targets].map(([field, target]) => {
    const post = readKnown(row, field, seen);
    const isMissing = row.missing > 0;
    const advanced = advancedValues(settings.rules, derived.rule, field);
    const facts = {
      field,
      sides: postSides,
      target,
      post,
      isMissing,
      base: row.base[field],
      isOpening,
      advanced,
    };
    return { field, ...decideField(facts, policyOf(settings), now) };
  });
  const base = changedBases(row.base, decided);
  const wanted = decided.flatMap(({ write, hold }) => (write === undefined ? [] : [{ write, hold }]));
  const free = wanted.filter(({ hold }) => hold === undefined);
  // What goes by itself does not wait for what a person has to let go.
  const chosen = free.length > 0 ? free : wanted;
  const others = free.length > 0 ? wanted.flatMap(noteHold) : [];
  const notes = [...decided.flatMap((field) => field.notes), ...others];
  const writes = chosen.map(({ write }) => write);
  const settling = decided.filter(({ notes }) => notes.some(({ kind }) => kind === "settling"));
  const asked = { ...valuesOf(wanted.map(({ write }) => write)), ...valuesOf(settling.map(toWish)) };
  if (writes.length === 0) return { patch: undefined, asked, base, notes };
  const patch: PatchPost = {
    kind: "patch-post",
    post: row.post.id,
    writes,
    reason: reasonOf(derived, writes),
    notifies: countVoters(row.post, writes),
    hold: joinHolds(chosen.flatMap(({ hold }) => hold ?? [])),
  };
  if (isStopped(patch, row, settings)) return { ...noPatch, base, notes };
  const obstacle = patchObstacle(patch, row, settings);
  return obstacle === undefined
    ? { patch, asked, base, notes }
    : { ...noPatch, base, notes: [...notes, ...obstacle] };
}

const noPatch = { patch: undefined, asked: {} } as const;

/** What a field that settles is going to be, if nothing changes. */
function toWish({ field, base }: { readonly field: RuleField; readonly base: FieldBase }): Wish {
  const target = base.pending?.target;
  return { field, value: target?.kind === "value" ? target.value : undefined };
}

interface Wish {
  readonly field: RuleField;
  readonly value: FieldValue | undefined;
}

function valuesOf(wishes: readonly Wish[]): PostChange {
  return Object.fromEntries(
    wishes.flatMap(({ field, value }) => (value === undefined ? [] : [[field, value]])),
  );
}

function policyOf({ conflict, whenNoRule, settleMs }: Settings): FieldPolicy {
  const policies = { tracker: "write", board: "keep", hold: "hold" } as const;
  return { whenNoRule, settleMs, conflict: policies[conflict] };
}

function noteHold({
  write,
  hold,
}: Pick<FieldDecision, "hold"> & { readonly write: FieldWrite }): readonly Note[] {
  return hold === undefined ? [] : [{ kind: "held", field: write.field, message: hold }];
}

/** P. What a missing post showed last says nothing of what it shows now: no base may rest on it. */
function readKnown(
  { post, missing }: Row,
  field: RuleField,
  seen: ReadonlySet<PostField>,
): FieldValue | undefined {
  return missing > 0 ? undefined : readField(post, field, seen);
}

function reasonOf(
  { issue, rule, duplicate }: Derivation & { readonly kind: "derived" },
  writes: readonly FieldWrite[],
): string {
  const cause =
    rule === undefined
      ? `${describeIssue(issue, duplicate)} → no rule any more`
      : `${describeIssue(issue, duplicate)} → rule ${rule + 1}`;
  const restored = writes.filter(({ target }) => target.kind === "none").map(({ field }) => field);
  return restored.length === 0 ? cause : `${cause}; ${restored.join(", ")} back to what it was before`;
}

function describeIssue(issue: Issue, duplicate: Issue | undefined): string {
  const { number, state, stateReason } = issue;
  const name =
    number === 0 ? "the new issue" : `${nameIssue(issue, duplicate)}${duplicate === undefined ? "" : ","}`;
  if (state === "open") return `${name} ${stateReason === "reopened" ? "reopened" : "open"}`;
  return stateReason === null ? `${name} closed` : `${name} closed as ${stateReason.replaceAll("_", " ")}`;
}

/** Voters are mailed by a change of status only; how many they are is not shown by every board. */
function countVoters({ values }: Post, writes: readonly FieldWrite[]): number | null {
  if (!writes.some(isHeard)) return 0;
  return typeof values.votes === "number" ? values.votes : null;
}

/** What is decided of a row as long as nothing is. */
export function standStill(row: Row): Decision {
  const names = row.links.map(({ link, isGone }) => `#${link.issue.number}${isGone ? " (gone)" : ""}`);
  return {
    post: row.post.id,
    actions: [],
    base: {},
    issueBases: [],
    notes: [],
    standing: { kind: "linked", reason: `linked to ${names.join(", ")}` },
    dueAt: undefined,
  };
}

function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}
