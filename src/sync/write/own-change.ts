import type { RepositoryMemory } from "../../ledger/memory.ts";
import { type Issue, type IssueField, type IssueRef, isSameIssue } from "../../model/issue.ts";
import type { FieldBase, FieldWrite, IssueBases, Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { echoOnPost, echoOnUnseen } from "../../plan/board-rules/echo.ts";
import { applied } from "../../plan/fields/base.ts";
import { withLate } from "../../plan/fields/late.ts";
import { readIssueField } from "../../plan/ground/issue-fields.ts";
import { planRow } from "../../plan/plan.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { retargetOpen, rulesOf } from "../ground/settings-now.ts";

/**
 * Records a change of ours: the issue's facts, the bases of the post that asked for it, and the bases of every post that
 * follows the issue, of whichever project, so that no board is told of it. It belongs into the transaction that ends the
 * intent: after a crash between the two our change would look like one that people made.
 *
 * @param change `issue`: as it is by now.
 */
export async function takeOwnChange(
  cycle: PulledCycle,
  {
    post,
    writes,
    issue,
    repository,
  }: {
    readonly post: PostId;
    readonly writes: readonly FieldWrite<IssueField>[];
    readonly issue: Issue;
    readonly repository: RepositoryMemory;
  },
): Promise<void> {
  const { ledger, clock, policy } = cycle.world;
  const { id: project } = cycle.memory;
  const change = { issue, writes, milestones: repository.milestones };
  const followers = await ledger.rows.linkedTo(issue, "withDuplicates");
  for (const follower of followers)
    if (follower.project === project) await keepFirstPlan(cycle, follower.post);
  await ledger.commit([{ kind: "store-issues", issues: [issue], marked: [] }]);
  for (const follower of followers) {
    const row = await ledger.rows.row(follower.project, follower.post, clock.now());
    const rules = rulesOf(cycle, follower.project);
    if (rules === undefined) continue;
    const late = { seen: rules.seen, patchMs: policy.waits.patchMs };
    const base =
      row === undefined
        ? echoOnUnseen(follower.post, issue, change, rules.settings)
        : echoOnPost(withLate(row, late), change, rules.settings, rules.seen);
    await ledger.commit([
      { kind: "set-bases", project: follower.project, post: follower.post, bases: { base } },
    ]);
    if (row === undefined) continue;
    // So that the target of a PATCH that is under way does not come back with it.
    const aim = (writes: readonly FieldWrite[]) =>
      writes.map((write) => ({ ...write, target: base[write.field]?.target ?? write.target }));
    await ledger.commit(await retargetOpen(cycle.world, follower.project, row, aim));
  }
  const row = await ledger.rows.row(project, post, clock.now());
  if (row === undefined) return;
  await ledger.commit([
    { kind: "set-bases", project, post, bases: { base: {}, issueBases: basesOf(row, issue, writes) } },
  ]);
}

/**
 * Our change gives a base to a pair that has none yet. So what its first plan asks for besides is recorded first: later it
 * would look as if newer rules had asked for it.
 */
async function keepFirstPlan(cycle: PulledCycle, post: PostId): Promise<void> {
  const { ledger, clock } = cycle.world;
  const { id: project } = cycle.memory;
  const row = await ledger.rows.row(project, post, clock.now());
  if (row === undefined || Object.keys(row.base).length > 0) return;
  const { base, issueBases } = planRow(row, await cycle.context(clock.now()));
  await ledger.commit([{ kind: "set-bases", project, post, bases: { base, issueBases } }]);
}

/** The bases of the fields that were written. */
export function basesOf(
  row: Row,
  issue: IssueRef,
  writes: readonly FieldWrite<IssueField>[],
): readonly IssueBases[] {
  const linked = row.links.find(({ link }) => isSameIssue(link.issue, issue));
  if (linked === undefined) return [];
  const base: Partial<Record<IssueField, FieldBase>> = {};
  for (const write of writes) {
    const shown = linked.known && readIssueField(linked.known.issue, write.field);
    base[write.field] = applied(linked.base?.[write.field], write, shown);
  }
  return [{ issue: linked.link.issue, base }];
}
