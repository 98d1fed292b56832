import { type Issue, refOf } from "../../model/issue.ts";
import type { PostId, ToolRecord } from "../../model/post.ts";
import type { CreatePost } from "../../plan/ground/action.ts";
import { draftPost, postArguments, whyKept } from "../../plan/imports/draft.ts";
import { isApproved, issueKey, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { type Asked, auditLink } from "../ground/record.ts";
import { readRow } from "../ground/rows.ts";
import { type Outcome, waitForTurn } from "../ground/verdict.ts";
import { addressOf, isElsewhere } from "../read/import-list.ts";
import { ownMark } from "../read/other-marks.ts";
import { callTool, showsOther } from "./call.ts";
import { doubtOf } from "./create.ts";
import { keepParked } from "./failure.ts";

/**
 * What an issue becomes, as it is now: it is read right before. One that was moved, closed, linked or robbed of its label meanwhile
 * becomes no post.
 *
 * @throws RemoteError
 */
export async function replanImport(cycle: PulledCycle, post: PostId): Promise<Asked<CreatePost> | undefined> {
  const { world, settings, course } = cycle;
  const issue = course.imports.get(post);
  const row = await readRow(cycle, post);
  if (issue === undefined || row === undefined || settings.import === undefined) return undefined;
  const answer = await world.tracker.readIssue(issue, cycle.run.bounds);
  if (answer.kind === "refused") throw answer.error;
  const isWanted =
    answer.kind === "found" &&
    (await world.ledger.rows.linkedTo(issue)).length === 0 &&
    ownMark(cycle, answer.record) === undefined &&
    !(await isElsewhere(cycle, issue)) &&
    whyKept(answer.record, settings.import) === undefined;
  if (!isWanted) {
    await world.ledger.commit([{ kind: "drop-import", project: cycle.memory.id, post }]);
    return undefined;
  }
  const { record } = answer;
  course.imports.set(post, record.issue);
  const action = draftPost(record, { name: post, address: addressOf(cycle, issue) }, settings.import);
  return { row, action };
}

/** Has the board make the post, once, and links it. */
export async function importIssue(cycle: PulledCycle, action: CreatePost): Promise<Outcome> {
  const { settings, memory, world, course } = cycle;
  const issue = course.imports.get(action.post);
  if (settings.import === undefined || issue === undefined) return { kind: "unneeded" };
  // A request from before the state was lost may have made its post, which a list shows only later.
  const doubt = doubtOf(cycle, cycle.pull.beganAt);
  if (doubt !== undefined) return waitForTurn(doubt);
  const { post, title, reason } = action;
  const args = postArguments(action, settings.import, memory.id);
  const repository = world.ledger.memory.repositoryById(issue.repositoryId)?.repository.name ?? "";
  const { answer, outcome } = await callTool(cycle, {
    purpose: "feedbackCreate",
    subject: issueKey(action.issue),
    args,
    reason,
    post,
    name: post,
    tell: { fields: [{ field: "title", value: title }], issue: { repository, number: issue.number } },
    isApproved: isApproved(cycle, post, action.kind),
    whyDoubted: async (record) => {
      const isAnother = record.title !== undefined && !isCalledAlike(record.title, title);
      return isAnother || (await isOfOther(cycle, record.id, title)) ? showsOther : undefined;
    },
    record: (own, record) => takeAnswer(own, issue, record),
  });
  if (answer?.kind === "unknown")
    return { kind: "wait", cause: "in-doubt", why: "it is not known yet whether the post was made" };
  // What the board refused is asked for again when the issue, or the settings, are others.
  if (answer?.kind === "rejected")
    await keepParked(cycle, action, { code: "board.tool", message: answer.message });
  return outcome;
}

/** Whether an answer may name the post of another issue: one that a call has made, or one of that title that is looked for. */
async function isOfOther(
  { world: { ledger }, memory: { id } }: PulledCycle,
  post: string,
  title: string,
): Promise<boolean> {
  if (await ledger.toolCalls.hasMade(id, "feedbackCreate", post)) return true;
  const open = (await ledger.toolCalls.unsettled(id, "feedbackCreate")).filter(
    ({ state }) => state === "UNKNOWN",
  );
  const subjects = new Set(open.map(({ subject }) => subject));
  const known = subjects.size === 0 ? [] : await ledger.imports.known(id);
  return known.some((one) => subjects.has(issueKey(one.issue)) && isCalledAlike(one.title, title));
}

/** Boards cut titles, and trim them. */
function isCalledAlike(one: string, other: string): boolean {
  const [shown, sent] = [one, other].map((title) => title.replaceAll(/\s+/gu, " ").trim().toLowerCase());
  return shown === undefined || sent === undefined || sent.startsWith(shown) || shown.startsWith(sent);
}

/** An answer that names no post, or one that was there before, tells nothing: the post is then looked for by the issue's address. */
async function takeAnswer(cycle: PulledCycle, issue: Issue, record: ToolRecord | undefined): Promise<void> {
  const { ledger, clock } = cycle.world;
  const made = record?.id as PostId | undefined;
  if (made === undefined || (await ledger.rows.row(cycle.memory.id, made, clock.now())) !== undefined) return;
  await linkImported(cycle, issue, made);
}

/** The post that an issue has become is linked to it. What is known of the issue as such stays until a list shows the post. */
export async function linkImported(cycle: PulledCycle, issue: Issue, post: PostId): Promise<void> {
  const { ledger, log } = cycle.world;
  const { id: project } = cycle.memory;
  const ref = refOf(issue);
  await ledger.commit([
    { kind: "link", project, link: { post, issue: ref, origin: "imported" }, issue, content: undefined },
    auditLink(cycle, { post, issue: ref, kind: "link-issue", reason: "the issue has become this post" }),
  ]);
  cycle.tally.made += 1;
  log.info(
    { run: cycle.run.number, project: cycle.project.key, post, issue: nameIssue(cycle, ref) },
    "An issue has become a post",
  );
}
