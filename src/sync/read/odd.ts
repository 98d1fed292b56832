import type { IssuePage } from "../../tracker/tracker.ts";
import { type Cycle, nameIssue } from "../ground/cycle-state.ts";
import { isLookedAt, noteLooks } from "../ground/looks.ts";
import { keepNaming, readableOf } from "./naming.ts";
import { noteRefused } from "./refused.ts";

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
