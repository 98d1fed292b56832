import { ProjectError } from "../../errors.ts";
import type { PersonRequest } from "../../ledger/orders.ts";
import {
  type Issue,
  type IssueRecord,
  type IssueRef,
  isSameIssue,
  isSameRepository,
  type RepositoryName,
} from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { contentNow } from "../decide/adopt.ts";
import { isOpen, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { laneOf, laneOfIssue } from "../ground/lane.ts";
import { auditLink, endPrepared, recordAdopted, recordRow } from "../ground/record.ts";
import { attempt, noteError } from "../ground/report.ts";
import { asOne, changesOf, readRow } from "../ground/rows.ts";
import { takeAnswer } from "../read/follow.ts";
import { storeRecords } from "../read/markers.ts";
import { asProjectError, findRepository } from "../read/repositories.ts";
import { readNow } from "../read/signals/pull-signals.ts";

type LinkRequest = Extract<PersonRequest, { kind: "link" }>;
type UnlinkRequest = Extract<PersonRequest, { kind: "unlink" }>;

/**
 * Takes up `link` and `unlink`: the only ways, beside a verified transfer and `retry` of a lost issue, in which a link
 * changes. Both sides are taken as they are, so nothing is written for what differs. While it is not known what became of a
 * write to the post, what people ask for waits: that outcome would otherwise be recorded over it.
 */
export async function takeLinks(cycle: PulledCycle): Promise<void> {
  const { ledger, log } = cycle.world;
  const waiting = new Set<PostId>();
  for (const request of await ledger.requests.pending(cycle.memory.id)) {
    if (request.kind !== "link" && request.kind !== "unlink") continue;
    const { id, kind, post } = request;
    const row = await readRow(cycle, post);
    const isWaiting = waiting.has(post) || (row !== undefined && row.openIntents.length > 0);
    if (!isWaiting) await takeOne(cycle, request, row);
    // What is asked for later rests on what was asked for before.
    if (!(await ledger.requests.pending(cycle.memory.id)).some((left) => left.id === id)) continue;
    waiting.add(post);
    log.info(
      { project: cycle.project.key, request: kind, post },
      "A person's request waits for the next run",
    );
  }
}

async function takeOne(
  cycle: PulledCycle,
  request: LinkRequest | UnlinkRequest,
  row: Row | undefined,
): Promise<void> {
  if (request.kind === "unlink")
    return row === undefined ? endRequest(cycle, request) : unlink(cycle, request, row);
  if (row === undefined) {
    // If the list was whole, the board does not have the post.
    if (cycle.pull.kind === "incomplete") return;
    const why = "the board does not list this post. Look at its id (`boardsync status` shows others).";
    await refuse(cycle, request, "link.post", why);
  } else if (isOpen(cycle, laneOf(cycle.world, request.repository)))
    await attempt(cycle, request.post, () => takeLink(cycle, request, row));
}

function endRequest({ world }: PulledCycle, { id: request }: LinkRequest | UnlinkRequest): Promise<void> {
  return world.ledger.commit([{ kind: "end-request", request }]);
}

/** The issue is read at once: what is linked has to be there, in a repository whose changes are read. */
async function takeLink(cycle: PulledCycle, request: LinkRequest, row: Row): Promise<void> {
  const { world, run } = cycle;
  const repository = await findNamed(cycle, request.repository);
  if (repository instanceof ProjectError) return refuse(cycle, request, repository.code, repository.message);
  const issue: IssueRef = { repositoryId: repository.repository.id, number: request.number };
  const answer = await world.tracker.readIssue(issue, run.bounds);
  // The request stays, and the next run asks again.
  if (answer.kind === "refused") throw answer.error;
  if (answer.kind === "found") {
    await readOtherIssues(cycle, row, issue);
    await readNow(cycle, answer.record.issue);
    await link(cycle, request, answer.record);
  } else {
    const why =
      answer.kind === "moved"
        ? `it was moved to ${answer.to}#${answer.record.issue.number}: link that one`
        : "there is no such issue that the token can see; it may be a pull request";
    await refuse(cycle, request, "link.missing", `${why}.`);
  }
}

/** Reads the post's other issues now: what a list that lags shows of them later would look like a change. */
async function readOtherIssues(cycle: PulledCycle, { links }: Row, issue: IssueRef): Promise<void> {
  const { tracker } = cycle.world;
  for (const { link: other, isGone } of links) {
    if (isGone || isSameIssue(other.issue, issue) || !isOpen(cycle, laneOfIssue(cycle.world, other.issue)))
      continue;
    await takeAnswer(cycle, other.issue, await tracker.readIssue(other.issue, cycle.run.bounds));
  }
}

async function findNamed({ world, run }: PulledCycle, name: RepositoryName) {
  if (!world.policy.repositories.some((named) => isSameRepository(named, name))) {
    return new ProjectError("link.repository", `the config no longer names ${name}.`);
  }
  try {
    return await findRepository({ world, run }, name);
  } catch (error) {
    return asProjectError(error);
  }
}

async function refuse(cycle: PulledCycle, request: LinkRequest, code: string, why: string): Promise<void> {
  const { post, repository, number } = request;
  const issue = `${repository}#${number}`;
  await endRequest(cycle, request);
  const message = `The post was not linked to ${issue}, and nothing was written: ${why}`;
  noteError(cycle.tally, { post, issue, code, message });
}

/**
 * The base is the issue as it was when the person asked. What has happened to the issue since is a change like any other.
 */
async function link(cycle: PulledCycle, request: LinkRequest, record: IssueRecord): Promise<void> {
  const { post, issue: asked, by } = request;
  const { id: project } = cycle.memory;
  const { repositoryId, number } = record.issue;
  const issue: IssueRef = { repositoryId, number };
  const row = await readRow(cycle, post);
  const isKnown = row?.links.some((known) => isSameIssue(known.link.issue, issue));
  await asOne(cycle, async (own) => {
    const { ledger } = own.world;
    await endRequest(own, request);
    if (isKnown === true) return;
    // What its mark tells of the state is judged without the new link.
    const facts = await changesOf(cycle, (before) => storeRecords(before, [record]));
    await endPrepared(own, post, "a person changed the post's links");
    const seen = asked !== undefined && isSameIssue(asked, issue) ? asked : record.issue;
    const link = { post, issue, origin: "adopted" } as const;
    await ledger.commit([
      { kind: "unpark", project, post, of: "create-issue" },
      { kind: "unpark", project, post, of: "read-issue" },
      { kind: "link", project, link, issue: seen, content: undefined },
    ]);
    await takeBackText(own, post, issue);
    await takeAsTheyAre(own, post, seen);
    await ledger.commit(facts);
    const reason = `a person linked it${sayBy(by)}`;
    await ledger.commit([auditLink(own, { post, issue, kind: "link-issue", reason })]);
    own.tally.adopted += 1;
  });
  if (isKnown !== true) logLinks(cycle, post, [issue], "A post is linked to an issue, as a person asked");
}

/** An issue that boardsync opened for this very post follows it again, unless it has another post's text by now. */
async function takeBackText(cycle: PulledCycle, post: PostId, issue: IssueRef): Promise<void> {
  const { ledger, clock } = cycle.world;
  const { id: project } = cycle.memory;
  const marked = await ledger.pulls.marked(project, post);
  const isOurs = marked?.isOwn === true && marked.isFirst && isSameIssue(marked.issue, issue);
  const row = await readRow(cycle, post);
  if (!isOurs || row === undefined || (await ledger.rows.hasContent(issue))) return;
  await ledger.commit([
    { kind: "set-content", project, post, issue, content: await contentNow(cycle, row, clock.now()) },
  ]);
}

async function unlink(cycle: PulledCycle, request: UnlinkRequest, row: Row): Promise<void> {
  const { at, post, issues, by } = request;
  const ended = issues.filter((issue) => row.links.some((known) => isSameIssue(known.link.issue, issue)));
  const { id: project } = cycle.memory;
  const place = { project, post };
  const repositories = new Set(ended.map(({ repositoryId }) => repositoryId));
  await asOne(cycle, async (own) => {
    const { ledger } = own.world;
    await endRequest(own, request);
    await endPrepared(own, post, "a person changed the post's links");
    await ledger.commit([
      { ...place, kind: "unpark", of: "read-issue" },
      { ...place, kind: "end-links", issues: ended, at },
      // One of them may be to become a post of its own (`import`), and its list has not changed.
      ...[...repositories].map(
        (repository) => ({ kind: "note-import-list", project, repository, by: "", etag: undefined }) as const,
      ),
    ]);
    await takeAsTheyAre(own, post);
    const reason = `a person unlinked it${sayBy(by)}`;
    await ledger.commit(ended.map((issue) => auditLink(own, { post, issue, kind: "unlink-issue", reason })));
  });
  if (ended.length > 0) logLinks(cycle, post, ended, "A post's link is ended, as a person asked");
}

/**
 * Of a post without any issue there is nothing to take; it is decided as such.
 *
 * @param seen - an issue as it is to be taken; what the state knows of it may be newer.
 */
async function takeAsTheyAre(cycle: PulledCycle, post: PostId, seen?: Issue): Promise<void> {
  const { clock } = cycle.world;
  const now = clock.now();
  const row = await readRow(cycle, post);
  if (row === undefined || row.links.length === 0) await recordRow(cycle, post);
  // It stays due: its text may have another issue, or other posts beside it.
  else await recordAdopted(cycle, seen === undefined ? row : withIssue(row, seen), now, "now");
}

function withIssue(row: Row, issue: Issue): Row {
  const links = row.links.map((linked) =>
    linked.known !== undefined && isSameIssue(linked.link.issue, issue)
      ? { ...linked, known: { ...linked.known, issue } }
      : linked,
  );
  return { ...row, links };
}

function sayBy(by: PersonRequest["by"]): string {
  return by === "page" ? " on the page" : "";
}

function logLinks(cycle: PulledCycle, post: PostId, issues: readonly IssueRef[], message: string): void {
  const names = issues.map((issue) => nameIssue(cycle, issue));
  cycle.world.log.info({ project: cycle.project.key, post, issues: names }, message);
}
