import type { Change } from "../../ledger/change.ts";
import type { Absence, Issue, IssueRef, Pin } from "../../model/issue.ts";
import { isSameIssue } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { RuleSettings } from "../../plan/ground/settings.ts";
import { awaitOthers } from "../../plan/lost-names.ts";
import { inOrder } from "../../select.ts";
import { asOne } from "../ground/as-one.ts";
import type { Cycle } from "../ground/cycle-state.ts";
import { rulesOf } from "../ground/settings-now.ts";

/*
 * What becomes of the bases of all posts, of whichever project, that follow an issue which is not where it was, or there again: nobody
 * has changed the issue, so nobody is told.
 */

/** @param baseOf the bases of one of them, by its row as it was with the issue there. */
export async function awaitFollowers(
  cycle: Cycle,
  from: IssueRef,
  baseOf: (row: Row, pins: readonly Pin[], settings: RuleSettings) => Row["base"],
): Promise<readonly Change[]> {
  const { ledger, clock } = cycle.world;
  // Rows show nothing of an issue that was missing before.
  await ledger.commit([{ kind: "set-absence", issue: from, absence: undefined }]);
  const changes = await inOrder(
    await ledger.rows.linkedTo(from, "withDuplicates"),
    async ({ project, post }): Promise<readonly Change[]> => {
      const row = await ledger.rows.row(project, post, clock.now());
      const rules = rulesOf(cycle, project);
      if (row === undefined || rules === undefined) return [];
      const base = baseOf(row, await ledger.signals.pins(project), rules.settings);
      return [{ kind: "set-bases", project, post, bases: { base } }];
    },
  );
  return changes.flat();
}

/** Takes down what became of an issue, or that it is there again (undefined). What is stored of it stays what it was last. */
export async function setAbsence(
  cycle: Cycle,
  issue: IssueRef,
  known: Absence | undefined,
  absence: Absence | undefined,
): Promise<void> {
  const outcome = isGone(absence) ? "gone" : "back";
  await asOne(cycle, async (own) => {
    const changes =
      isGone(absence) === isGone(known)
        ? []
        : await awaitFollowers(own, issue, (row, _, settings) => awaitOthers(row, issue, settings, outcome));
    await own.world.ledger.commit([{ kind: "set-absence", issue, absence }, ...changes]);
  });
}

/** Whether the other issues of its posts decide. */
function isGone(absence: Absence | undefined): boolean {
  return absence?.kind === "deleted" || absence?.kind === "lost";
}

/** Takes down which of the issues that are shown were not found before. What was deleted or moved no list brings back: lists lag. */
export async function endListed(cycle: Cycle, shown: readonly Issue[]): Promise<void> {
  const { absences } = cycle.world.ledger;
  for (const repositoryId of new Set(shown.map((one) => one.repositoryId))) {
    for (const { issue, absence } of await absences.ofRepository(repositoryId, "withDuplicates")) {
      const isShown = shown.some((one) => isSameIssue(one, issue));
      if (absence.kind === "lost" && isShown) await setAbsence(cycle, issue, absence, undefined);
    }
  }
}
