import { bareIssue, type IssueRef } from "../model/issue.ts";
import type { FieldBase, LinkedIssue, Row } from "../model/link.ts";
import type { Post, RuleField } from "../model/post.ts";
import { adoptIssues, planIssues } from "./board-rules/plan-issues.ts";
import { applied, awaitTarget, changedBases, noTarget } from "./fields/base.ts";
import { postSides, takeAsItIs } from "./fields/decide.ts";
import { withLate } from "./fields/late.ts";
import type { Action, CreateIssue, Decision, PatchPost } from "./ground/action.ts";
import { openWordsOf } from "./ground/fields.ts";
import { absence, isChanging, isInDoubt, isQuarantined, sortOut } from "./ground/obstacle.ts";
import type { PlanContext } from "./ground/settings.ts";
import { draftIssue, followContent } from "./issue-text.ts";
import { inNumbers, isByVotes } from "./rules/by-votes.ts";
import { signalsOfNew } from "./rules/conditions.ts";
import { noteUndecided, planPatch, readKnown } from "./rules/plan-patch.ts";
import { deriveTarget, type FieldDerivation } from "./rules/rules.ts";
import { selectPost, turnsAt } from "./select.ts";
import { TemplateError } from "./text/template.ts";

/*
 * One row, as it stands now, becomes actions or none. Voters are notified by a change of status, so a post is written at most
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
 *     32  T or T₀ a value     P ≠ P₀, T and what we sent,   P₀ := P, and all that the post asks for waits until a
 *                               `conflict: pause`, in any     person resumes it
 *                               row
 *     33  T = T₀, no rule     P ≠ P₀, `conflict: pause`     nothing, so that row 32 comes once the issue asks
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
 *     21  the post is missing, or archived and not by us    say so; of a missing post every field is unseen, and what
 *                                                             row 17 would put back waits for its return
 *     22  the post is quarantined, or its status was        say so
 *           written `flips` times in 24 h
 *     23  this same write was refused, or voters would hear
 *           of a value that is in doubt (parked)
 *     24  a PATCH is under way, or its outcome unknown      change nothing: P may or may not be its doing
 *     25  `writes` forbids it
 *     29  a change of one of the issues is under way, or    change nothing: T may or may not be its doing, or
 *           may arrive and undo what is there                 what it takes back; look again with the next run
 *
 *     26  a fact that the field hangs on is not known,     change nothing, say so
 *           or all issues are gone
 *     30  an issue was closed for a reason that no rule     T stays what it was; say so
 *           names, and the field hangs on that
 *     27  no listing has shown the post since our last       change nothing, look again with the next pull
 *           write to it
 *
 *     for `waits.patch` after the board has acknowledged our write
 *     31  P is what was there before it, or the record is    P counts as what was acknowledged: T = T₀ changes
 *           older than the answer, by its `updatedAt`          nothing, look again with the next run; T ≠ T₀ is
 *                                                              decided as above, but waits with `conflict: pause`,
 *                                                              for P may be a person's. After that time: rows 6 to 10
 */

/** Decides one row. The same row and context give the same decision; planning again after applying it gives nothing. */
export function planRow(listed: Row, context: PlanContext): Decision {
  const row = withLate(listed, context);
  return row.links.length > 0 ? planLinked(row, context) : planUnlinked(row, context);
}

/**
 * Takes both sides as they are: no action, every base as it is now, and a note wherever the two differ. For `--adopt`, for
 * an issue that was found or named, and for a state that is not to be trusted.
 *
 * @param votes what follows the votes is no side that anyone has left as it is: the next plan sorts the post, and labels its
 *   issues. `leave`: a person wants that left, too.
 */
export function adoptRow(listed: Row, context: PlanContext, votes: "follow" | "leave" = "follow"): Decision {
  const row = withLate(listed, context);
  if (row.links.length === 0) return { ...planUnlinked(row, context), actions: [], stopped: [] };
  const isLeft = votes === "leave";
  const issues = adoptIssues(row, context, isLeft);
  const derived = deriveTarget(row.links, context.settings);
  const isFollowing = (found: FieldDerivation): boolean =>
    !isLeft && found.kind === "derived" && isByVotes(found);
  const taken = [...derived].filter(([, found]) => !isFollowing(found));
  const decided = taken.flatMap(([field, found]) => adoptField(row, field, found, context) ?? []);
  return {
    ...standStill(row),
    base: changedBases(row.base, decided),
    issueBases: issues.issueBases,
    notes: [...noteUndecided(derived), ...decided.flatMap(({ notes }) => notes), ...issues.notes],
    ...(!isLeft && (taken.length < derived.size || context.settings.issue.voteLabels !== undefined)
      ? { dueAt: context.now }
      : {}),
  };
}

