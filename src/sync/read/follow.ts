import { ProjectError, RemoteError } from "../../errors.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { Absence, IssueRecord, IssueRef, RepositoryName } from "../../model/issue.ts";
import { isSameRepository } from "../../model/issue.ts";
import { minuteMs } from "../../model/time.ts";
import { awaitDropped } from "../../plan/lost-names.ts";
import type { IssueAnswer } from "../../tracker/tracker.ts";
import { type Cycle, nameIssue } from "../ground/cycle-state.ts";
import { auditLink } from "../ground/record.ts";
import { asOne } from "../ground/rows.ts";
import type { World } from "../ground/world.ts";
import { awaitFollowers, noteRefused, setAbsence } from "./absences.ts";
import { storeRecords } from "./markers.ts";
import { findRepository } from "./repositories.ts";

/** A second 404 that comes sooner than this after the first one proves nothing more. */
export const secondLookMs = 10 * minuteMs;

/** An issue that was asked for by itself, and what was known of its absence before. */
interface Looked {
  readonly cycle: Cycle;
  readonly asked: IssueRef;
  readonly known: Absence | undefined;
}

/** Asks for an issue by itself, and takes the answer. */
export async function askForIssue(cycle: Cycle, issue: IssueRef, isOrdered = false): Promise<void> {
  const { tracker } = cycle.world;
  await takeAnswer(cycle, issue, await tracker.readIssue(issue, cycle.run.bounds), isOrdered);
}

/**
 * Takes what the tracker says of a linked issue that was asked for by itself. Nothing is concluded from its absence in a
 * list; only what is said of itself counts.
 *
 * @param isOrdered a person has said that it may be given up: one 404 is then enough.
 */
export async function takeAnswer(
  cycle: Cycle,
  asked: IssueRef,
  answer: IssueAnswer,
  isOrdered = false,
): Promise<void> {
  const { ledger, clock } = cycle.world;
  const now = clock.now();
  const known = await ledger.absences.of(asked);
  const looked: Looked = { cycle, asked, known };
  switch (answer.kind) {
    case "found":
      await asOne(cycle, async (own) => {
        if (known !== undefined) await setAbsence(own, asked, known, undefined);
        await storeRecords(own, [answer.record]);
      });
      return;
    case "gone":
      return noteAbsence(looked, { kind: "deleted", since: now });
    case "missing":
      return noteAbsence(looked, missingNow(known, now, isOrdered));
    case "refused":
      return noteRefused(cycle, asked, answer.error);
    case "moved":
      return takeMoved(looked, answer);
  }
}

/** What is known to be elsewhere, or gone, is not less so because it is not shown. */
function missingNow(known: Absence | undefined, now: number, isOrdered: boolean): Absence {
  if (known !== undefined && known.kind !== "missing") return known;
  const isSecond = known !== undefined && now - known.since >= secondLookMs;
  return isSecond || isOrdered
    ? { kind: "lost", since: now }
    : { kind: "missing", since: known?.since ?? now };
}

/**
 * A transfer is followed to any repository that the config names, also of another project: its issues are read, the token
 * may write there, and people who move an issue to their other repository expect its post to follow. Elsewhere nothing of
 * it would be read again, so neither side is written.
 */
async function takeMoved(
  looked: Looked,
  { record, to }: IssueAnswer & { readonly kind: "moved" },
): Promise<void> {
  const { cycle, asked } = looked;
  const { repositoryId, number } = record.issue;
  const since = cycle.world.clock.now();
  const moved = { kind: "moved", since, to: { repositoryId, number }, name: to } as const;
  const repository = await configuredRepository(cycle, record.issue, to).catch(asRefusal);
  if (repository instanceof RemoteError) await noteRefused(cycle, asked, repository);
  else if (repository === undefined) await noteAbsence(looked, moved);
  else await follow(looked, record, moved);
}

/** Where it has gone may not be asked for now; that concerns this issue alone. */
function asRefusal(error: unknown): RemoteError {
  if (error instanceof RemoteError && error.concerns === "asked") return error;
  throw error;
}

/**
 * A transferred issue shows up in a list of its new repository, with our mark in it, long before the next full look. Then its
 * old place is asked where it went: that answer counts, the mark alone does not.
 */
export async function followMarked(cycle: Cycle): Promise<void> {
  for (const issue of await cycle.world.ledger.absences.suspects(cycle.memory.id))
    await askForIssue(cycle, issue);
}

/**
 * Asks again for issues that were moved to a repository that the config did not name: once it names that repository, they are
 * followed there.
 */
export async function followNamed(cycle: Cycle): Promise<void> {
  const { ledger } = cycle.world;
  for (const { issue, absence } of await ledger.absences.ofProject(cycle.memory.id)) {
    if (absence.kind !== "moved") continue;
    const known = ledger.memory.repositoryById(absence.to.repositoryId);
    if (isConfigured(cycle.world, known?.name ?? absence.name)) await askForIssue(cycle, issue);
  }
}

async function configuredRepository(
  cycle: Cycle,
  { repositoryId }: IssueRef,
  to: RepositoryName,
): Promise<RepositoryMemory | undefined> {
  const { world } = cycle;
  const known = world.ledger.memory.repositoryById(repositoryId);
  if (known !== undefined && isConfigured(world, known.name)) return known;
  if (!isConfigured(world, to)) return undefined;
  try {
    const found = await findRepository(cycle, to);
    return found.repository.id === repositoryId ? found : undefined;
  } catch (error) {
    if (error instanceof ProjectError) return undefined;
    throw error;
  }
}

function isConfigured({ policy }: World, name: RepositoryName): boolean {
  return policy.repositories.some((named) => isSameRepository(named, name));
}

/**
 * Links, marks and texts go along; T₀ and P₀ stay, because a transfer is no change of the target. Only where the decision hangs on what
 * the new repository does not have, the next target becomes T₀ (`awaitDropped`). Intents stay as they are: what was sent was
 * sent to the old place, and what was only prepared ends when it is planned again.
 */
async function follow(
  { cycle, asked: from, known }: Looked,
  { issue }: IssueRecord,
  moved: Absence & { readonly kind: "moved" },
): Promise<void> {
  const { ledger, log } = cycle.world;
  const before = nameIssue(cycle, from);
  const now = `${moved.name}#${issue.number}`;
  const told = (await ledger.rows.linkedTo(from)).map(({ project, post }) =>
    auditLink(
      cycle,
      { post, issue, kind: "follow-issue", reason: "people transferred the issue" },
      {
        project,
        issue: { repository: moved.name, number: issue.number },
        fields: [{ field: "issue", before, value: now }],
      },
    ),
  );
  await asOne(cycle, async (own) => {
    await setAbsence(own, from, known, undefined);
    const changes = await awaitFollowers(own, from, (row, pins, settings) =>
      awaitDropped(row, from, issue, pins, settings),
    );
    await own.world.ledger.commit([{ kind: "follow-transfer", from, to: issue, moved }, ...told, ...changes]);
  });
  log.info({ project: cycle.project.key, issue: before, now }, "A transferred issue was followed");
}

async function noteAbsence({ cycle, asked, known }: Looked, absence: Absence): Promise<void> {
  if (known?.kind === absence.kind && absence.kind !== "moved") return;
  await setAbsence(cycle, asked, known, absence);
  if (known?.kind === absence.kind) return;
  const fields = { issue: nameIssue(cycle, asked), answer: absence.kind };
  cycle.world.log.warn(fields, "A linked issue is not where it was");
}
