import type { AuditEntry, IntentId, RepositoryMemory } from "../ledger/ledger.ts";
import type { IssueRecord, Milestone } from "../model/issue.ts";
import type { CreateIssue } from "../plan/action.ts";
import { hashText } from "../plan/hash.ts";
import { parseMarker } from "../plan/marker.ts";
import { signatureOf } from "../plan/print.ts";
import type { IssueWrite, WriteOutcome } from "../tracker/tracker.ts";
import { patchPost } from "./apply-patch.ts";
import { closureOf, isOpen, nameIssue, type PulledCycle } from "./cycle-state.ts";
import { prepare } from "./intents.ts";
import { noteClosure, takePace, writePaced } from "./pace.ts";
import { postpone, replan, settleRow } from "./record.ts";

type CreateWrite = Extract<IssueWrite, { kind: "create-issue" }>;

/** Fields that an issue can do without: one that the tracker refuses is left out, once, and said. */
const optionalFields = ["assignees", "labels", "milestone", "type"] as const;
type OptionalField = (typeof optionalFields)[number];

/**
 * Opens one issue. The request is journalled before it leaves and sent once; what became of it is decided by the answer,
 * and by the marker when there was none.
 */
export async function createIssue(
  cycle: PulledCycle,
  action: CreateIssue,
  followUpHeld: string | undefined,
): Promise<void> {
  const repository = cycle.repositories.get(action.repo);
  if (repository === undefined) {
    postpone(cycle, action, `${action.repo} can't be used in this run`);
    return;
  }
  const restUntil = (repository.recoveredAt ?? Number.NEGATIVE_INFINITY) + cycle.world.policy.waits.createMs;
  if (cycle.world.clock.now() < restUntil) {
    const until = new Date(restUntil).toISOString();
    postpone(
      cycle,
      action,
      `an earlier life of this state may still have a request under way; until ${until}`,
    );
    return;
  }
  const write = await prepareWrite(cycle, repository, action);
  const opened = await send(cycle, repository, action, write);
  if (opened === undefined) return;
  settleRow(cycle, action.post);
  if (followUpHeld === undefined) await followUp(cycle, action);
}

/** Names become what the tracker wants: labels exist, the milestone is a number. */
async function prepareWrite(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
): Promise<CreateWrite> {
  await ensureLabels(cycle, repository, action.labels);
  const milestone = await findMilestone(cycle, repository, action);
  return {
    kind: "create-issue",
    title: action.title,
    body: action.body,
    labels: action.labels,
    assignees: action.assignees,
    milestone: milestone?.number,
    type: action.type,
  };
}

async function ensureLabels(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  wanted: readonly string[],
): Promise<void> {
  const { ledger, log } = cycle.world;
  const remembered = ledger.memory.repository(repository.name) ?? repository;
  const known = new Set(remembered.labels.map((label) => label.toLowerCase()));
  for (const name of wanted) {
    // Without push access the tracker drops labels silently; that is said when the answer shows it.
    if (known.has(name.toLowerCase()) || !repository.repository.canPush) continue;
    const outcome = await writePaced(cycle, repository, { kind: "create-label", name });
    if (outcome === undefined) return;
    if (outcome.kind !== "applied") {
      log.warn(
        { repo: repository.name, label: name, outcome: outcome.kind },
        "The label could not be created",
      );
      continue;
    }
    known.add(name.toLowerCase());
    const now = ledger.memory.repository(repository.name) ?? repository;
    ledger.memory.rememberRepository({ ...now, labels: [...now.labels, name] });
  }
}

async function findMilestone(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
): Promise<Milestone | undefined> {
  const { ledger, tracker } = cycle.world;
  if (action.milestone === undefined) return undefined;
  const byTitle = (milestones: readonly Milestone[]): Milestone | undefined =>
    milestones.find(({ title }) => title === action.milestone);
  const remembered = ledger.memory.repository(repository.name) ?? repository;
  const known = byTitle(remembered.milestones);
  if (known !== undefined) return known;
  const { labels, milestones } = await tracker.catalogue(repository.repository, cycle.run.bounds);
  ledger.memory.rememberRepository({ ...remembered, labels, milestones });
  const found = byTitle(milestones);
  if (found === undefined) {
    report(cycle, action, repository, undefined, "tracker.milestone", missingMilestone(action, repository));
  }
  return found;
}

