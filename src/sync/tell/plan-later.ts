import type { Intent } from "../../ledger/journal.ts";
import type { WaitingRow } from "../../ledger/rows.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { hourMs } from "../../model/time.ts";
import { planAhead, wishedActions } from "../../plan/ahead.ts";
import { type Action, isHeard } from "../../plan/ground/action.ts";
import { votersOf } from "../../plan/ground/fields.ts";
import { pauseOf } from "../../plan/ground/obstacle.ts";
import { nextWriteAt, timesOf } from "../../plan/pace.ts";
import { planRow } from "../../plan/plan.ts";
import { attemptNow } from "../ground/attempt.ts";
import { nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { describeAction } from "../ground/describe.ts";
import { laneClosure } from "../ground/lane.ts";
import type { PlannedAction } from "../ground/reports.ts";
import { readRow } from "../ground/rows.ts";
import { isFree, type Judged } from "../ground/wanted.ts";
import { earlierRequestOf, restOf } from "../read/old-state.ts";

/**
 * What a plan says beside what the next run does: everything that is decided and not sent yet, and follows at a time, or when a
 * person lets it go.
 */
export async function planLater(cycle: PulledCycle): Promise<readonly PlannedAction[]> {
  const { ledger } = cycle.world;
  const waiting = Map.groupBy(await ledger.rows.waiting(cycle.memory.id, mostWaiting), ({ post }) => post);
  const later: PlannedAction[] = [];
  for (const [post, rows] of waiting) {
    later.push(...((await attemptNow(cycle, post, () => planRowLater(cycle, post, rows))) ?? []));
  }
  const open = (await ledger.journal.open(cycle.memory.id)).filter(
    ({ state }) => state === "SENT" || state === "UNKNOWN",
  );
  for (const intent of open) later.push(await describeOpen(cycle, intent));
  return later;
}

/** A plan looks at no more of what waits than this. */
const mostWaiting = 100_000;

async function planRowLater(
  cycle: PulledCycle,
  post: PostId,
  waiting: readonly WaitingRow[],
): Promise<readonly PlannedAction[]> {
  const { clock } = cycle.world;
  const row = await readRow(cycle, post);
  if (row === undefined) return [];
  const stopped = waiting.filter(({ kind }) => kind === "parked" || kind === "quarantined");
  const wished = stopped.length === 0 ? [] : (wishedActions(row, await cycle.context(clock.now())) ?? []);
  return [
    ...(hasSettling(waiting, row) ? await planSettling(cycle, row) : []),
    ...wished.flatMap((action) => {
      const stop = whyStopped(row, action, stopped);
      if (stop === undefined) return [];
      const lines = describeAction(cycle, row, action).filter(({ kind }) => kind === action.kind);
      return lines.map((line): PlannedAction => ({ ...line, when: "held", ...stop }));
    }),
  ];
}

/** Of a paused post what settles waits for the end of the pause, like all the rest. */
function hasSettling(waiting: readonly WaitingRow[], row: Row): boolean {
  return waiting.some(({ kind }) => kind === "settling") || pauseOf(row) !== undefined;
}

/** What is to be written and has not stood long enough; of a PATCH only what the next run does not send already. */
async function planSettling(cycle: PulledCycle, row: Row): Promise<readonly PlannedAction[]> {
  const context = await cycle.context(cycle.world.clock.now());
  const decision = planRow(row, context);
  const notBefore = decision.dueAt === undefined ? {} : { notBefore: new Date(decision.dueAt).toISOString() };
  const pause = pauseOf(row);
  const now = decision.actions.flatMap((action) => describeAction(cycle, row, action));
  const ahead = (planAhead(row, decision, context) ?? []).flatMap((action) =>
    describeAction(cycle, row, action),
  );
  return ahead.flatMap((line): readonly PlannedAction[] => {
    const known = now.filter(({ kind, issue }) => kind === line.kind && issue === line.issue);
    const fields = Object.entries(line.fields).filter(
      ([name, value]) => !known.some((one) => JSON.stringify(one.fields[name]) === JSON.stringify(value)),
    );
    if (fields.length === 0) return [];
    const isQuiet =
      line.kind === "patch-post" && !fields.some(([field]) => isHeard({ field: field as "status" }));
    const notifies = isQuiet ? 0 : line.notifies;
    const told = { ...line, fields: Object.fromEntries(fields), notifies };
    return [
      pause === undefined
        ? { ...told, when: "later", ...notBefore }
        : { ...told, when: "held", held: pause, letGoBy: "resume" },
    ];
  });
}

function whyStopped(
  { parked }: Row,
  { kind }: Action,
  stopped: readonly WaitingRow[],
): Pick<PlannedAction, "held" | "letGoBy"> | undefined {
  const refused = parked.find((one) => one.kind === kind);
  if (refused !== undefined)
    return { held: `${refused.message} \`boardsync retry\` tries it again`, letGoBy: "retry" };
  const quarantined = stopped.find((one) => one.kind === "quarantined");
  if (kind !== "patch-post" || quarantined === undefined) return undefined;
  return { held: quarantined.message, letGoBy: "release" };
}

/** A write of unknown outcome: it is looked up after its wait, and sent again only where it provably did not arrive. */
async function describeOpen(cycle: PulledCycle, intent: Intent): Promise<PlannedAction> {
  const { policy } = cycle.world;
  const { kind, post, repository, number, writes, issueWrites, unknownAt, sentAt, at } = intent;
  const row = await readRow(cycle, post);
  const isNotifying = kind === "patch-post" && writes?.some(isHeard) === true;
  const first = row?.links[0]?.link.issue;
  const issue =
    number === undefined || repository === undefined ? first : { repositoryId: repository, number };
  const waitMs = kind === "create-issue" ? policy.waits.createMs : policy.waits.patchMs;
  return {
    kind,
    post,
    issue: issue === undefined ? null : nameIssue(cycle, issue),
    fields: Object.fromEntries((writes ?? issueWrites ?? []).map(({ field, value }) => [field, value])),
    reason: "it is not known whether it arrived: it is looked up, and sent again only where it did not",
    notifies: isNotifying ? (row === undefined ? null : votersOf(row.post, cycle.pull.seen)) : 0,
    when: "later",
    notBefore: new Date((unknownAt ?? sentAt ?? at) + waitMs).toISOString(),
  };
}

/** A run that comes so many seconds too early for the hour's limit waits for it; see pace.ts. */
const hourPatienceMs = 10_000;

/**
 * Says when each write comes: in the next run, or after a wait. Three things make it wait: a limit that this plan has met; the
 * pace, counted in the order of the writes; and a state that was lost or put back, of which a request may still be under way.
 */
export async function timeWrites(
  cycle: PulledCycle,
  judged: readonly Judged[],
): Promise<ReadonlyMap<Judged, string | undefined>> {
  const { clock, policy } = cycle.world;
  const later = new Map<Judged, string | undefined>();
  const rest = earlierRequestOf(cycle) === undefined ? undefined : new Date(restOf(cycle)).toISOString();
  const until = clock.now() + policy.budgetMs;
  const played = new Map<
    string,
    { at: number; isOver: boolean; readonly all: number[]; readonly creates: number[] }
  >();
  for (const action of judged.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))) {
    const [lane] = action.lanes;
    if (!isFree(action) || lane === undefined) continue;
    const closed = action.lanes.map((one) => laneClosure(cycle.run, one)).find((one) => one !== undefined);
    if (closed !== undefined) {
      later.set(action, closed.until === undefined ? undefined : new Date(closed.until).toISOString());
      continue;
    }
    if (lane.side === "board") continue;
    if (rest !== undefined && (action.kind === "create-issue" || action.kind === "update-issue")) {
      later.set(action, rest);
      continue;
    }
    const pace = played.get(lane.budget) ?? (await beginPace(cycle, lane.budget));
    played.set(lane.budget, pace);
    for (let write = 0; write < action.issues; write += 1) {
      const kind = action.kind === "create-issue" ? "create" : "other";
      const next = nextWriteAt(pace, kind, policy.pace, pace.at);
      const isFar = next.limit === "hour" && next.at - pace.at > hourPatienceMs;
      pace.isOver ||= isFar || next.at > until;
      pace.at = next.at;
      pace.all.push(next.at);
      if (kind === "create") pace.creates.push(next.at);
    }
    if (pace.isOver) later.set(action, new Date(pace.at).toISOString());
  }
  return later;
}

/** The pace as it is played through: a run has come to `at`, and is over where the pace ends it. */
interface Pace {
  at: number;
  isOver: boolean;
  readonly all: number[];
  readonly creates: number[];
}

async function beginPace({ world: { ledger, clock } }: PulledCycle, budget: string): Promise<Pace> {
  const now = clock.now();
  return { at: now, isOver: false, ...timesOf(await ledger.pace.writes(now - hourMs, budget)) };
}

/** As `apply` takes them. */
const order: readonly Judged["kind"][] = [
  "patch-post",
  "update-issue",
  "change-issue",
  "comment-issue",
  "create-issue",
];
