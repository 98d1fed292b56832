import type { RemoteError } from "../../errors.ts";
import type { AbsentLink } from "../../ledger/rows.ts";
import type { IssueRef } from "../../model/issue.ts";
import type { IssuePage } from "../../tracker/tracker.ts";
import { type Cycle, nameIssue } from "../ground/cycle-state.ts";
import { isLookedAt, noteLooks } from "../ground/looks.ts";
import { noteError } from "../ground/report.ts";
import { keepNaming, readableOf } from "./naming.ts";

/**
 * An issue is not shown to us now. Its posts wait, and it is asked for again by every run until it is shown; nothing else goes
 * without. What is known to be elsewhere, or gone, stays so.
 */
export async function noteRefused(cycle: Cycle, issue: IssueRef, error: RemoteError): Promise<void> {
  const { ledger, clock } = cycle.world;
  const since = clock.now();
  // Other projects of this run have posts of it, too, and do not ask.
  cycle.run.looks.set(refusalKey(issue), { run: cycle.run.number, at: since, error });
  if ((await ledger.absences.of(issue)) !== undefined) return;
  await ledger.commit([{ kind: "set-absence", issue, absence: { kind: "refused", since } }]);
}

/** Says it of a post, in every run for as long as it is so. */
export function sayRefused(cycle: Cycle, { post, issue, absence }: AbsentLink): void {
  if (absence.kind !== "refused") return;
  const name = nameIssue(cycle, issue);
  const error = cycle.run.looks.get(refusalKey(issue))?.error as RemoteError | undefined;
  const why = error?.message ?? "GitHub does not show it now.";
  const message = `${name} can't be read, so nothing is decided for its post; every run asks again. ${why}`;
  noteError(cycle.tally, error ?? { code: "tracker.refused", message }, { post, issue: name, message });
}

function refusalKey({ repositoryId, number }: IssueRef): string {
  return `refusal of issue ${repositoryId}#${number}`;
}

/**
 * Takes the rows of a list that can't be read, each by itself. A linked issue is unknown until it can be read: every run asks for
 * it. Of any other one it is said once a run that it is left out.
 */
export async function noteOdd(cycle: Cycle, page: Pick<IssuePage, "odd">): Promise<void> {
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
