import type { Ledger } from "../../ledger/ledger.ts";
import type { RowCounts } from "../../ledger/rows.ts";
import type { WholePause } from "../../model/link.ts";
import { countProject } from "./project-report.ts";
import { readReport, type StoredError, type StoredReport } from "./stored-report.ts";
import { count, type StateKind } from "./words.ts";

/**
 * How one project stands, by what the state knows of it alone. More than one thing may be true: `kind` is the most urgent of
 * them.
 */
export interface ProjectState {
  readonly kind: StateKind;
  readonly hasRun: boolean;
  readonly failing: Failing | undefined;
  readonly needed: Needed | undefined;
  readonly later: Later | undefined;
  /** Posts that differ from what their issues ask for and stay so until somebody changes a side. */
  readonly differs: number;
  /** Linked posts that the board no longer lists, or says that it does not know: nothing is written to them until they are listed again. */
  readonly missing: number;
  /** Posts that people have paused: nothing is written for them, and none of them needs a person. */
  readonly paused: number;
  /** The pause of the whole project, or of all. */
  readonly pause: WholePause | undefined;
  /** `writes` of the config, where it stops something: what differs because of it is counted nowhere. */
  readonly writes: string | undefined;
}

/** What waits for a person. */
interface Needed {
  /** Held, parked or quarantined. A project that is held as a whole is one. */
  readonly actions: number;
  /** Voters who would be notified of what is held, as far as the board shows votes. */
  readonly voters: number;
  /** Whether there are more of whom the board shows nothing. */
  readonly hasUnknown: boolean;
}

interface Failing {
  /** What failed in the last run, by its codes; none where no run came at all. */
  readonly codes: readonly string[];
  /** When the last run without a failure ended, epoch ms; undefined where there was none. */
  readonly since: number | undefined;
  /** How often it is to run, where its daemon finds that it is late. */
  readonly late: string | undefined;
  /** Until when a side that is down asks for a pause, epoch ms; undefined where none names a time that lies ahead. */
  readonly until: number | undefined;
}

interface Later {
  /** Posts whose change follows by itself; 0 where nobody could look. */
  readonly posts: number;
  /** Posts that can't be decided yet: each run looks again. */
  readonly undecided: number;
  /** When the next post follows at the earliest, epoch ms; undefined where that is not known. */
  readonly nextAt: number | undefined;
  /** What put something off: a limit, the pace, the end of the run's time, a signal. */
  readonly reasons: readonly string[];
}

/** What is asked of a project beside its state. */
export interface Moment {
  /** Epoch ms. */
  readonly now: number;
  /** When it runs next, epoch ms; undefined where nothing runs it. */
  readonly nextRunAt?: number | undefined;
  /** Where the daemon finds that it is late: how often it is to run, as "it is to run every 300 s". */
  readonly late?: string | undefined;
  /** What ended its last run with an error, so that the state knows nothing of that run, in a word. */
  readonly broken?: string | undefined;
}

/** A project as the state knows it, read once for all who tell of it. */
export type ReadProject = Awaited<ReturnType<typeof readProject>>;

/** Looks up how a project stands, and what that is told by. Every read is bounded. */
export async function readProject(ledger: Ledger, key: string, moment: Moment) {
  const memory = ledger.memory.project(key);
  const last = await ledger.runs.last(key);
  const report = last && readReport(last.report);
  const counts = await countProject(ledger, memory, report?.hold !== undefined);
  const [pause] = await ledger.rows.wholePauses(memory?.id);
  const parked = memory === undefined ? [] : await ledger.rows.waiting(memory.id, mostParked, ["parked"]);
  const lastSuccessAt = memory?.lastSuccessAt;
  const state = judgeProject({ ...moment, counts, pause, parked, report, lastSuccessAt });
  return { memory, last, report, counts, state };
}

/** The state alone. */
export async function readProjectState(...asked: Parameters<typeof readProject>): Promise<ProjectState> {
  return (await readProject(...asked)).state;
}

/** More than these are not held against the errors of a run. */
const mostParked = 1000;

/** What a state is judged by. */
export interface Known extends Moment {
  /** As `countProject` counts. */
  readonly counts: RowCounts | undefined;
  readonly pause?: WholePause | undefined;
  readonly parked: readonly { readonly post: string; readonly code: string | undefined }[];
  /** Of the last run that it had a part in. */
  readonly report: StoredReport | undefined;
  readonly lastSuccessAt: number | undefined;
}

/** How a project stands; a pure function of what is known. */
export function judgeProject(known: Known): ProjectState {
  const { counts, report, pause } = known;
  const writes = report?.writes;
  const failing = judgeFailing(known);
  const needed = judgeNeeded(counts, report?.hold !== undefined);
  const { differs = 0, missing = 0, paused = 0 } = counts ?? {};
  const later = judgeLater(known);
  const isDifferent = differs + missing + paused > 0 || pause !== undefined || writes !== undefined;
  const kinds: readonly (StateKind | false)[] = [
    failing !== undefined && "failing",
    needed !== undefined && "needs-you",
    later !== undefined && "later",
    isDifferent && "differs",
  ];
  const kind = kinds.find((one) => one !== false) ?? "in-sync";
  const hasRun = report !== undefined;
  return { kind, hasRun, failing, needed, later, differs, missing, paused, pause, writes };
}

