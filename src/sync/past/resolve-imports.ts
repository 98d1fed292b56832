import type { ToolCall } from "../../ledger/journal.ts";
import type { KnownImport } from "../../ledger/pulls.ts";
import { bareIssue, type IssueRef, refOf } from "../../model/issue.ts";
import type { AlikePost, PostId } from "../../model/post.ts";
import { findAlike, newcomers } from "../../plan/imports/alike.ts";
import { issueKey, type PulledCycle } from "../ground/cycle-state.ts";
import { isPreview } from "../ground/order.ts";
import { command } from "../ground/remedy.ts";
import { attempt, noteError } from "../ground/report.ts";
import { asOne } from "../ground/rows.ts";
import { takeAnswer } from "../read/follow.ts";
import { addressesOf } from "../read/import-list.ts";
import { mostCalls } from "../write/call.ts";
import { linkImported } from "../write/import.ts";

/**
 * Finds the posts that issues have become where no answer told which: by the issue's address in the text. One that a list shows is
 * taken at once; that there is none counts only in a whole list that was begun after `waits.create` and shows no post that is new and
 * nobody's: people may have written it anew. Then the post is made once more. Where one may be it, nobody knows, and a person has to
 * say.
 */
export async function resolveImports(cycle: PulledCycle): Promise<void> {
  const { ledger } = cycle.world;
  const calls = (await ledger.toolCalls.list(cycle.memory.id, "feedbackCreate")).filter(
    ({ state }) => state === "UNKNOWN" || state === "DONE",
  );
  if (calls.length === 0) return;
  const known = await ledger.imports.known(cycle.memory.id);
  const absent: Looking[] = [];
  for (const call of calls) {
    const row = known.find(({ issue }) => issueKey(issue) === call.subject);
    // What is done and has no row any more is linked, or was taken apart by a person.
    if (row === undefined && call.state === "DONE") continue;
    const issue = row?.issue ?? issueOf(call);
    const looking = { cycle, call, issue, row };
    await attempt(cycle, postOf(looking), async () => {
      if (await isAbsent(looking)) absent.push(looking);
    });
  }
  // What is another call's is known by now.
  for (const looking of absent) await attempt(cycle, postOf(looking), () => takeAbsent(looking));
}

function postOf({ row, call }: Looking): PostId {
  return row?.post ?? (call.subject as PostId);
}

/** A call whose post is looked for, and the issue that the post is made of. */
interface Looking {
  readonly cycle: PulledCycle;
  readonly call: ToolCall;
  readonly issue: IssueRef;
  /** What is known of the issue; undefined once it is linked, or was taken apart. */
  readonly row: KnownImport | undefined;
}

function issueOf({ subject }: ToolCall): IssueRef {
  const [repositoryId, number] = subject.split("#").map(Number);
  return { repositoryId: repositoryId ?? 0, number: number ?? 0 };
}

/** Takes what the list shows of it; says whether nothing does, and something had to by now. */
async function isAbsent(looking: Looking): Promise<boolean> {
  const { cycle, call, issue, row } = looking;
  const { ledger } = cycle.world;
  const { id: project } = cycle.memory;
  const linked = (await ledger.rows.linkedTo(issue)).find((one) => one.project === project);
  if (linked !== undefined) {
    if (call.result === linked.post) await takeMade(looking, linked.post);
    else await end(looking, linked.post, "a person linked the post");
    return false;
  }
  const asked = {
    title: row?.title ?? "",
    addresses: [...new Set([...addressesOf(cycle, issue), ...(row === undefined ? [] : [row.url])])],
    at: askedAt(call),
  };
  const posts = await ledger.imports.alike(project, {
    texts: asked.addresses,
    titles: asked.title === "" ? [] : [asked.title],
    listedSince: undefined,
  });
  const found = findAlike(posts, asked);
  if (found.kind === "found") await takeFound(looking, found.post);
  else if (found.kind === "doubt") await sayUnsure(looking, sayDoubt(found.posts));
  return found.kind === "none" && hasRested(cycle, call);
}

/** The board has told which post it made: nobody knows whether that is so until a list shows it. */
async function takeMade(looking: Looking, post: PostId): Promise<void> {
  const { cycle, call, row } = looking;
  const { ledger, clock } = cycle.world;
  const { id: project } = cycle.memory;
  const made = await ledger.rows.row(project, post, clock.now());
  if (made?.seenAt === undefined) {
    if (hasRested(cycle, call)) await sayUnsure(looking, `${notListed}: ${post} is not there`);
  } else if (row !== undefined) await ledger.commit([{ kind: "drop-import", project, post: row.post }]);
}

function askedAt({ sentAt, preparedAt }: ToolCall): number {
  return sentAt ?? preparedAt;
}

