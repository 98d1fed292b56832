import type { IssueField } from "../../model/issue.ts";
import { type LinkedIssue, type Row, type Target, withValues } from "../../model/link.ts";
import type { PostChange } from "../../model/post.ts";
import { changedBases } from "../fields/base.ts";
import {
  conflictOf,
  decideField,
  type FieldDecision,
  type FieldFacts,
  type FieldPolicy,
  takeAsItIs,
} from "../fields/decide.ts";
import type { Decision, Note } from "../ground/action.ts";
import { isSameTarget, showValue } from "../ground/fields.ts";
import { readIssueField } from "../ground/issue-fields.ts";
import { sortOut } from "../ground/obstacle.ts";
import type { BoardRule, PlanContext, Settings } from "../ground/settings.ts";
import { type BoardDerivation, deriveBoard } from "./board-rules.ts";
import { type WantedWrite, writeIssues } from "./issue-writes.ts";
import { findUntaken, isPutBack } from "./untaken.ts";
import { type VoteAsk, voteAsks } from "./vote-labels.ts";

/*
 * The other direction: what board rules make of a post is written to its issues, field by field, by the same case table as
 * the board's fields (`plan.ts`), with the sides exchanged. B is what the board rules make of the post, I what the issue
 * shows; B₀ and I₀ are what both agreed on last.
 *
 *     the rows of `plan.ts` hold with B for T and I for P; only
 *      3, 12, 28   can't happen: no post moves an issue backwards, nobody is notified, and other board rules write nothing
 *     14, 15       `conflict: tracker` keeps what the issue shows, `board` writes; a comment is not made then
 *     32           `conflict: pause` is of the board's side alone: here it holds, like row 16
 *     19           a comment is a field that is never shown: once for each time that its rule begins to hold; one
 *                  whose template gives nothing is not made
 *
 *     B changes nothing, and B₀ stays, while
 *     A1  the post is missing from one pull, or from two       a rule with `missing: true` moves what it names, after two
 *           and no rule asks for that
 *     A2  no listing has shown the post since our last PATCH,
 *           or the outcome of one is unknown
 *     A3  the board does not show a field that decides
 *     A4  what the issues ask for of the post (T) moves B       the post is going to follow the issue; also while that
 *           elsewhere                                             settles, or a person has to choose
 *     A5  the issue can't be read, is gone, or is one that
 *           neither we opened nor a person linked
 *     A6  a change of this issue is under way, for             what it shows may or may not be our doing
 *           whichever post
 *     A7  the post is quarantined                              say so
 *     A8  no board rule names the field any more, and          what is there stays until none does; say so
 *           another post of the issue still asks for it
 *     A10 the board does not show votes, or the post is        its labels by votes (`vote-labels.ts`), which are a B
 *           archived or missing                                   of their own, stay as they are
 *     A9  B is what it was before our PATCH, because the       B₀ := B: what was not taken moves nothing
 *           board did not take that
 */

type IssueContext = Pick<PlanContext, "settings" | "seen" | "renderComment" | "now">;

interface IssuePlan extends Pick<Decision, "actions" | "stopped" | "issueBases" | "notes"> {
  /** Whether every run has to look at it again (A8). */
  readonly isLeft: boolean;
}

interface IssueDecision extends FieldDecision<IssueField> {
  readonly issue: LinkedIssue;
  readonly field: IssueField;
  /** Set where it stays for another post's sake (A8). */
  readonly isLeft?: true;
  /** Set for a label by votes: no board rule asks for it. */
  readonly isByVotes?: true;
}

/** B of the fields that may be decided. */
type Asks = readonly (readonly [IssueField, Target])[];

const undecided: BoardDerivation = { rule: undefined, targets: new Map() };

const nothing: IssuePlan = { actions: [], stopped: [], issueBases: [], notes: [], isLeft: false };

/**
 * Decides the fields of a row's issues.
 *
 * @param asked what the issues ask for of the post: what we are going to make of it must not come back.
 * @param context `isQuarantined`: whether the post is, also by what is decided of it now.
 */