function missingMilestone(action: CreateIssue, repository: RepositoryMemory): string {
  return `${repository.name} has no milestone "${action.milestone}", so the issue is opened without one. Create it, or correct issue.milestone.`;
}

/** Sends the create; once more without the optional fields that a 422 names. Returns the opened issue. */
async function send(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  write: CreateWrite,
): Promise<IssueRecord | undefined> {
  const first = await sendOnce(cycle, repository, action, write);
  if (first?.kind === "applied") return first.record;
  const refused = first?.kind === "rejected" && first.status === 422 ? optionalOf(first.fields) : [];
  if (first?.kind !== "rejected") return undefined;
  if (refused.length === 0) {
    parkCreate(cycle, repository, action, first.message);
    return undefined;
  }
  report(
    cycle,
    action,
    repository,
    undefined,
    "tracker.field-refused",
    `${repository.name} refuses ${refused.join(", ")} (${first.message}), so the issue is opened without.`,
  );
  const second = await sendOnce(cycle, repository, action, without(write, refused));
  if (second?.kind === "rejected") parkCreate(cycle, repository, action, second.message);
  return second?.kind === "applied" ? second.record : undefined;
}

async function sendOnce(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  write: CreateWrite,
): Promise<WriteOutcome | undefined> {
  const { ledger, clock, tracker } = cycle.world;
  const intent = prepare(cycle, {
    kind: "create-issue",
    post: action.post,
    reason: action.reason,
    bodyHash: hashText(JSON.stringify(write)),
    repository: repository.repository.id,
    content: action.content,
  });
  if (!(await takePace(cycle, "create"))) {
    postpone(cycle, action, closureOf(cycle, "tracker"));
    return undefined;
  }
  ledger.journal.markSent(intent, clock.now());
  const sent = await tracker.write(repository.repository, write);
  const outcome = isOurs(cycle, action, sent) ? sent : asUnknown(sent);
  ledger.transaction(() => recordOutcome(cycle, repository, action, intent, outcome));
  noteClosure(cycle, outcome);
  if (outcome.kind === "applied" && outcome.record !== undefined) {
    compareOpened(cycle, repository, action, write, outcome.record);
  }
  return outcome;
}

/** An answer counts as the new issue only when it shows our marker for this very post. */
function isOurs(cycle: PulledCycle, action: CreateIssue, outcome: WriteOutcome): boolean {
  if (outcome.kind !== "applied") return true;
  const marker = outcome.record && parseMarker(outcome.record.body);
  return (
    marker?.board === cycle.world.policy.boardHash &&
    marker.project === cycle.memory.id &&
    marker.posts.includes(action.post)
  );
}

function asUnknown(outcome: WriteOutcome): WriteOutcome {
  return outcome.kind === "applied"
    ? { kind: "unknown", message: "the answer does not show the issue that was asked for" }
    : outcome;
}

function recordOutcome(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  intent: IntentId,
  outcome: WriteOutcome,
): void {
  const { ledger, clock } = cycle.world;
  const now = clock.now();
  audit(cycle, repository, action, outcome);
  switch (outcome.kind) {
    case "applied": {
      if (outcome.record === undefined) return;
      const { issue } = outcome.record;
      const ref = { repositoryId: issue.repositoryId, number: issue.number };
      ledger.rows.link(
        cycle.memory.id,
        { post: action.post, issue: ref, origin: "opened" },
        issue,
        action.content,
      );
      ledger.rows.unpark(cycle.memory.id, action.post, "create-issue");
      ledger.journal.resolve(intent, "DONE", now, `opened as #${issue.number}`);
      cycle.tally.created += 1;
      cycle.world.log.info(
        {
          run: cycle.run.number,
          project: cycle.project.key,
          post: action.post,
          issue: nameIssue(cycle, ref),
        },
        "Issue opened",
      );
      return;
    }
    case "rejected":
      ledger.journal.resolve(intent, "REJECTED", now, outcome.message);
      return;
    case "limited":
      ledger.journal.resolve(intent, "PREPARED", now, outcome.message);
      postpone(cycle, action, outcome.message);
      return;
    case "unauthorized":
    case "unsent": {
      ledger.journal.resolve(intent, "PREPARED", now, outcome.message);
      const code = outcome.kind === "unsent" ? "tracker.unreachable" : "tracker.unauthorized";
      report(cycle, action, repository, undefined, code, outcome.message);
      return;
    }
    case "unknown": {
      ledger.journal.resolve(intent, "UNKNOWN", now, outcome.message);
      const message = `It is not known whether the issue was opened (${outcome.message}). It is looked up before anything is sent again.`;
      report(cycle, action, repository, undefined, "tracker.unknown", message);
      return;
    }
  }
}

