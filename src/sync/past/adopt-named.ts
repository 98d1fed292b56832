import type { IssueRecord, IssueRef } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { attemptNow } from "../ground/attempt.ts";
import { type Cycle, nameIssue } from "../ground/cycle-state.ts";
import { takesAsItIs } from "../ground/order.ts";
import { noteError } from "../ground/report.ts";
import { eachDueRow } from "../ground/rows.ts";
import { repositoryNames } from "../ground/world.ts";
import { isMarkedByUs, keepNaming, rememberNamed } from "../read/naming.ts";
import { noteOdd } from "../read/odd.ts";
import { isRecovering } from "../read/old-state.ts";

/**
 * `--adopt` also links issues that people opened and that name the public page of a post in their text: one that has no issue,
 * and that exactly one such issue names. All of the project's repositories are read once for that. Of a state that is lost or
 * old only what carries our mark is linked: that says for certain what belongs together.
 */
export async function adoptNamed(cycle: Cycle): Promise<void> {
  if (!takesAsItIs(cycle.run) || isRecovering(cycle)) return;
  const posts = await addressesOfPosts(cycle);
  if (posts.size === 0) return;
  for (const [post, issues] of await findNaming(cycle, posts)) {
    const [only, ...others] = issues;
    if (only === undefined) continue;
    if (others.length > 0) saySeveral(cycle, post, issues);
    else await adopt(cycle, post, only);
  }
}

/** The posts without an issue, by the address of their page; one that several posts share is nobody's. */
async function addressesOfPosts(cycle: Cycle): Promise<ReadonlyMap<string, PostId>> {
  const { ledger } = cycle.world;
  const found = new Map<string, PostId>();
  const shared = new Set<string>();
  await ledger.commit([{ kind: "mark-due", project: cycle.memory.id, which: "all" }]);
  await eachDueRow(cycle, async (_, row) => {
    const address = (await isFree(cycle, row))
      ? await attemptNow(cycle, row.post.id, async () => addressOf(cycle, row))
      : undefined;
    if (address === undefined) return;
    if (found.has(address)) shared.add(address);
    found.set(address, row.post.id);
  });
  for (const address of shared) found.delete(address);
  return found;
}

/** An issue of its own may be there, or under way, and what a person has unlinked stays so. */
async function isFree({ world, memory }: Cycle, row: Row): Promise<boolean> {
  const { links, missing, unlinkedAt, openIntents, post } = row;
  if (links.length > 0 || missing > 0 || unlinkedAt !== undefined) return false;
  return (
    !openIntents.includes("create-issue") &&
    (await world.ledger.pulls.marked(memory.id, post.id)) === undefined
  );
}

function addressOf({ project: { renderer }, memory, world }: Cycle, { post }: Row): string | undefined {
  const context = { board: world.policy.boardHash, project: memory.id };
  const address = renderer.address(post, context);
  return address === undefined ? undefined : renderer.addressKey(address);
}

async function findNaming(
  cycle: Cycle,
  posts: ReadonlyMap<string, PostId>,
): Promise<ReadonlyMap<PostId, readonly IssueRecord[]>> {
  const { world, run, project } = cycle;
  const found = new Map<PostId, Map<string, IssueRecord>>();
  for (const name of repositoryNames(cycle.settings)) {
    const known = cycle.repositories.get(name);
    if (known?.repository.hasIssues !== true) continue;
    const pages = world.tracker.listIssues(known.repository, { kind: "since", since: undefined }, run.bounds);
    for await (const page of pages) {
      const { issues } = page;
      await keepNaming(cycle, issues);
      await noteOdd(cycle, page);
      for (const record of issues) {
        if (isMarkedByUs(cycle, record)) continue;
        for (const address of project.renderer.listAddresses(record.body)) {
          const post = posts.get(address);
          if (post === undefined) continue;
          const place = `${record.issue.repositoryId}#${record.issue.number}`;
          found.set(post, (found.get(post) ?? new Map()).set(place, record));
        }
      }
    }
    await rememberNamed(cycle, known);
  }
  return new Map([...found].map(([post, records]) => [post, [...records.values()]]));
}

async function adopt(cycle: Cycle, post: PostId, { issue }: IssueRecord): Promise<void> {
  const { ledger, log } = cycle.world;
  const link = { post, issue: refOf(issue), origin: "adopted" } as const;
  await ledger.commit([{ kind: "link", project: cycle.memory.id, link, issue, content: undefined }]);
  cycle.tally.adopted += 1;
  log.info(
    { project: cycle.project.key, post, issue: nameIssue(cycle, issue) },
    "An issue that names the post's page is linked to it",
  );
}

function saySeveral(cycle: Cycle, post: PostId, records: readonly IssueRecord[]): void {
  const names = records.map(({ issue }) => nameIssue(cycle, issue)).join(", ");
  const message = `Several issues name the post's page (${names}), so none was linked. Link the right one with \`boardsync link\`.`;
  noteError(cycle.tally, { post, code: "adopt.several", message });
}

function refOf({ repositoryId, number }: IssueRef): IssueRef {
  return { repositoryId, number };
}