export function planIssues(
  row: Row,
  asked: PostChange,
  context: IssueContext & { readonly isQuarantined: boolean },
): IssuePlan {
  const { settings, seen } = context;
  const asksNothing = settings.boardRules.length === 0 && settings.issue.voteLabels === undefined;
  if (asksNothing || isUnlooked(row)) return nothing;
  const { rule: index, targets } = deriveBoard(row, settings, seen) ?? undecided;
  const fields = findAsks(row, asked, [...targets], context);
  const untaken = findUntaken(row, settings, seen);
  const rule = index === undefined ? undefined : settings.boardRules[index];
  const decided = row.links.filter(isWritable).flatMap((linked) => {
    const isTaken = ([field, target]: Asks[number]): boolean => isPutBack(linked, field, target, untaken);
    const taken = [...targets].filter(isTaken).map((one) => takeField(linked, one));
    const others = fields.filter((one) => !isTaken(one));
    const byVotes = voteAsks(row, linked, settings, seen).map((ask) => decideVotes(linked, ask, context));
    return [...taken, ...decideIssue(row, linked, others, rule, context), ...byVotes];
  });
  const wanted = decided.flatMap(({ write, ...decision }): readonly WantedWrite[] =>
    write === undefined ? [] : [{ ...decision, write }],
  );
  const plan = { ...recordOf(decided), isLeft: decided.some(({ isLeft }) => isLeft) };
  if (wanted.length === 0) return { ...plan, actions: [], stopped: [] };
  const { actions, held } = writeIssues(row, rule, wanted, context);
  if (context.isQuarantined)
    return { ...plan, actions: [], stopped: actions, notes: [...plan.notes, quarantined] };
  const { free, stopped } = sortOut(actions, row, settings);
  return { ...plan, actions: free, stopped, notes: [...plan.notes, ...held] };
}

/**
 * Both sides as they are: every base as it is now, and a note wherever the two differ.
 *
 * @param areVotesLeft whether labels by votes are taken as they are, too.
 */
export function adoptIssues(
  row: Row,
  context: IssueContext,
  areVotesLeft: boolean,
): Pick<IssuePlan, "issueBases" | "notes"> {
  const { settings, seen } = context;
  const { targets } = (isUnlooked(row) ? undefined : deriveBoard(row, settings, seen)) ?? undecided;
  const decided = row.links.filter(isWritable).flatMap((linked) => {
    const asks = voteAsks(row, linked, settings, seen);
    // A label that is there already is this post's too, at once: another post's plan of the same run has to leave it.
    const byVotes = areVotesLeft
      ? asks.map(({ field, target }) => takeField(linked, [field, target]))
      : asks.map((ask) => decideVotes(linked, ask, context)).filter(({ write }) => write === undefined);
    return [...[...targets].map((one) => takeField(linked, one)), ...byVotes];
  });
  return recordOf(decided);
}

const quarantined: Note = {
  kind: "quarantined",
  message:
    "its status flapped too often, so its issues are not changed either; `boardsync release` goes on with it",
};

/** A2. */
function isUnlooked({ seenAt, missing, openIntents }: Row): boolean {
  return (seenAt === undefined && missing === 0) || openIntents.includes("patch-post");
}

/** The fields whose value stays the same when the post has become what its issues ask for (A4). */
function findAsks(row: Row, asked: PostChange, fields: Asks, { settings, seen }: IssueContext): Asks {
  if (Object.keys(asked).length === 0) return fields;
  const after = deriveBoard(withValues(row, asked), settings, seen);
  return fields.filter(([field, target]) => {
    const then = after?.targets.get(field);
    return then !== undefined && isSameTarget(field, target, then);
  });
}

function takeField(linked: LinkedIssue, [field, target]: Asks[number]): IssueDecision {
  return { issue: linked, field, ...takeAsItIs({ ...factsOf(linked, field), target }) };
}

/** A5 and A6. */
function isWritable({ known, isGone, text, isChanging, mayArrive }: LinkedIssue): boolean {
  const isOpen = isChanging === true || mayArrive !== undefined;
  return known !== undefined && !isGone && text !== "read-only" && !isOpen;
}