/** What was sent is in effect by now, and the list of this run was begun after that. */
function hasRested({ world, pull }: PulledCycle, { unknownAt, endedAt, sentAt }: ToolCall): boolean {
  const since = unknownAt ?? endedAt ?? sentAt ?? 0;
  return pull.kind === "complete" && pull.beganAt >= since + world.policy.waits.createMs;
}

async function takeFound(looking: Looking, { post }: AlikePost): Promise<void> {
  const { cycle, issue, row } = looking;
  const answer = await cycle.world.tracker.readIssue(issue, cycle.run.bounds);
  if (answer.kind === "refused") throw answer.error;
  // Wherever the issue has gone, its post has come. Until it is known where that is, nothing is decided for it.
  const facts =
    answer.kind === "found"
      ? answer.record.issue
      : bareIssue({ ...refOf(issue), updatedAt: row?.updatedAt ?? "" });
  await asOne(cycle, async (own) => {
    await linkImported(own, facts, post);
    await end({ ...looking, cycle: own }, post, "found by the issue's address in its text");
    if (answer.kind === "found") return;
    const absence = { kind: "missing", since: cycle.world.clock.now() } as const;
    await own.world.ledger.commit([{ kind: "set-absence", issue, absence }]);
  });
  if (answer.kind !== "found") await takeAnswer(cycle, issue, answer);
}

async function end({ cycle, call, row }: Looking, post: PostId, message: string): Promise<void> {
  const { project, purpose, subject, state } = call;
  const { ledger, clock } = cycle.world;
  const key = { project, purpose, subject };
  await ledger.commit([
    ...(state === "DONE"
      ? []
      : [{ kind: "end-call", ...key, state: "DONE", at: clock.now(), message, result: post, post } as const]),
    ...(row === undefined ? [] : [{ kind: "drop-import", project, post: row.post } as const]),
  ]);
}

async function takeAbsent(looking: Looking): Promise<void> {
  const { cycle, call } = looking;
  const { ledger, clock } = cycle.world;
  const { project, purpose, subject, state } = call;
  const { seen, posts } = cycle.pull;
  if (state === "DONE") return sayUnsure(looking, notListed);
  // What is seen of an empty list is what earlier ones have shown.
  if (posts === 0 && seen.size > 0) return sayUnsure(looking, emptied);
  if (posts > 0 && !(seen.has("description") && seen.has("title"))) return sayUnsure(looking, notShown);
  const at = askedAt(call);
  const wish = { texts: [], titles: [], listedSince: at };
  const fresh = newcomers(await ledger.imports.alike(project, wish), {
    at,
    restMs: cycle.world.policy.waits.createMs,
  });
  if (fresh.length > 0) return sayUnsure(looking, sayDoubt(fresh));
  if (call.attempts >= mostCalls)
    return sayUnsure(looking, `${call.attempts} calls got no answer, and made none`);
  const message = "no post of a whole list names the issue; it is made once more";
  await ledger.commit([
    { kind: "end-call", project, purpose, subject, state: "PREPARED", at: clock.now(), message },
  ]);
}

const notListed = "the board said that it made the post, and does not list it";
const emptied = "the board lists no posts any more, and it did before";
const notShown = "the board lists posts without their texts, so none can be recognised";

function sayDoubt(posts: readonly AlikePost[]): string {
  const [first] = posts;
  const others = posts.length > 1 ? ` or one of ${posts.length - 1} more` : "";
  return `it may be ${first?.post ?? ""}${others}`;
}

/** Parked, so that it is shown until a person says what it is. */
async function sayUnsure({ cycle, call, row }: Looking, why: string): Promise<void> {
  const { subject, state } = call;
  const { ledger, clock } = cycle.world;
  if (row === undefined || row.isParked || isPreview(cycle.run)) return;
  const { key } = cycle.project;
  const link = command("link", `${key}/POST`, row.post);
  const again = state === "DONE" ? "" : `; \`${command("retry", `${key}/${row.post}`)}\` makes another one`;
  const message = `It can't be found out which post ${row.post} has become, if any: ${why}. \`${link}\` links it${again}.`;
  const parked = {
    kind: "parked",
    cause: "unsure",
    code: "board.unsure",
    message,
    since: clock.now(),
    action: { kind: "create-post", signature: `unsure ${subject}` },
  } as const;
  const { id: project } = cycle.memory;
  await ledger.commit([
    // It waits for no look any more.
    { kind: "note-action", project, post: row.post, of: { kind: "create-post" }, notes: [] },
    { kind: "park", project, post: row.post, parked },
  ]);
  noteError(cycle.tally, { post: row.post, code: "board.unsure", message });
}
