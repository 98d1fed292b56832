import type { RemoteError } from "../../errors.ts";
import type { Change } from "../../ledger/change.ts";
import type { AbsentLink } from "../../ledger/rows.ts";
import { type Absence, type Issue, type IssueRef, isSameIssue, type Pin } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { RuleSettings } from "../../plan/ground/settings.ts";
import { awaitOthers } from "../../plan/lost-names.ts";
import { inOrder } from "../../select.ts";
import { type Cycle, nameIssue } from "../ground/cycle-state.ts";
import { noteError } from "../ground/report.ts";
import { asOne } from "../ground/rows.ts";
import { rulesOf } from "../ground/settings-now.ts";

/*
 * What the state knows of issues that are not where they were, or not shown. Where others decide instead, or one is there again, the
 * bases of all posts that follow it, of whichever project, are laid anew: nobody has changed the issue, so nobody is told.
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
