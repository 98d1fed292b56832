import type { AbsentLink } from "../../ledger/rows.ts";
import { type IssueRef, isSameIssue } from "../../model/issue.ts";
import { isGivenUp, type Parked, type Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { hashText } from "../../plan/ground/hash.ts";
import { absence as absenceOfPost, isInDoubt, parkedOf } from "../../plan/ground/obstacle.ts";
import { select } from "../../select.ts";
import { type Cycle, nameIssue, projectNow } from "../ground/cycle-state.ts";
import { endPrepared } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import { readRow } from "../ground/rows.ts";
import { sayRefused } from "./absences.ts";
import { askForIssue, secondLookMs } from "./follow.ts";

const parkedKind = "read-issue";

/**
 * Takes up `retry` for posts whose issues are absent. Each issue is asked for once more; when none of them is there, their
 * links end, and the post opens another issue like a new one. Beside this a link changes only by a verified transfer, and by a
 * person's `link` or `unlink`.
 */
export async function retryAbsent(cycle: Cycle): Promise<void> {
  const { ledger } = cycle.world;
  for (const request of await ledger.requests.pending(cycle.memory.id)) {
    if (request.kind !== "retry") continue;
    for (const post of request.posts) {
      const absent = (await ledger.absences.ofProject(cycle.memory.id)).filter((link) => link.post === post);
      for (const { issue } of absent) await askForIssue(cycle, issue, true);
      if (absent.length > 0) await retireIfGone(cycle, post);
    }
  }
}

async function retireIfGone(cycle: Cycle, post: PostId): Promise<void> {
  const { ledger, clock, log } = cycle.world;
  const row = await readRow(cycle, post);
  if (row === undefined || isInDoubt(row)) return;
  const place = { project: cycle.memory.id, post };
  // What is still wrong with them is said in this run, too.
  if (!isGivenUp(row)) return ledger.commit([{ ...place, kind: "unpark", of: parkedKind }]);
  const issues = row.links.map(({ link }) => link.issue);
  await ledger.commit([
    { ...place, kind: "end-links", issues, at: clock.now() },
    { ...place, kind: "reopen" },
  ]);
  const names = issues.map((issue) => nameIssue(cycle, issue));
  log.info(
    { project: cycle.project.key, post, issues: names },
    "The post's issues are given up, as a person asked",
  );
}

/**
 * Parks every post whose issues can't be relied on any more, and says so, once. It ends by itself when the issues are there
 * again, or others decide. One 404 parks nothing: what it means is not known yet, and the row is undecided.
 */
export async function parkAbsent(cycle: Cycle): Promise<void> {
  const absent = await cycle.world.ledger.absences.ofProject(cycle.memory.id);
  for (const link of absent) {
    sayRefused(cycle, link);
    sayNotFound(cycle, link);
  }
  for (const [post, links] of Map.groupBy(absent, (link) => link.post)) await parkPost(cycle, post, links);
}

/**
 * Says of a post that its issue was not found, whichever project has asked: in the first run of its own since. What that means is not
 * known yet, so nothing is decided for it.
 */
function sayNotFound(cycle: Cycle, { post, issue: asked, absence }: AbsentLink): void {
  const { lastSuccessAt = 0, doneAt = 0 } = projectNow(cycle);
  if (absence.kind !== "missing" || absence.since <= Math.max(lastSuccessAt, doneAt)) return;
  const issue = nameIssue(cycle, asked);
  const until = new Date(absence.since + secondLookMs).toISOString();
  const message = `${issue} is not found (404), so nothing is decided for its post. The next runs ask again; if it is not found after ${until}, either, it counts as gone: then other issues of the post decide, or the post needs you.`;
  noteError(cycle.tally, { post, issue, code: "tracker.missing", message });
}

async function parkPost(cycle: Cycle, post: PostId, absent: readonly AbsentLink[]): Promise<void> {
  const { ledger, clock } = cycle.world;
  const { id: project } = cycle.memory;
  const row = await readRow(cycle, post);
  if (row === undefined) return;
  const known = parkedOf(row).find(({ action }) => action.kind === parkedKind);
  const trouble = absenceOfPost(row) === undefined ? troubleOf(cycle, row, absent) : undefined;
  if (trouble === undefined) {
    if (known !== undefined) await ledger.commit([{ kind: "unpark", project, post, of: parkedKind }]);
    return;
  }
  await endPrepared(cycle, post, "its issue is not where it was");
  const { issue, code, message } = trouble;
  if (known?.message === message) return;
  const parked: Parked = {
    kind: "parked",
    cause: "issue-gone",
    code,
    message,
    since: clock.now(),
    action: { kind: parkedKind, signature: hashText(message) },
  };
  await ledger.commit([{ kind: "park", project, post, parked }]);
  noteError(cycle.tally, { post, issue, code, message });
}

/** Whether the reason why a row is undecided has been said: an issue of it is absent, or its repository is paused or not read. */
export async function isAbsenceSaid({ world: { ledger }, unread }: Cycle, { links }: Row): Promise<boolean> {
  const said = await select(
    links,
    async ({ link: { issue } }) =>
      unread.has(issue.repositoryId) ||
      (await ledger.absences.of(issue)) !== undefined ||
      ledger.memory.repositoryById(issue.repositoryId)?.pausedAt !== undefined,
  );
  return said.length > 0;
}

/** Why nothing is decided for a post; undefined where other issues of it decide, or where it is not clear yet. */
function troubleOf(cycle: Cycle, row: Row, absent: readonly AbsentLink[]) {
  // The issues without which nothing can be decided.
  const alive = row.links.filter(({ isGone }) => !isGone);
  const deciding = cycle.settings.several === "primary" ? alive.slice(0, 1) : alive;
  const isDeciding = (issue: IssueRef): boolean =>
    deciding.some(({ link }) => isSameIssue(link.issue, issue));
  const moved = absent.find(({ issue, absence }) => absence.kind === "moved" && isDeciding(issue));
  if (moved?.absence.kind === "moved") {
    const issue = nameIssue(cycle, moved.issue);
    const to = `${moved.absence.name}#${moved.absence.to.number}`;
    const message = `${issue} was moved to ${to}, a repository that the config doesn't name, so nothing that hangs on it is written. Name it as \`repo\` or in \`route\` of any project, and the post follows the issue; or move the issue back.`;
    return { issue, code: "tracker.moved", message };
  }
  const [gone] = absent;
  if (deciding.length > 0 || gone === undefined) return undefined;
  const remedy = `\`boardsync retry ${row.post.id}\` opens another issue, if the post is still selected.`;
  const lost = absent.find(({ absence }) => absence.kind === "lost");
  const issue = nameIssue(cycle, (lost ?? gone).issue);
  const message =
    lost === undefined
      ? `${issue} was deleted, or made a discussion (410), so nothing is written to the post. ${remedy}`
      : `${issue} was not found (404), and not ten minutes later: it was deleted, made a discussion, or the token can't see it. Nothing is written to the post until it is found again. If it is gone for good, ${remedy}`;
  return { issue, code: lost === undefined ? "tracker.deleted" : "tracker.missing", message };
}
