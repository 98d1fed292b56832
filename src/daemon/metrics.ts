import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Side } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Traffic } from "../model/surroundings.ts";
import type { ProjectReport, RunReport } from "../sync/ground/reports.ts";
import { countProject } from "../sync/tell/project-report.ts";
import type { ProjectState } from "../sync/tell/project-state.ts";
import { readReport } from "../sync/tell/stored-report.ts";
import { stateKinds } from "../sync/tell/words.ts";
import type { HttpPart } from "./http.ts";
import { share } from "./share.ts";
import { type RefusalReason, refusalReasons } from "./webhook-refusals.ts";
import type { DeliveryOutcome } from "./webhooks.ts";

/** From an idle run over a loopback to one that uses up the budget of ten minutes. */
const durationBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** What the daemon counts. A label has few values: projects of the config, HTTP statuses, and words of ours. */
export interface Metrics {
  /** A run has ended, with its report, or by an error that nothing foresaw. */
  noteRun(report: RunReport | undefined): void;
  /** Takes up what both sides were asked since they were looked at last. */
  noteTraffic(sides: MeasuredSides): void;
  /** A delivery of GitHub, and what was made of it. */
  noteDelivery(event: string, outcome: DeliveryOutcome, reason?: RefusalReason): void;
  /** The heartbeat or a notice was sent, or was not taken. */
  noteCall(call: "heartbeat" | "notice", isTaken: boolean): void;
  /** The config was read anew. */
  noteReload(isTaken: boolean): void;
  /** Everything as Prometheus reads it. What is state comes from the ledger, so that it outlives a restart. */
  render(projects: readonly MeasuredProject[]): Promise<string>;
  readonly contentType: string;
}

/** What each side has been asked; its own tools are the board's. */
export interface MeasuredSides extends Readonly<Record<Side, Traffic>> {
  readonly tools?: Traffic | undefined;
}

/** One project of the config. */
export interface MeasuredProject {
  readonly key: string;
  /** Between two of its times, in ms. */
  readonly periodMs: number;
  readonly state: ProjectState;
}

