import type { ToolCall } from "../../ledger/journal.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { KnownImport } from "../../ledger/pulls.ts";
import { type IssueRef, isSameIssue, type LabelledIssue, refOf } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { wordWait } from "../../model/waiting.ts";
import type { CreatePost } from "../../plan/ground/action.ts";
import { approvalSignature } from "../../plan/ground/identity.ts";
import { isRefusal, parkedOf } from "../../plan/ground/obstacle.ts";
import type { ImportSettings } from "../../plan/ground/settings.ts";
import { findStanding } from "../../plan/imports/alike.ts";
import { draftPost, isLabelledByOther, needsLabeller, whyKept } from "../../plan/imports/draft.ts";
import { issueKey, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { takesAsItIs } from "../ground/order.ts";
import { attempt } from "../ground/report.ts";
import { readRow } from "../ground/rows.ts";
import type { Wanted } from "../ground/verdict.ts";
import { repositoryNames } from "../ground/world.ts";
import { askForIssue } from "../read/follow.ts";
import { addressesOf, addressOf, isElsewhere, keepValidator, readLabelled } from "../read/import-list.ts";
import { ownMark } from "../read/other-marks.ts";
import { namedHold } from "./named.ts";
import { want } from "./want.ts";

/** One issue that is looked at. */
type Candidate = ReturnType<typeof candidateOf>;

/**
 * What becomes of an issue. `over`: it has a post, boardsync or another project deals with it, or the config leaves it out, so it is
 * forgotten. `left`: it becomes no post unless a person asks, and that is remembered. `waiting`: a later run may make a post of it.
 */
type Judgement = CreatePost | "over" | "left" | "waiting";

/**
 * Decides which issues become posts. An issue that is linked, by whichever project, or was made a post once, is left alone for good;
 * so is one that boardsync opened itself. From a list that broke off nothing is decided: the post may be there already.
 *
 * @returns `unsettled`: issues that could not be decided in this run; what a person has approved of them may still be asked for.
 */
export async function decideImports(
  cycle: PulledCycle,
): Promise<{ readonly wanted: readonly Wanted[]; readonly unsettled: readonly PostId[] }> {
  const { settings, memory, world } = cycle;
  const known = await world.ledger.imports.known(memory.id);
  const isOn = settings.import !== undefined && world.tools?.purposes.has("feedbackCreate") === true;
  if (settings.import === undefined || !isOn) {
    const left = known.filter(({ isDiscarded }) => !isDiscarded);
    await dropAll(cycle, left);
    return { wanted: [], unsettled: [] };
  }
  if (takesAsItIs(cycle.run) || cycle.pull.kind === "incomplete")
    return { wanted: [], unsettled: known.map(({ post }) => post) };
  const calls = await world.ledger.toolCalls.list(memory.id, "feedbackCreate");
  const drafts: CreatePost[] = [];
  const unsettled: PostId[] = [];
  for (const name of repositoryNames(settings)) {
    const repository = cycle.repositories.get(name);
    const { id } = (repository ?? world.ledger.memory.repository(name))?.repository ?? {};
    const here = known.filter(({ issue }) => issue.repositoryId === id);
    const list = repository && (await readLabelled(cycle, repository, settings.import.labels));
    if (repository === undefined || list === undefined) unsettled.push(...here.map(({ post }) => post));
    else if (list.kind !== "unchanged") {
      const candidates = list.rows.map((issue) => candidateOf(cycle, issue, here, calls));
      await followTwins(cycle, repository, candidates);
      const judged = await judgeAll(cycle, candidates, settings.import);
      drafts.push(...judged.drafts);
      unsettled.push(...judged.unsettled);
      const isOver = ({ post, issue }: KnownImport) => !judged.stays.has(post) && !isUnderWay(calls, issue);
      await dropAll(cycle, here.filter(isOver));
      await keepValidator(cycle, repository, judged.isWaiting ? undefined : list.etag);
    }
  }
  return { wanted: await wantAll(cycle, drafts), unsettled };
}

async function judgeAll(cycle: PulledCycle, candidates: readonly Candidate[], settings: ImportSettings) {
  const drafts: CreatePost[] = [];
  const unsettled: PostId[] = [];
  const stays = new Set<PostId>();
  let isWaiting = false;
  for (const candidate of candidates) {
    const post = candidate.name as PostId;
    const judged = await attempt(cycle, post, () => judge(cycle, candidate, settings));
    if (judged === "over") continue;
    stays.add(post);
    isWaiting ||= judged !== "left";
    if (typeof judged !== "object") continue;
    if (judged.kind === "create-post") drafts.push(judged);
    else unsettled.push(post);
  }
  return { drafts, unsettled, stays, isWaiting };
}

/**
 * An issue that has become a post, and was transferred here, may be listed here before the look at its old place. It was made in the
 * same moment: such ones are asked for where they were.
 */
async function followTwins(
  cycle: PulledCycle,
  { repository }: RepositoryMemory,
  candidates: readonly Candidate[],
): Promise<void> {
  const { ledger } = cycle.world;
  const fresh = candidates.filter(({ known, call }) => known === undefined && call === undefined);
  const born = new Set(fresh.map(({ issue }) => issue.issue.createdAt));
  if (born.size === 0) return;
  for (const issue of await ledger.imports.elsewhere(cycle.memory.id, repository.id))
    if (born.has(issue.createdAt)) await askForIssue(cycle, issue);
}

function candidateOf(
  cycle: PulledCycle,
  issue: LabelledIssue,
  known: readonly KnownImport[],
  calls: readonly ToolCall[],
) {
  const ref = refOf(issue.issue);
  const row = known.find((one) => isSameIssue(one.issue, ref));
  // What it is called until it is a post. What is held, parked or discarded of it stands by the name that its repository had then.
  const name = row?.post ?? nameIssue(cycle, ref);
  return { issue, ref, name, known: row, call: calls.find(({ subject }) => subject === issueKey(ref)) };
}

/** Whether the outcome of a call is open, or its post was not found yet. */
function isUnderWay(calls: readonly ToolCall[], issue: IssueRef): boolean {
  const call = calls.find(({ subject }) => subject === issueKey(issue));
  return call !== undefined && call.state !== "PREPARED" && call.state !== "REJECTED";
}

async function judge(
  cycle: PulledCycle,
  { issue, ref, name, known, call }: Candidate,
  settings: ImportSettings,
): Promise<Judgement> {
  const { ledger } = cycle.world;
  if ((await ledger.rows.linkedTo(ref)).length > 0) return "over";
  if (call?.state === "DONE") return known === undefined ? "over" : "waiting";
  if (call?.state === "SENT" || call?.state === "UNKNOWN") {
    if (known?.isParked === false) await noteDoubt(cycle, known, call);
    return "waiting";
  }
  if (ownMark(cycle, issue) !== undefined || whyKept(issue, settings) !== undefined) return "over";
  if (await isElsewhere(cycle, ref)) return "over";
  const why = await whyStrange(cycle, issue, known, settings);
  const address = addressOf(cycle, ref);
  const draft = draftPost(issue, { name, address }, settings);
  const { updatedAt } = issue.issue;
  if (
    known?.title !== draft.title ||
    known.url !== address ||
    known.updatedAt !== updatedAt ||
    known.reason !== why
  ) {
    const { post, title } = draft;
    const facts = { post, issue: ref, title, updatedAt, reason: why, url: address };
    await ledger.commit([{ kind: "store-import", project: cycle.memory.id, ...facts }]);
  }
  if (why !== undefined || known?.isDiscarded) {
    await clearNotes(cycle, await readRow(cycle, draft.post));
    return why === undefined ? "waiting" : "left";
  }
  cycle.course.imports.set(draft.post, issue.issue);
  return draft;
}

/** What was held of it is asked for no more, or is something else by now: but for what has this signature. */
async function clearNotes(cycle: PulledCycle, row: Row | undefined, signature?: string): Promise<void> {
  for (const { kind, action } of row?.notes ?? []) {
    if (row === undefined || kind === "parked" || action === undefined) continue;
    if (signature !== undefined && action.signature === signature) continue;
    const { ledger } = cycle.world;
    await ledger.commit([
      { kind: "note-action", project: cycle.memory.id, post: row.post.id, of: action, notes: [] },
    ]);
  }
}

async function noteDoubt(
  { world: { ledger, clock }, memory }: PulledCycle,
  { post }: KnownImport,
  { unknownAt = clock.now() }: ToolCall,
): Promise<void> {
  const of = { kind: "create-post" } as const;
  const message = wordWait("intent", of.kind);
  const note = { kind: "waiting", cause: "in-doubt", message, since: unknownAt, action: of } as const;
  await ledger.commit([{ kind: "note-action", project: memory.id, post, of, notes: [note] }]);
}

/** Asked once for an issue as it is: who sets a label changes it. */
async function whyStrange(
  cycle: PulledCycle,
  issue: LabelledIssue,
  known: KnownImport | undefined,
  settings: ImportSettings,
): Promise<string | undefined> {
  if (!needsLabeller(issue, settings)) return undefined;
  if (known?.reason !== undefined && known.updatedAt === issue.issue.updatedAt) return known.reason;
  const labellers = await cycle.world.tracker.labellers(issue.issue, cycle.run.bounds);
  return isLabelledByOther(issue, settings, labellers) ? undefined : byStranger;
}

const byStranger =
  "somebody without write access opened it, and nobody else has set its label: `import.fromAnyone` takes it all the same";

/** The actions as the guard sees them. What may stand on the board already is held: a post is made once. */
async function wantAll(cycle: PulledCycle, drafts: readonly CreatePost[]): Promise<readonly Wanted[]> {
  if (drafts.length === 0) return [];
  const { ledger } = cycle.world;
  const posts = await ledger.imports.alike(cycle.memory.id, {
    texts: drafts.flatMap(({ issue }) => addressesOf(cycle, issue)),
    titles: drafts.map(({ title }) => title),
    listedSince: undefined,
  });
  const wanted: Wanted[] = [];
  for (const action of drafts) {
    const row = await readRow(cycle, action.post);
    if (row === undefined) continue;
    const parked = parkedOf(row);
    if (parked.some((refused) => isRefusal(refused, action, cycle.settings, row.post))) continue;
    if (parked.length > 0)
      await ledger.commit([
        { kind: "unpark", project: cycle.memory.id, post: action.post, of: "create-post" },
      ]);
    await clearNotes(cycle, row, approvalSignature(action));
    const standing = findStanding(posts, {
      title: action.title,
      addresses: addressesOf(cycle, action.issue),
    });
    const hold = standing && namedHold(cycle, action, standing.post);
    wanted.push({ ...want(cycle, row, action), hold });
  }
  return wanted;
}

/** A person wants a post made once more of which nobody knows whether it was made. */
export async function retryImport({ world, memory }: PulledCycle, post: PostId): Promise<void> {
  const { ledger, clock } = world;
  const issue = (await ledger.imports.known(memory.id)).find((one) => one.post === post)?.issue;
  if (issue === undefined) return;
  const key = { project: memory.id, purpose: "feedbackCreate", subject: issueKey(issue) } as const;
  if ((await ledger.toolCalls.find(key))?.state !== "UNKNOWN") return;
  const message = "a person wants it made once more";
  await ledger.commit([{ kind: "end-call", ...key, state: "PREPARED", at: clock.now(), message }]);
}

async function dropAll({ world, memory }: PulledCycle, known: readonly KnownImport[]): Promise<void> {
  if (known.length === 0) return;
  await world.ledger.commit(
    known.map(({ post }) => ({ kind: "drop-import", project: memory.id, post }) as const),
  );
}
