import type { Ledger } from "../../ledger/ledger.ts";
import type { FoundMarker } from "../../ledger/pulls.ts";
import { type Issue, type IssueRef, isSameIssue, refOf } from "../../model/issue.ts";
import type { ContentBase, FieldWrite, Row } from "../../model/link.ts";
import { retargetNow } from "../../plan/rules/rebase.ts";
import { inOrder } from "../../select.ts";
import { nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { planNow, recordAdopted } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import { readRow, type ShowLinks } from "../ground/rows.ts";
import { retargetOpen } from "../ground/settings-now.ts";

/** `--adopt`: both sides as they are. A post that still wants an issue stays due, so that the next sync opens it. */
export async function adoptOrdered(cycle: PulledCycle, row: Row, now: number): Promise<void> {
  const { world, memory, settings } = cycle;
  const aim = (writes: readonly FieldWrite[]) => retargetNow(row, writes, settings);
  await world.ledger.commit(await retargetOpen(world, memory.id, row, aim));
  const wants = (await planNow(cycle, row, now)).actions.some(({ kind }) => kind === "create-issue");
  await recordAdopted(cycle, row, now, wants ? "now" : undefined);
}

/**
 * Links the issue that carries our marker for a post, if there is one, and takes both sides as they are: whatever the post
 * looks like now, it has its issue already. Returns whether there was one.
 */
export async function adoptMarked(
  cycle: PulledCycle,
  row: Row,
  now: number,
  showLinks: ShowLinks,
): Promise<boolean> {
  const { ledger } = cycle.world;
  const { id: project } = cycle.memory;
  const found = await ledger.pulls.marked(project, row.post.id);
  if (found === undefined) return false;
  await sayDuplicates(cycle, row, found);
  // An issue whose opening is in doubt is taken as opened, once that is resolved.
  if (row.links.length > 0 || row.openIntents.includes("create-issue")) return false;
  if (row.unlinkedAt !== undefined) return false;
  const issue = refOf(found.issue);
  await showLinks(issue);
  const link = { post: row.post.id, issue, origin: "adopted" } as const;
  const hasText = found.isOwn && found.isFirst && !(await ledger.rows.hasContent(issue));
  await ledger.commit([
    {
      kind: "link",
      project,
      link,
      issue: found.issue,
      content: hasText ? await contentNow(cycle, row, now) : undefined,
    },
  ]);
  cycle.tally.adopted += 1;
  const linked = await readRow(cycle, row.post.id);
  if (linked !== undefined) await recordAdopted(cycle, linked, now);
  return true;
}

/** Said whenever the row is up for a decision, until people have closed what is too many. Nothing is closed by itself. */
async function sayDuplicates(cycle: PulledCycle, row: Row, found: FoundMarker): Promise<void> {
  const used = row.links[0]?.link.issue ?? refOf(found.issue);
  const names = (await findOthers(cycle.world.ledger, row, found)).map((issue) => nameIssue(cycle, issue));
  if (names.length === 0) return;
  const [verb, them] = names.length === 1 ? ["carries", "it"] : ["carry", "them"];
  noteError(cycle.tally, {
    post: row.post.id,
    issue: nameIssue(cycle, used),
    code: "tracker.duplicate",
    message: `${names.join(", ")} ${verb} the mark of this post, too; this one is used. Close ${them} by hand.`,
  });
}

/**
 * The issues of a post that are too many: open, not linked, and not the one that will be. An issue keeps its time of creation
 * when it is moved to another repository, so there the same one is never taken for two.
 */
export async function findOthers(
  { absences }: Pick<Ledger, "absences">,
  row: Row,
  { issue, others }: FoundMarker,
): Promise<readonly Issue[]> {
  const places = await inOrder(row.links, async ({ link, known }) => {
    const absence = await absences.of(link.issue);
    return [known?.issue ?? link.issue, ...(absence?.kind === "moved" ? [absence.to] : [])];
  });
  const linked: readonly (Issue | IssueRef)[] = places.flat();
  const used = linked.length > 0 ? linked : [issue];
  const isUsed = (other: Issue): boolean =>
    used.some(
      (known) =>
        isSameIssue(known, other) ||
        ("createdAt" in known &&
          known.createdAt === other.createdAt &&
          known.repositoryId !== other.repositoryId),
    );
  return [issue, ...others].filter((other) => other.state === "open" && !isUsed(other));
}

/**
 * The text of an issue that we opened follows its post from here on. It counts as written as the post is now: where the
 * issue says something else, people may have edited it, and the next update finds that out before it writes.
 */
export async function contentNow(cycle: PulledCycle, row: Row, now: number): Promise<ContentBase> {
  const { titleHash, blockHash } = (await cycle.context(now)).render(row.post, []);
  return { titleHash, blockHash };
}