/** Has a registry of its own: nothing of it is shared with anything else in the process. */
export function createMetrics(ledger: Ledger, version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter<Label>({ name: `boardsync_${name}`, help, labelNames, registers });

  collectDefaultMetrics({ register: registry });
  const info = { name: "boardsync_info", help: "The version that runs.", labelNames: ["version"], registers };
  new Gauge(info).set({ version }, 1);
  const duration = new Histogram({
    name: "boardsync_run_duration_seconds",
    help: "How long runs of a project took.",
    buckets: durationBuckets,
    registers,
  });
  const runs = counter("runs_total", "Runs by their result.", ["result"]);
  const writes = counter("writes_total", "Writes that were accepted, by what they did.", ["kind"]);
  const requests = counter("requests_total", "Requests by the status of their answer.", ["side", "code"]);
  const deliveries = counter("webhook_deliveries_total", "Deliveries of GitHub.", ["event", "outcome"]);
  const refused = counter("webhooks_refused_total", "Deliveries of which nothing was made, by the reason.", [
    "reason",
  ]);
  const calls = counter("calls_total", "Heartbeats and notices that were sent.", ["call", "outcome"]);
  const reloads = counter("config_reloads_total", "How often the config was read anew.", ["outcome"]);
  const gauges = createStateGauges(ledger, registry);
  const seen = new WeakMap<Traffic, ReadonlyMap<string, number>>();

  for (const result of ["ok", "partial", "held", "failed", "error"]) runs.inc({ result }, 0);
  for (const kind of writeKinds) writes.inc({ kind }, 0);
  // A rate can be told from the first one on only where there was a zero before it.
  for (const reason of refusalReasons) refused.inc({ reason }, 0);
  for (const outcome of ["taken", "refused"]) reloads.inc({ outcome }, 0);
  for (const outcome of ["taken", "failed"]) {
    for (const call of ["heartbeat", "notice"]) calls.inc({ call, outcome }, 0);
  }

  return {
    noteRun(report) {
      runs.inc({ result: report?.result ?? "error" });
      if (report === undefined) return;
      duration.observe(report.durationMs / 1000);
      for (const project of report.projects) {
        for (const [kind, count] of Object.entries(countWrites(project))) writes.inc({ kind }, count);
      }
    },
    noteTraffic(sides) {
      const { board, tools, tracker } = sides;
      for (const [side, traffic] of [
        ["board", board],
        ["board", tools],
        ["tracker", tracker],
      ] as const) {
        if (traffic === undefined) continue;
        const before = seen.get(traffic);
        const now = new Map(traffic.answers);
        for (const [code, count] of now) {
          requests.inc({ side, code: boundCode(code) }, count - (before?.get(code) ?? 0));
        }
        seen.set(traffic, now);
      }
    },
    noteDelivery(event, outcome, reason) {
      deliveries.inc({ event, outcome });
      if (reason !== undefined) refused.inc({ reason });
    },
    noteCall: (call, isTaken) => calls.inc({ call, outcome: isTaken ? "taken" : "failed" }),
    noteReload: (isTaken) => reloads.inc({ outcome: isTaken ? "taken" : "refused" }),
    async render(projects) {
      await gauges.read(projects);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

/** `GET /metrics`. Holds numbers and the names of projects alone. */
export function metricsPart(
  metrics: Pick<Metrics, "noteTraffic" | "render" | "contentType">,
  measure: () => Promise<{
    readonly projects: readonly MeasuredProject[];
    readonly sides: MeasuredSides;
  }>,
): HttpPart {
  const render = share(async () => {
    const { projects, sides } = await measure();
    metrics.noteTraffic(sides);
    return metrics.render(projects);
  });
  return (server) => {
    server.get("/metrics", async (_request, reply) =>
      reply.header("content-type", metrics.contentType).send(await render()),
    );
  };
}

const writeKinds = [
  "issue_opened",
  "issue_changed",
  "post_made",
  "post_changed",
  "post_status_changed",
] as const;

/** Each write once: one that carries a status is no other change of a post. */
function countWrites(report: ProjectReport): Readonly<Record<(typeof writeKinds)[number], number>> {
  return {
    issue_opened: report.created,
    issue_changed: report.issueWrites,
    post_made: report.made ?? 0,
    post_changed: report.postWrites - report.statusWrites,
    post_status_changed: report.statusWrites,
  };
}

/** A server may answer with whatever it likes. */
function boundCode(code: string): string {
  return /^[1-5]\d\d$/.test(code) || code === "none" ? code : "other";
}

/** Gauges of what `countProject` counts. */
const countNames = [
  "posts",
  "links",
  "waiting",
  "held",
  "parked",
  "quarantined",
  "differs",
  "missing",
] as const;

/** What the ledger says of each project. */
function createStateGauges(ledger: Ledger, registry: Registry) {
  const gauge = (name: string, help: string, labelNames = ["project"]) =>
    new Gauge({ name: `boardsync_${name}`, help, labelNames, registers: [registry] });
  const of = {
    success: gauge("last_success_timestamp_seconds", "When the last run without a failure ended."),
    run: gauge("last_run_timestamp_seconds", "When the last run ended."),
    period: gauge("schedule_period_seconds", "The time between two runs of the schedule."),
    failed: gauge("failed", "What failed in the last run."),
    late: gauge(
      "late",
      "1 for a project that is late, as /readyz says it; a pause of its schedule makes none late.",
    ),
    posts: gauge("posts", "Posts that the last listing of the board showed."),
    links: gauge("links", "Issues that are linked to posts."),
    waiting: gauge("waiting", "Posts whose change follows later, by itself."),
    held: gauge("held", "Posts that need you: to approve."),
    parked: gauge("parked", "Changes that need you: to retry (refused, or in doubt)."),
    quarantined: gauge("quarantined", "Posts that need you: to release (the status flapped too often)."),
    differs: gauge("differs", "Posts that differ from what their issues ask for, and stay so."),
    tokenEnds: gauge(
      "token_ends_timestamp_seconds",
      "When the token for GitHub ends, as the last run was told.",
    ),
    missing: gauge("missing", "Linked posts that the board no longer lists."),
  };
  const standing = gauge("state", "1 for the state in which a project is, 0 for the others.", [
    "project",
    "state",
  ]);
  const limited = gauge(
    "put_off_until_timestamp_seconds",
    "When the limit or the pace ends that put something off in the last run.",
    ["project", "code", "budget"],
  );
  const replicas = gauge(
    "replicas",
    "Daemons that share the state on PostgreSQL; 0 where the state is a file.",
    [],
  );
  const running = gauge("running", "1 for a project that a replica runs now.", ["project", "replica"]);
  const noteReplicas = async (): Promise<void> => {
    const found = await ledger.runs.replicas();
    replicas.set(found.length);
    // Who they are is named by host and process, and is for those who may see the page.
    for (const [at, { projects }] of found.entries())
      for (const project of projects) running.set({ project, replica: String(at + 1) }, 1);
  };
  const readProject = async ({ key: project, periodMs, state }: MeasuredProject): Promise<void> => {
    const memory = ledger.memory.project(project);
    const last = await ledger.runs.last(project);
    if (Number.isFinite(periodMs)) of.period.set({ project }, periodMs / 1000);
    if (memory?.lastSuccessAt !== undefined) of.success.set({ project }, memory.lastSuccessAt / 1000);
    const report = readReport(last?.report);
    if (last !== undefined) {
      of.run.set({ project }, last.finishedAt / 1000);
      const { failed, putOff, tokenEnds } = report;
      of.failed.set({ project }, failed);
      for (const { code, until, budget } of putOff) {
        const labels = { project, code, ...(budget !== undefined && { budget }) };
        if (until !== undefined) limited.set(labels, Date.parse(until) / 1000);
      }
      if (tokenEnds !== undefined) of.tokenEnds.set({ project }, tokenEnds / 1000);
    }
    of.late.set({ project }, Number(state.failing?.late !== undefined));
    for (const kind of stateKinds) standing.set({ project, state: kind }, Number(state.kind === kind));
    const counts = await countProject(ledger, memory, report.hold !== undefined);
    if (counts === undefined) return;
    const counted = { ...counts, links: counts.issues };
    for (const name of countNames) of[name].set({ project }, counted[name]);
  };
  return {
    /** Projects that the config no longer has are gone from what is shown. */
    async read(projects: readonly MeasuredProject[]) {
      for (const found of [...Object.values(of), standing, limited, running]) found.reset();
      await noteReplicas();
      for (const project of projects) await readProject(project);
    },
  };
}