function parkCreate(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  words: string,
): void {
  const { ledger, clock } = cycle.world;
  const message = `${repository.name} refuses the issue: ${words}`;
  ledger.rows.park(cycle.memory.id, action.post, {
    kind: "create-issue",
    code: "tracker.rejected",
    message,
    since: clock.now(),
    signature: signatureOf(action, cycle.settings),
  });
  report(cycle, action, repository, undefined, "tracker.rejected", message);
  settleRow(cycle, action.post);
}

/** What the tracker left out without a word (no push access) is said. */
function compareOpened(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  write: CreateWrite,
  { issue }: IssueRecord,
): void {
  const has = new Set(issue.labels.map((label) => label.toLowerCase()));
  const dropped = [
    ...write.labels.filter((label) => !has.has(label.toLowerCase())).map((label) => `label ${label}`),
    ...write.assignees
      .filter((login) => !issue.assignees.includes(login))
      .map((login) => `assignee ${login}`),
    ...(write.milestone !== undefined && issue.milestone === null ? [`milestone ${action.milestone}`] : []),
    ...(write.type !== undefined && issue.type === null ? [`type ${write.type}`] : []),
  ];
  if (dropped.length === 0) return;
  const message = `The issue was opened without ${dropped.join(", ")}: ${repository.name} did not take it. The token needs push access there, and the name must exist.`;
  report(cycle, action, repository, issue.number, "tracker.dropped", message);
}

/** The PATCH that the plan promised with the create, when the issue came out as it was asked for. */
async function followUp(cycle: PulledCycle, action: CreateIssue): Promise<void> {
  if (action.followUp === undefined || !isOpen(cycle, "board")) return;
  const next = replan(cycle, { post: action.post, kind: "patch-post" });
  if (next?.kind !== "patch-post") return;
  const isPromised = JSON.stringify(next.writes) === JSON.stringify(action.followUp.writes);
  if (isPromised) await patchPost(cycle, next);
}

function optionalOf(fields: readonly string[]): readonly OptionalField[] {
  return optionalFields.filter((field) =>
    fields.some((refused) => field.startsWith(refused) || refused === "assignee"),
  );
}

function without(write: CreateWrite, fields: readonly OptionalField[]): CreateWrite {
  return {
    ...write,
    ...(fields.includes("assignees") && { assignees: [] }),
    ...(fields.includes("labels") && { labels: [] }),
    ...(fields.includes("milestone") && { milestone: undefined }),
    ...(fields.includes("type") && { type: undefined }),
  };
}

function report(
  cycle: PulledCycle,
  action: CreateIssue,
  repository: RepositoryMemory,
  number: number | undefined,
  code: string,
  message: string,
): void {
  const issue = number === undefined ? repository.repository.name : `${repository.repository.name}#${number}`;
  cycle.tally.errors.push({ post: action.post, issue, code, message });
}

function audit(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
  outcome: WriteOutcome,
): void {
  const number = outcome.kind === "applied" ? outcome.record?.issue.number : undefined;
  const entry: AuditEntry = {
    at: cycle.world.clock.now(),
    run: cycle.run.number,
    side: "tracker",
    project: cycle.memory.id,
    post: action.post,
    issue: number === undefined ? undefined : { repository: repository.repository.name, number },
    kind: "create-issue",
    fields: [
      { field: "title", value: action.title },
      ...action.labels.map((label) => ({ field: "label", value: label })),
    ],
    reason: action.reason,
    outcome: outcome.kind,
    message: outcome.kind === "applied" ? undefined : outcome.message,
    isApproved: false,
  };
  cycle.world.ledger.journal.audit(entry);
}
