import type { Send } from "../http/send.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log.ts";
import type { Clock } from "../model/surroundings.ts";
import { inOrder, select } from "../select.ts";
import { asStarted } from "../sync/ground/remedy.ts";
import type { ProjectReport, RunReport } from "../sync/ground/reports.ts";
import { tellEntries } from "../sync/tell/entries.ts";
import { readProject, readProjectState } from "../sync/tell/project-state.ts";
import { readReport } from "../sync/tell/stored-report.ts";
import { bodyFor, type Channel } from "./channels.ts";
import { composeDigest, type DigestPart, type DigestRhythm, isDigestDue } from "./digest.ts";
import { type Cause, composeMessage, findCauses, findOver, forgottenAfterMs, pickNews } from "./notices.ts";

/** More than this is not looked through for the posts to name. */
const maxWaiting = 1000;

/** What `announceRun` works with. */
export interface AnnounceOptions {
  /** Called after a run without failures. */
  readonly heartbeat: string | undefined;
  /** Told what waits for a person, and from time to time what was done. */
  readonly notices:
    | { readonly url: string; readonly kind: Channel; readonly digest: DigestRhythm }
    | undefined;
  /** Every project of the config, by its key. */
  readonly projects: readonly string[];
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  /** The way to addresses that a person has given. */
  readonly send: Send;
  readonly version: string;
  /** How a person starts the program here, for the commands that a notice names. */
  readonly command: string;
  readonly signal: AbortSignal;
  /** What has ended the last run of a project with an error: no run of the state tells it. Left out where only one run is made. */
  readonly broken?: ReadonlyMap<string, string>;
  /** A call has come to its end. */
  note?(call: "heartbeat" | "notice", isTaken: boolean): void;
}

/**
 * Tells those who wait for it how a run went: the heartbeat, and the notices. What goes wrong with that is a warning, and
 * never the run's. A run that was stopped early tells nothing.
 */
export async function announceRun(report: RunReport, options: AnnounceOptions): Promise<void> {
  const { log, signal } = options;
  if (signal.aborted) return;
  try {
    await Promise.all([sendHeartbeat(report, options), sendNotices(report, options)]);
    await sendDigest(options);
  } catch (error) {
    log.warn({ err: error }, "What a run has to tell could not be told; the run is not affected");
  }
}

export type Crier = ReturnType<typeof createCrier>;

/** Announces runs beside a daemon's work: nothing waits for an address that does not answer. @param options - as they are by then. */
export function createCrier(options: () => AnnounceOptions) {
  let waiting: RunReport | undefined;
  let telling: Promise<void> | undefined;
  const tellAll = async (): Promise<void> => {
    while (waiting !== undefined) {
      const report = waiting;
      waiting = undefined;
      await announceRun(report, options());
    }
    telling = undefined;
  };
  return {
    /** What comes while another run is announced is announced after it, in one, of each project the last. */
    tell(report: RunReport): void {
      const known = new Set(report.projects.map(({ project }) => project));
      const others = waiting?.projects.filter(({ project }) => !known.has(project)) ?? [];
      waiting = { ...report, projects: [...others, ...report.projects] };
      telling ??= tellAll();
    },
    /** Resolves when nothing is announced any more. */
    async end(): Promise<void> {
      await telling;
    },
  };
}

/** As `sync` does it for all projects at once, one that failed last silences the heartbeat of every other one's run. */
async function sendHeartbeat(report: RunReport, options: AnnounceOptions): Promise<void> {
  const { heartbeat, projects, ledger, broken } = options;
  const hasFailed = async (key: string): Promise<boolean> => {
    const isBroken = broken?.has(key) === true && report.projects.every(({ project }) => project !== key);
    return isBroken || readReport((await ledger.runs.last(key))?.report).failed > 0;
  };
  if (heartbeat === undefined || report.projects.length === 0) return;
  if ((await select(projects, hasFailed)).length > 0) return;
  await call("heartbeat", heartbeat, undefined, options);
}

