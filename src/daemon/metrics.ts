import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Side } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Traffic } from "../model/surroundings.ts";
import type { ProjectReport, RunReport } from "../sync/ground/reports.ts";
import { type Moment, type ReadProject, readProject } from "../sync/tell/project-state.ts";
import { stateKinds } from "../sync/tell/words.ts";
import type { HttpPart } from "./http.ts";
import { share } from "./share.ts";
import { type RefusalReason, refusalReasons } from "./webhook-refusals.ts";
import type { DeliveryOutcome } from "./webhooks.ts";

/** From an idle run over a loopback to one that uses up the budget of ten minutes. */
const durationBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** What the daemon counts. A label has few values: projects of the config, HTTP statuses, and words of ours. */
export type Metrics = ReturnType<typeof createMetrics>;

/** What each side has been asked; its own tools are the board's. */
export interface MeasuredSides extends Readonly<Record<Side, Traffic>> {
  readonly tools?: Traffic | undefined;
}

/** One project of the config. */
export interface MeasuredProject extends Moment {
  readonly key: string;
  /** Between two of its times, in ms. */
  readonly periodMs: number;
}

/** Has a registry of its own: nothing of it is shared with anything else in the process. */
export function createMetrics(ledger: Ledger, version: string) {
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
  const ofState = createStateGauges(ledger, registry);
  const seen = new WeakMap<Traffic, ReadonlyMap<string, number>>();

  for (const result of ["ok", "partial", "held", "failed", "error"]) runs.inc({ result }, 0);
  for (const kind of Object.keys(writesOf)) writes.inc({ kind }, 0);
  // A rate can be told from the first one on only where there was a zero before it.
  for (const reason of refusalReasons) refused.inc({ reason }, 0);
  for (const outcome of ["taken", "refused"]) reloads.inc({ outcome }, 0);
  for (const outcome of ["taken", "failed"]) {
    for (const call of ["heartbeat", "notice"]) calls.inc({ call, outcome }, 0);
  }

  return {
    /** A run has ended, with its report, or by an error that nothing foresaw. */
    noteRun(report: RunReport | undefined): void {
      runs.inc({ result: report?.result ?? "error" });
      if (report === undefined) return;
      duration.observe(report.durationMs / 1000);
      for (const project of report.projects) {
        for (const [kind, countOf] of Object.entries(writesOf)) writes.inc({ kind }, countOf(project));
      }
    },
    /** Takes up what both sides were asked since they were looked at last. */
    noteTraffic(sides: MeasuredSides): void {
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
    /** A delivery of GitHub, and what was made of it. */
    noteDelivery(event: string, outcome: DeliveryOutcome, reason?: RefusalReason): void {
      deliveries.inc({ event, outcome });
      if (reason !== undefined) refused.inc({ reason });
    },
    /** The heartbeat or a notice was sent, or was not taken. */
    noteCall: (call: "heartbeat" | "notice", isTaken: boolean) =>
      calls.inc({ call, outcome: isTaken ? "taken" : "failed" }),
    /** The config was read anew. */
    noteReload: (isTaken: boolean) => reloads.inc({ outcome: isTaken ? "taken" : "refused" }),
    /** Everything as Prometheus reads it. What is state comes from the ledger, so that it outlives a restart. */
    async render(projects: readonly MeasuredProject[]): Promise<string> {
      await ofState.read(projects);
      return registry.metrics();
    },
    contentType: String(registry.contentType),
  };
}

/** `GET /metrics`. Holds numbers and the names of projects alone. */
export function metricsPart(
  metrics: Pick<Metrics, "noteTraffic" | "render" | "contentType">,
  look: () => { readonly projects: readonly MeasuredProject[]; readonly sides: MeasuredSides },
): HttpPart {
  const render = share(async () => {
    const { projects, sides } = look();
    metrics.noteTraffic(sides);
    return metrics.render(projects);
  });
  return (server) => {
    server.get("/metrics", async (_request, reply) =>
      reply.header("content-type", metrics.contentType).send(await render()),
    );
  };
}

/** Each write once: one that carries a status is no other change of a post. */
const writesOf: Readonly<Record<string, (report: ProjectReport) => number>> = {
  issue_opened: ({ created }) => created,
  issue_changed: ({ issueWrites }) => issueWrites,
  post_made: ({ made = 0 }) => made,
  post_changed: ({ postWrites, statusWrites }) => postWrites - statusWrites,
  post_status_changed: ({ statusWrites }) => statusWrites,
};

/** A server may answer with whatever it likes. */
function boundCode(code: string): string {
  return /^[1-5]\d\d$/.test(code) || code === "none" ? code : "other";
}

/** What the state says of each project: a gauge each. */
const gauges = {
  last_success_timestamp_seconds: "When the last run without a failure ended.",
  last_run_timestamp_seconds: "When the last run ended.",
  schedule_period_seconds: "The time between two runs of the schedule.",
  failed: "What failed in the last run.",
  late: "1 for a project that is late, as /readyz says it; a pause of its schedule makes none late.",
  posts: "Posts that the last listing of the board showed.",
  links: "Issues that are linked to posts.",
  waiting: "Posts whose change follows later, by itself.",
  held: "Posts that need you: to approve.",
  parked: "Changes that need you: to retry (refused, or in doubt).",
  quarantined: "Posts that need you: to release (the status flapped too often).",
  differs: "Posts that differ from what their issues ask for, and stay so.",
  token_ends_timestamp_seconds: "When the token for GitHub ends, as the last run was told.",
  missing: "Linked posts that are not found on the board.",
} as const;
type GaugeName = keyof typeof gauges;

/** What they show; nothing where that is not known. */
function measure(
  { memory, last, report, counts, state }: ReadProject,
  periodMs: number,
): Readonly<Partial<Record<GaugeName, number | undefined>>> {
  return {
    ...(counts && { ...counts, links: counts.issues }),
    last_success_timestamp_seconds: inSeconds(memory?.lastSuccessAt),
    last_run_timestamp_seconds: inSeconds(last?.finishedAt),
    schedule_period_seconds: inSeconds(periodMs),
    failed: report?.failed,
    late: Number(state.failing?.late !== undefined),
    token_ends_timestamp_seconds: inSeconds(report?.tokenEnds),
  };
}

/** Of a time, or a length of time. A schedule without a second time has an infinite one. */
function inSeconds(ms: number | undefined): number | undefined {
  return ms !== undefined && Number.isFinite(ms) ? ms / 1000 : undefined;
}

/** What the ledger says of each project. */
function createStateGauges(ledger: Ledger, registry: Registry) {
  const gauge = (name: string, help: string, labelNames = ["project"]) =>
    new Gauge({ name: `boardsync_${name}`, help, labelNames, registers: [registry] });
  const ofProject = Object.entries(gauges).map(
    ([name, help]) => [name as GaugeName, gauge(name, help)] as const,
  );
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
  const noteProject = async ({ key: project, periodMs, ...moment }: MeasuredProject): Promise<void> => {
    const read = await readProject(ledger, project, moment);
    const measured = measure(read, periodMs);
    for (const [name, found] of ofProject) {
      const value = measured[name];
      if (value !== undefined) found.set({ project }, value);
    }
    for (const { code, until, budget } of read.report?.putOff ?? []) {
      const labels = { project, code, ...(budget !== undefined && { budget }) };
      if (until !== undefined) limited.set(labels, Date.parse(until) / 1000);
    }
    for (const kind of stateKinds) standing.set({ project, state: kind }, Number(read.state.kind === kind));
  };
  return {
    /** Projects that the config no longer has are gone from what is shown. */
    async read(projects: readonly MeasuredProject[]) {
      for (const found of [...ofProject.map(([, one]) => one), standing, limited, running]) found.reset();
      await noteReplicas();
      for (const project of projects) await noteProject(project);
    },
  };
}
