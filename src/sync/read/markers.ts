import type { KnownMark, MarkedIssue } from "../../ledger/pulls.ts";
import { type IssueRecord, refOf } from "../../model/issue.ts";
import type { IssuePage } from "../../tracker/tracker.ts";
import { type Cycle, nameIssue } from "../ground/cycle-state.ts";
import { isLookedAt, noteLooks } from "../ground/looks.ts";
import { command } from "../ground/remedy.ts";
import { noteError } from "../ground/report.ts";
import { asOne } from "../ground/rows.ts";
import { findSynced } from "../ground/settings-now.ts";
import { endListed, noteRefused } from "./absences.ts";
import { isSameLogin } from "./identify.ts";
import { type IssueText, keepNaming, readableOf } from "./naming.ts";
import { isFromLaterLife, isScanned, sayOld } from "./old-state.ts";
import { isOurBoard, ownMark, readOtherMarks } from "./other-marks.ts";

/** Two clocks and a list that lags: changes this much older than the cursor are read again. */
export const overlapMs = 120_000;

/** More at once is none of people who change an issue twice in a second: a label was deleted, say, which moves no time. */
const mostDoubts = 10;

/**
 * Stores a page of a list, and notes what of it can't be read. One that contradicts what is known of an issue since the very same second may lag: the issue itself
 * is asked, so that nobody is notified of a state that is over.
 *
 * @throws RemoteError
 */
export async function storePage(
  cycle: Cycle,
  page: Pick<IssuePage, "issues" | "odd">,
  keep: typeof storeRecords = storeRecords,
): Promise<void> {
  const { ledger, tracker } = cycle.world;
  const { issues: records } = page;
  const listed = await ledger.pulls.listed(records.map(({ issue }) => issue));
  const found = records.filter((_, index) => listed[index]?.isInDoubt === true);
  const doubts = found.length > mostDoubts ? [] : found;
  await keep(
    cycle,
    records.filter((record) => !doubts.includes(record)),
  );
  for (const { issue } of doubts) {
    const answer = await tracker.readIssue(issue, cycle.run.bounds);
    if (answer.kind === "found") await keep(cycle, [answer.record]);
    if (answer.kind === "refused") await noteRefused(cycle, issue, answer.error);
  }
  await noteOdd(cycle, page);
}

/**
 * Takes the rows of a list that can't be read, each by itself. A linked issue is unknown until it can be read: every run asks for
 * it. Of any other one it is said once a run that it is left out.
 */
async function noteOdd(cycle: Cycle, page: Pick<IssuePage, "odd">): Promise<void> {
  const { ledger, log, clock } = cycle.world;
  for (const { issue, error } of page.odd ?? []) {
    if ((await ledger.rows.linkedTo(issue, "withDuplicates")).length > 0) {
      await noteRefused(cycle, issue, error);
      continue;
    }
    const name = nameIssue(cycle, issue);
    if (isLookedAt(cycle, `odd ${name}`)) continue;
    noteLooks(cycle, [`odd ${name}`], clock.now());
    log.warn({ issue: name, reason: error.message }, "An issue can't be read: it is left out of this look");
  }
  await keepNaming(cycle, readableOf(page));
}

/**
 * Stores what was read of issues: the facts of linked issues, and whatever carries our marker. A marker that the state can't
 * explain shows that the state is an old copy, and that is written down with it.
 */
export async function storeRecords(cycle: Cycle, records: readonly IssueRecord[]): Promise<void> {
  const marks = await knownMarks(cycle, records);
  await asOne(cycle, async (own) => {
    for (const [record, marked, known] of marks) {
      const isLater = isFromLaterLife(own, record.issue, marked, known);
      // What a rebuild of one project forgets was known all the same: else others would never learn that theirs is old, too.
      const isUnexpected =
        isLater && isScanned(own, record.issue.repositoryId, own.world.ledger.copiedAt ?? 0);
      if (isUnexpected) await sayOld(own, marked);
    }
    await keepRecords(
      own,
      records,
      marks.map(([, marked, known]) => withoutStrange(own, marked, known)),
    );
  });
}

/** Our marks on issues, with what the state knows of each. */
export async function knownMarks(
  cycle: Cycle,
  records: readonly IssueRecord[],
): Promise<readonly (readonly [IssueRecord, MarkedIssue, KnownMark])[]> {
  const marks = records.flatMap((record) =>
    markedBy(cycle, record).map((marked) => [record, marked] as const),
  );
  const known = await cycle.world.ledger.pulls.marks(marks.map(([, marked]) => marked));
  return marks.map(([record, marked], index) => [record, marked, known[index] as KnownMark]);
}

/** The scan takes every mark as it stands: the state may know less than what was written. */
export async function keepRecords(
  cycle: Cycle,
  records: readonly IssueRecord[],
  marked = records.flatMap((record) => markedBy(cycle, record)),
): Promise<void> {
  const issues = records.map(({ issue }) => issue);
  await asOne(cycle, async (own) => {
    await endListed(own, issues);
    await own.world.ledger.commit([
      { kind: "store-issues", issues, marked },
      ...readOtherMarks(cycle, records),
    ]);
  });
  await keepNaming(cycle, records);
}

/**
 * What the mark of a known issue names by now and we have not written there is some person's doing: by it another post would be
 * taken for the issue's own, and its voters are notified of what does not concern them.
 */
function withoutStrange(cycle: Cycle, marked: MarkedIssue, { strange }: KnownMark): MarkedIssue {
  if (strange.length === 0 || !isScanned(cycle, marked.issue.repositoryId)) return marked;
  const issue = nameIssue(cycle, marked.issue);
  // Whoever reads it says it, whichever project it belongs to: that one does not read it again.
  const project = findSynced(cycle.world, marked.project);
  for (const post of project === undefined ? [] : strange) {
    const name = `${project?.key}/${post}`;
    const message = `Somebody has changed the mark of ${issue}: by now it names ${name}, which boardsync did not write there. That is not taken; \`${command("link", name, issue)}\` does it on purpose.`;
    const own = marked.project === cycle.memory.id ? post : undefined;
    noteError(cycle.tally, { post: own, issue, code: "tracker.mark", message });
  }
  return { ...marked, posts: marked.posts.filter((post) => !strange.includes(post)) };
}

/** The marker of an issue, when it is ours: written by our own account or a trusted one, for this board. */
export function markedBy(cycle: Cycle, record: IssueText): readonly MarkedIssue[] {
  const marker = ownMark(cycle, record);
  if (marker === undefined || !isOurBoard(cycle.world.policy, marker.board)) return [];
  const issue = refOf(record.issue);
  const isOwn = isSameLogin(record.author, cycle.account);
  return [{ issue, isOwn, project: marker.project, posts: marker.posts }];
}