async function sendNotices({ projects }: RunReport, options: AnnounceOptions): Promise<void> {
  const { notices, ledger, clock, command } = options;
  if (notices === undefined) return;
  const now = clock.now();
  const said = await ledger.notices.said();
  const causes = (await inOrder(projects, async (report) => causesOf(report, ledger))).flat();
  const over = findOver(
    said,
    causes,
    // What a run has put off, or did not reach, may be as it was.
    projects
      .filter(({ putOff, result }) => putOff === undefined && result !== "failed")
      .map(({ project }) => project),
  );
  const news = pickNews(causes, said, now);
  if (over.length + news.length === 0) return;
  // Before it leaves: one whose answer is lost may have been read.
  const saying = news.map(({ cause, sentence }) => ({ cause, state: sentence, at: now }));
  const forgetBefore = now - forgottenAfterMs;
  await ledger.commit([{ kind: "say", notices: [...over, ...saying], forgetBefore }]);
  if (news.length === 0) return;
  const concerned = await inOrder(
    projects.filter(({ project }) => news.some(({ cause }) => cause.startsWith(`${project}/`))),
    async ({ project }) => ({ project, state: await readProjectState(ledger, project, { now }) }),
  );
  const text = asStarted(composeMessage(news, concerned), command);
  const body = JSON.stringify(bodyFor(notices.kind, "notice", text));
  const outcome = await call("notice", notices.url, body, options);
  if (outcome === "refused") await ledger.commit([{ kind: "unsay", causes: news.map(({ cause }) => cause) }]);
}

/** Of what the last digest is remembered by. No project is called so: its causes have a slash. */
const digestCause = "digest";

/** One message about all projects, once a day or a week. The first one comes a day or a week after they were turned on. */
async function sendDigest(options: AnnounceOptions): Promise<void> {
  const { notices, projects, ledger, clock } = options;
  if (notices === undefined || notices.digest === "never") return;
  const now = clock.now();
  const last = (await ledger.notices.said()).find(({ cause }) => cause === digestCause);
  const remember = (at: number) =>
    ledger.commit([
      { kind: "say", notices: [{ cause: digestCause, state: "", at }], forgetBefore: now - forgottenAfterMs },
    ]);
  // One that lies ahead was said before the clock was set back.
  if (last === undefined || last.at > now) return remember(now);
  if (!isDigestDue(notices.digest, last.at, now)) return;
  // Before it leaves: one whose answer is lost may have been read. Of several replicas the first one sends it.
  if (!(await ledger.notices.sayAgain(last, now))) return;
  const parts = await inOrder(projects, async (project) => partOf(project, last.at, now, ledger));
  const text = composeDigest(parts, last.at);
  const body = JSON.stringify(bodyFor(notices.kind, "digest", text));
  if ((await call("notice", notices.url, body, options)) === "refused") await remember(last.at);
}

async function partOf(project: string, since: number, now: number, ledger: Ledger): Promise<DigestPart> {
  const { memory, report, counts } = await readProject(ledger, project, { now });
  const { held = 0, parked = 0, quarantined = 0, paused = 0 } = counts ?? {};
  const done = memory && (await ledger.journal.doneSince(memory.id, since));
  const { opened = 0, told = 0, known = 0, unknown = 0 } = done ?? {};
  const failed = report?.failed ?? 0;
  return { project, failed, held, parked, quarantined, paused, opened, told, known, unknown };
}

async function causesOf(report: ProjectReport, ledger: Ledger): Promise<readonly Cause[]> {
  const { project } = report;
  const memory = ledger.memory.project(project);
  const waiting = memory === undefined ? [] : await ledger.rows.waiting(memory.id, maxWaiting);
  return findCauses(report, waiting, await tellEntries(ledger, project, undefined));
}

/** `refused`: nobody has it, for certain. */
type Outcome = "taken" | "refused" | "unknown";

/** Sends once. The address is a secret: with Slack whoever knows it may write. Only its host is ever said. */
async function call(
  name: "heartbeat" | "notice",
  address: string,
  body: string | undefined,
  { send, version, signal, log, note }: AnnounceOptions,
): Promise<Outcome> {
  const url = new URL(address);
  const reply = await send({
    method: body === undefined ? "GET" : "POST",
    url,
    headers: {
      "user-agent": `boardsync/${version}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    body,
    signal,
  });
  const isTaken = reply.status >= 200 && reply.status < 300;
  note?.(name, isTaken);
  if (isTaken) return "taken";
  const reason = reply.status > 0 || reply.kind === "answer" ? `HTTP ${reply.status}` : reply.message;
  const fields = { to: url.host, reason };
  if (name === "heartbeat") log.warn(fields, "The heartbeat was not taken; the run is not affected");
  else log.warn(fields, "The notice of what waits for a person was not taken; the run is not affected");
  return reply.kind === "unsent" || reply.status > 0 ? "refused" : "unknown";
}
