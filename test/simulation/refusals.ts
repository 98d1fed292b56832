import { RemoteError } from "../../src/errors.ts";
import type { IssueWrite, WriteOutcome } from "../../src/tracker/tracker.ts";
import type { HubIssue, HubRepository, HubServer } from "./github-server.ts";
import { pickWeighted, type Random } from "./random.ts";
import { elsewhere } from "./scenario.ts";
import { isSignalled } from "./signals.ts";
import type { Stage } from "./stage.ts";

/** GitHub refuses one thing, and answers all else: for a while, or until somebody mends it. */
export interface Refusal {
  /** What is refused; opening issues and making labels are permissions of the token, and signals have a limit of their own. */
  readonly of:
    | { readonly kind: "issue"; readonly issue: HubIssue }
    | { readonly kind: "repository"; readonly repository: HubRepository }
    | { readonly kind: "opening" | "labels" | "signals" };
  readonly status: 200 | 403 | 404 | 410 | 451 | 502;
  /** True time; infinity until the end of a history. */
  readonly until: number;
}

/** What GitHub says of a permission that the token lacks. */
export const noPermission = "Resource not accessible by personal access token";

/** Somebody takes an issue, a repository or a permission out of the token's reach. */
export function refuseSomething({ scenario, hub, time, counts }: Stage, random: Random): string {
  const signals = isSignalled(scenario.settings) ? 10 : 0;
  const kind = pickWeighted(random, { issue: 5, repository: 2, opening: 2, labels: 1, signals });
  const until = random.chance(0.5) ? Number.POSITIVE_INFINITY : time.now() + random.between(10, 600) * 60_000;
  const of = drawRefused(hub, kind, random);
  if (of === undefined) return "nobody finds what to refuse";
  const status = drawStatus(of.kind, random);
  hub.refusals.push({ of, status, until });
  counts.note(`refusals: ${of.kind} ${status}`);
  const name =
    of.kind === "issue"
      ? `${of.issue.repository.name}#${of.issue.number}`
      : of.kind === "repository"
        ? of.repository.name
        : of.kind;
  return `GitHub answers ${status} for ${name} ${until === Number.POSITIVE_INFINITY ? "until the end" : "for a while"}`;
}

/** An issue that is deleted answers 410, and one out of sight 404: those are other moves. */
function drawStatus(kind: Refusal["of"]["kind"], random: Random): Refusal["status"] {
  if (kind === "issue") return random.pick([403, 403, 451, 502] as const);
  if (kind === "repository") return random.pick([403, 451, 502] as const);
  // GraphQL says it in an error of a 200.
  return kind === "signals" ? 200 : 403;
}

function drawRefused(
  { repositories }: HubServer,
  kind: Refusal["of"]["kind"],
  random: Random,
): Refusal["of"] | undefined {
  const named = repositories.filter(({ name }) => name !== elsewhere);
  if (kind === "repository") return { kind, repository: random.pick(named) };
  if (kind !== "issue") return { kind };
  const issues = named.flatMap((repository) => repository.issues.filter(({ isDeleted }) => !isDeleted));
  return issues.length === 0 ? undefined : { kind, issue: random.pick(issues) };
}

type Place = { readonly repository: HubRepository; readonly issue?: HubIssue | undefined };

/** What is refused now of a read; undefined where nothing is. */
export function findRefusal(
  { refusals }: Pick<HubServer, "refusals">,
  now: number,
  { repository, issue }: Place,
): Refusal | undefined {
  return refusals.find(({ of, until }) => {
    if (until <= now) return false;
    if (of.kind === "repository") return of.repository === repository;
    return of.kind === "issue" && of.issue === issue;
  });
}

/** GraphQL's own limit ends after an hour at most; where it goes on, it is found anew then. */
const longestLimitMs = 3_600_000;

/** Until when no signals may be asked for, true time; undefined where they may. */
export function findSignalLimit({ refusals }: Pick<HubServer, "refusals">, now: number): number | undefined {
  const limit = refusals.find(({ of, until }) => of.kind === "signals" && until > now);
  return limit && Math.min(limit.until, now + longestLimitMs);
}

/** The same of a write. */
export function findWriteRefusal(
  hub: Pick<HubServer, "refusals" | "find">,
  now: number,
  repository: HubRepository,
  write: IssueWrite,
): Refusal | undefined {
  const issue = "number" in write ? hub.find(repository.id, write.number) : undefined;
  const permission = hub.refusals.find(
    ({ of, until }) =>
      until > now &&
      ((of.kind === "opening" && write.kind === "create-issue") ||
        (of.kind === "labels" && write.kind === "create-label")),
  );
  return permission ?? findRefusal(hub, now, { repository, issue });
}

/** As the adapter says it of a read. */
export function refuseRead({ status, of }: Refusal): RemoteError {
  const fault = status === 403 ? "unauthorized" : status === 502 ? "unreachable" : "refused";
  const detail = status === 403 ? "forbidden" : status === 502 ? "server" : undefined;
  return new RemoteError("tracker", fault, `GitHub answered ${status} for ${of.kind}.`, { detail });
}

/** As the adapter says it of a write. */
export function refuseWrite({ status, of }: Refusal, { kind }: IssueWrite): WriteOutcome {
  if (status === 502) return { kind: "unknown", message: "HTTP 502." };
  const message = of.kind === "opening" || of.kind === "labels" ? noPermission : `Refused: ${of.kind}.`;
  return kind === "create-label"
    ? { kind: "rejected", status, message, fields: [] }
    : { kind: "forbidden", message };
}

/** Whether a post has anything to do with what is refused: then it may wait. */
export function isConcerned(
  { refusals }: Pick<HubServer, "refusals">,
  issues: readonly (HubIssue | undefined)[],
): boolean {
  return refusals.some(({ of }) => {
    if (of.kind === "issue") return issues.includes(of.issue);
    // What its rules look at may hang on signals; that it has an issue does not.
    if (of.kind === "signals") return issues.length > 0;
    if (issues.length === 0) return true;
    return of.kind === "repository" && issues.some((issue) => issue?.repository === of.repository);
  });
}
