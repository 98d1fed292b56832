import type { RemoteError } from "../../errors.ts";
import type { AbsentLink } from "../../ledger/rows.ts";
import type { IssueRef } from "../../model/issue.ts";
import { type Cycle, nameIssue } from "../ground/cycle-state.ts";
import { noteError } from "../ground/report.ts";

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
  noteError(cycle.tally, {
    ...{ post, issue: name, code: error?.code ?? "tracker.refused", message },
    ...{ detail: error?.detail, retryAt: error?.retryAt },
  });
}

function refusalKey({ repositoryId, number }: IssueRef): string {
  return `refusal of issue ${repositoryId}#${number}`;
}