function factsOf({ known, link, base }: LinkedIssue, field: IssueField) {
  return {
    field,
    sides: { written: `issue #${link.issue.number}`, asking: "the post" },
    post: known && readIssueField(known.issue, field),
    base: base?.[field],
  };
}

function decideIssue(
  row: Row,
  linked: LinkedIssue,
  fields: Asks,
  rule: BoardRule | undefined,
  { settings, now, renderComment }: IssueContext,
): readonly IssueDecision[] {
  // A field that a rule has begun to name since is taken as it is.
  const isNew = linked.base === undefined && Object.keys(row.base).length === 0;
  const decided = fields.map(([field, target]): IssueDecision => {
    const policy = issuePolicy(field, settings);
    const facts = factsOf(linked, field);
    const isOpened = linked.link.origin !== "adopted" && (isNew || facts.base !== undefined);
    return decideAsk(linked, { ...facts, target, isOpened }, policy, now);
  });
  return decided.flatMap((decision): readonly IssueDecision[] => {
    if (decision.field !== "comment" || decision.write === undefined) return [decision];
    // The comment would speak of a change that a person still has to choose, or has decided otherwise: of the state, or of all of it.
    if (decided.some(({ hold }) => hold !== undefined)) return [];
    const kept = decided.filter(({ isKept }) => isKept);
    const isOther = decided.some(({ field, write }) => field !== "comment" && write !== undefined);
    const isWanted = kept.length === 0 || (isOther && !kept.some(({ field }) => field === "state"));
    if (isWanted && renderComment(String(rule?.set.comment), row.post).trim() !== "") return [decision];
    return [takeField(linked, ["comment", decision.write.target])];
  });
}

/** What is ours goes as soon as the votes ask for another one, whatever `whenNoRule` says; what people do to a label is not fought. */
function decideVotes(
  linked: LinkedIssue,
  { field, target, base }: VoteAsk,
  { now }: Pick<IssueContext, "now">,
): IssueDecision {
  const facts = { ...factsOf(linked, field), target, base, isOpened: false };
  const policy: FieldPolicy = { whenNoRule: "restore", settleMs: 0, conflict: "keep" };
  return { ...decideAsk(linked, facts, policy, now), isByVotes: true };
}

/**
 * One field by the case table. What another post asks for is not taken away (A8); every run looks whether that post still asks for it.
 */
function decideAsk(
  issue: LinkedIssue,
  facts: Omit<FieldFacts<IssueField>, "isMissing" | "advanced">,
  policy: FieldPolicy,
  now: number,
): IssueDecision {
  const { field, target, post, sides } = facts;
  const decision = decideField({ ...facts, isMissing: false, advanced: [] }, policy, now);
  const isClaimed = issue.claimed?.includes(field) === true;
  if (target.kind === "value" || decision.write === undefined || !isClaimed)
    return { issue, field, ...decision };
  const message = `${field} stays ${showValue(post)} on ${sides.written}: another post of the issue still asks for it`;
  const notes = [{ kind: "disagreement", field, message }] as const;
  return { issue, field, base: decision.base, write: undefined, hold: undefined, notes, isLeft: true };
}

/** A change of an issue notifies no voter, so it need not wait for `settle`. The side that wins a conflict is the same in both directions. */
function issuePolicy(field: IssueField, settings: Settings): FieldPolicy {
  const mirrored = { tracker: "keep", board: "write", hold: "hold", pause: "hold" } as const;
  return { whenNoRule: settings.whenNoRule, settleMs: 0, conflict: mirrored[conflictOf(field, settings)] };
}

/** What is remembered and said of all that was decided. */
function recordOf(decided: readonly IssueDecision[]): Pick<IssuePlan, "issueBases" | "notes"> {
  const byIssue = Map.groupBy(decided, ({ issue }) => issue);
  const issueBases = [...byIssue].flatMap(([{ link, base = {} }, decisions]) => {
    const changed = changedBases(base, decisions);
    return Object.keys(changed).length === 0 ? [] : [{ issue: link.issue, base: changed }];
  });
  return { issueBases, notes: decided.flatMap(({ notes }) => notes) };
}