/** One field as both sides have it; undefined where the board does not show what it follows. */
function adoptField(row: Row, field: RuleField, found: FieldDerivation, { seen }: PlanContext) {
  const base = row.base[field];
  const isStillAwaited = found.kind === "unnamed" && base?.isAwaited === true;
  if (found.kind === "unknown" || isStillAwaited) return { field, base: awaitTarget(base), notes: [] };
  const post = readKnown(row, field, seen);
  // A pair that is taken as it is while an issue is closed for a reason that no rule names has been asked for nothing yet.
  const target = found.kind === "derived" ? inNumbers(found, row, seen) : (base?.target ?? noTarget);
  return target && { field, ...takeAsItIs({ field, sides: postSides, target, post, base }) };
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
  const { actions, stopped, asked, notes, ...planned } = planPatch(row, context);
  const isStopped = isQuarantined(row) || notes.some(({ kind }) => kind === "quarantined");
  const issues = planIssues(row, context.isBoardReadOnly ? {} : asked, {
    ...context,
    isQuarantined: isStopped,
  });
  const { updates, isLater, failure } = followText(row, context);
  const { free, stopped: left } = sortOut(updates, row, context.settings);
  const settled = notes.flatMap((note) => (note.kind === "settling" ? [note.until] : []));
  const [first] = settled.toSorted((one, other) => one - other);
  const isUnseen = row.seenAt === undefined || row.late !== undefined || row.mayHaveMoved === true;
  const isUnderWay = isChanging(row) || row.links.some(({ mayArrive }) => mayArrive !== undefined);
  return {
    ...standStill(row),
    ...planned,
    actions: [...actions, ...free, ...issues.actions],
    stopped: [...stopped, ...left, ...issues.stopped],
    issueBases: issues.issueBases,
    notes: [...notes, ...issues.notes, ...failure],
    dueAt: isUnseen || isUnderWay || isLater || issues.isLeft ? context.now : first,
  };
}

/**
 * The texts that are to be written, or will be where the next list shows no more than this one. What voters are to hear does not hang
 * on a template.
 */
function followText(row: Row, { settings, render, seen, isCut }: PlanContext) {
  try {
    const updates = followContent(row, settings, render, seen);
    const isLater = isCut === true && updates.length > 0;
    return { updates: isLater ? [] : updates, isLater, failure: [] };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const message = `A template of the config fails on this post, so its issue keeps its text: ${error.message}. Correct the template; the next run tries again.`;
    return {
      updates: [],
      isLater: false,
      failure: [{ kind: "undecided", cause: "template", message } as const],
    };
  }
}

function planUnlinked(row: Row, context: PlanContext): Decision {
  const { settings, render } = context;
  const skip = (reason: string): Decision => atRest(row, { kind: "skipped", reason });
  if (row.missing > 0) return skip("the board no longer lists the post");
  if (row.isImport) return skip(ofIssue);
  if (row.unlinkedAt !== undefined) return skip(unlinked);
  const { isSelected, reason } = selectPost(row.post, settings, context);
  const dueAt = turnsAt(row.post, settings, context);
  if (!isSelected) return { ...skip(reason), dueAt };
  const [open] = openWordsOf(row.post, settings);
  if (open !== undefined) return skip(`nobody knows yet whether its category is the config's "${open}"`);
  const draft = draftIssue(row, settings, render, reason);
  const create = { ...draft, followUp: planFollowUp(row, draft, context) };
  const { free: actions, stopped } = sortOut([create], row, settings);
  return { ...standStill(row), actions, stopped, standing: { kind: "wanted", reason }, dueAt };
}

const ofIssue = "an issue that may become a post (`import`)";

const unlinked =
  "a person wants no issue for it (`unlink`, or `approve --discard`): `boardsync link` links one that is there, `boardsync retry` opens a new one";

/** The PATCH that follows an issue which comes out as it was asked for. */
function planFollowUp(row: Row, draft: CreateIssue, context: PlanContext): PatchPost | undefined {
  const ref: IssueRef = { repositoryId: 0, number: 0 };
  const { labels, assignees, milestone: title, type = null } = draft;
  const milestone = title === undefined ? null : ({ number: 0, title, state: "open" } as const);
  const issue = bareIssue({ ...ref, labels, assignees, milestone, type });
  const linked: LinkedIssue = {
    link: { post: row.post.id, issue: ref, origin: "opened" },
    known: { issue, pins: context.pinsOf(draft.repo), signals: signalsOfNew },
    isGone: false,
    text: "none",
  };
  return planPatch({ ...row, links: [linked] }, context).actions[0];
}

/**
 * Whether a row can't be decided now although its issues may ask for something: a fact is missing, the post was not looked at
 * since our last write, or the outcome of a write is not known.
 */
export function isUndecidable(row: Row, { notes }: Pick<Decision, "notes">): boolean {
  if (row.seenAt === undefined || isInDoubt(row)) return true;
  return notes.some(({ kind }) => kind === "undecided");
}

/**
 * All that a row asks for, whatever stops it: by this one can tell whether an action that waits is still wanted. undefined while
 * the row can't be decided.
 */
export function wishesOf(
  row: Row,
  { actions, stopped, notes }: Pick<Decision, "actions" | "stopped" | "notes">,
): readonly Action[] | undefined {
  if (row.seenAt === undefined || row.openIntents.length > 0 || absence(row) !== undefined) return undefined;
  return notes.some(({ kind }) => kind === "undecided") ? undefined : [...actions, ...stopped];
}

/** What is decided of a row as long as nothing is. */
export function standStill(row: Row): Decision {
  const names = row.links.map(({ link, isGone }) => `#${link.issue.number}${isGone ? " (gone)" : ""}`);
  return atRest(row, { kind: "linked", reason: `linked to ${names.join(", ")}` });
}

function atRest({ post }: Row, standing: Decision["standing"]): Decision {
  return {
    post: post.id,
    actions: [],
    stopped: [],
    settling: undefined,
    base: {},
    issueBases: [],
    notes: [],
    standing,
    dueAt: undefined,
  };
}