/** A project may be held as a whole without a word on any of its posts. */
function judgeNeeded(counts: RowCounts | undefined, isHeld: boolean): Needed | undefined {
  const { approvable = 0, parked = 0, quarantined = 0, voters = 0, unknownVotes = 0 } = counts ?? {};
  const actions = Math.max(approvable, Number(isHeld)) + parked + quarantined;
  return actions === 0 ? undefined : { actions, voters, hasUnknown: unknownVotes > 0 };
}

function judgeFailing({ report, parked, lastSuccessAt, late, broken, now }: Known): Failing | undefined {
  const errors = report?.errors.filter((error) => !isSettled(error, parked)) ?? [];
  if (errors.length === 0 && late === undefined && broken === undefined) return undefined;
  const until = Math.max(...endsOf(errors));
  return {
    codes: [...new Set(errors.map(({ code }) => code)), ...(broken === undefined ? [] : [broken])],
    since: lastSuccessAt,
    late,
    until: until > now ? until : undefined,
  };
}

/**
 * What is parked waits for a person. A write of unknown outcome is looked up, so it follows by itself. What an order could not
 * do is the order's failure, not the project's.
 */
function isSettled(error: StoredError, parked: Known["parked"]): boolean {
  return /^(?:plan|undo)\.|\.unknown$/.test(error.code) || isParked(error, parked);
}

/** What is parked is said as that, and needs no second word. */
export function isParked(
  { post, code }: { readonly post?: string | undefined; readonly code: string },
  parked: Known["parked"],
): boolean {
  return parked.some((one) => one.post === post && one.code === code);
}

function judgeLater({ counts, report, nextRunAt, now }: Known): Later | undefined {
  const { waiting: posts = 0, undecided = 0 } = counts ?? {};
  const reasons = report?.putOff ?? [];
  if (report === undefined) return { posts: 0, undecided: 0, nextAt: nextRunAt, reasons: [] };
  if (posts + undecided === 0 && reasons.length === 0) return undefined;
  const coming = [...endsOf(reasons), counts?.nextAt ?? 0].filter((at) => at > now);
  const nextAt = coming.length > 0 ? Math.min(...coming) : nextRunAt;
  return { posts, undecided, nextAt, reasons: reasons.map(({ message }) => message) };
}

/** Until when a side asks for pauses, epoch ms, as far as it names times. */
export function endsOf(pauses: readonly { readonly until?: string | undefined }[]): readonly number[] {
  return pauses.flatMap(({ until }) => (until === undefined ? [] : [Date.parse(until)]));
}

type ShowTime = (at: number) => string;

/**
 * The one sentence about a project, without its capital and its full stop: the most urgent first, and what else is true after
 * it. It names no post and quotes nobody, so it may be shown where nothing private may stand.
 */
export function describeState(state: ProjectState, showTime: ShowTime = showUtc): string {
  const { failing, needed, later, differs, missing, paused, pause, writes } = state;
  const whole = pause && describePause(pause, showTime);
  if (!state.hasRun && failing === undefined)
    return whole === undefined ? "no run yet" : `no run yet; ${whole}`;
  const parts = [
    whole,
    failing && describeFailing(failing, showTime),
    needed && describeNeeded(needed),
    state.hasRun && later && describeLater(later, showTime),
    paused > 0 && `${count(paused, "post")} ${paused === 1 ? "is" : "are"} paused`,
    differs > 0 &&
      `${count(differs, "post")} ${differs === 1 ? "differs from its issue and stays" : "differ from their issues and stay"} so`,
    missing > 0 && `${count(missing, "linked post")} ${missing === 1 ? "is" : "are"} not found on the board`,
    writes !== undefined &&
      `nothing is written to ${writes === "none" ? "either side" : "the board"} (\`writes: ${writes}\` in the config)`,
  ].filter((part) => typeof part === "string");
  return parts.length === 0 ? "in step" : parts.join("; ");
}

function describePause({ of, since }: WholePause, showTime: ShowTime): string {
  const what = of === "all" ? "all projects are paused" : "paused as a whole";
  return `${what} since ${showTime(since)}: nothing is written to either side`;
}

function describeNeeded({ actions, voters, hasUnknown }: Needed): string {
  const what = count(actions, "action");
  if (voters === 0) return `needs you (${what}${hasUnknown ? ", voters not known" : ""})`;
  return `needs you (${what}, ${hasUnknown ? "at least " : ""}${count(voters, "voter")})`;
}

function describeFailing({ codes, since, late, until }: Failing, showTime: ShowTime): string {
  const what = codes.length > 0 ? ` (${codes.join(", ")})` : "";
  const when = since === undefined ? "no good run yet" : `the last good run was at ${showTime(since)}`;
  const end = until === undefined ? "" : `, and a pause is asked for until ${showTime(until)}`;
  const due = late === undefined ? "" : `, and ${late}`;
  return `failing${what}: ${when}${due}${end}`;
}

function describeLater({ posts, undecided, nextAt, reasons }: Later, showTime: ShowTime): string {
  const why = reasons.join("; ");
  const parts = [
    posts > 0 && `${count(posts, "post")} ${posts === 1 ? "follows" : "follow"} later`,
    // A state that an older daemon hands over does not tell.
    undecided > 0 && `${count(undecided, "post")} can't be decided yet`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return `later: ${why}`;
  const what = parts.join(", ");
  const next = nextAt === undefined || posts === 0 ? "" : `, the next from ${showTime(nextAt)} on`;
  return `${what}${next}${why === "" ? "" : ` (${why})`}`;
}

/** "2026-01-31 09:00:00 UTC" */
function showUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
