import type { Board } from "../../board/board.ts";
import type { BoardTools } from "../../board/tools.ts";
import type { FaultDetail } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Log } from "../../log.ts";
import type { RepositoryName } from "../../model/issue.ts";
import type { BoardProject, PostField } from "../../model/post.ts";
import type { Clock, ReadBounds } from "../../model/surroundings.ts";
import type { Settings } from "../../plan/ground/settings.ts";
import type { PaceLimits } from "../../plan/pace.ts";
import type { IssueTemplates, Renderer } from "../../plan/text/render.ts";
import type { Tracker } from "../../tracker/tracker.ts";
import type { Order } from "./order.ts";

/** Everything that a run works with. Made by `app.ts`, or by a test. */
export interface World {
  readonly board: Board;
  /** undefined where `board.mcp` is not in the config. */
  readonly tools: BoardTools | undefined;
  readonly tracker: Tracker;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  readonly policy: Policy;
  /** Left out where nobody watches. */
  readonly progress?: Progress;
  /** Left out where a run shares nothing with others. */
  readonly round?: Round;
  /** When another config was read since the run began, epoch ms; undefined while it is the same. Left out where nobody can change it. */
  readonly changedAt?: () => number | undefined;
}

/** Runs of one project each that become due together, as those of a daemon do. */
export interface Round {
  /** What they have looked at. */
  readonly looks: Run["looks"];
  /** When this run became due, epoch ms: what others have looked at since is as good as a look of its own. */
  readonly dueAt: number;
  /** Projects whose runs wait behind this one. */
  readonly waiting: readonly SyncProject[];
}

/** Told how far a run is, for a person who watches; what it does with that changes nothing. */
export interface Progress {
  show(step: ProgressStep): void;
}

export interface ProgressStep {
  readonly project: string;
  /** `posts read`, `issues opened`, … */
  readonly what: string;
  readonly done: number;
  /** undefined while nobody knows. */
  readonly total: number | undefined;
  /** When the last of it will be done, epoch ms; left out where that can't be told. */
  readonly doneAt?: number;
}

/** What holds for all projects; durations in milliseconds. */
export interface Policy {
  /** Stands in every marker: which board. */
  readonly boardHash: string;
  /** Its address. */
  readonly boardUrl: string;
  /** The same of its earlier addresses: marks that name these count, too. */
  readonly formerBoards: readonly string[];
  /** Where the config says a record of the board has a field. */
  readonly fields: Readonly<Partial<Record<PostField, string>>>;
  /** How long what was learnt about projects, repositories and our account is taken for true. */
  readonly fullEveryMs: number;
  /** A run starts no action after this. */
  readonly budgetMs: number;
  /** How long an unknown outcome rests before it is looked up. */
  readonly waits: { readonly createMs: number; readonly patchMs: number };
  readonly pace: PaceLimits;
  readonly trackerUrl: string;
  /** `project` of every project of the config, also of those that this run leaves out. */
  readonly projectKeys: readonly string[];
  /** Every repository that any of them names. */
  readonly repositories: readonly RepositoryName[];
  /** Further logins whose markers count. */
  readonly trustedAuthors: readonly string[];
  /** PATCH requests in flight. */
  readonly concurrency: number;
  /** How long audit and run history are kept. */
  readonly keepMs: number;
}

/** One project of the config. The planner's settings lack only the project's id, which the board has to tell. */
export interface SyncProject {
  /** `project` of the config: an id or a slug. */
  readonly key: string;
  readonly settings: Omit<Settings, "project">;
  readonly templates: IssueTemplates;
  /** Of these templates. Reading them takes longer than an idle run, so it is done once in a process. */
  readonly renderer: Renderer;
  /** How long it is between two of its times, ms, as `schedule` says it. */
  periodMs(now: number): number;
}

/** What the cycles of one run share. */
export interface Run {
  readonly number: number;
  readonly order: Order;
  /** Epoch ms. */
  readonly startedAt: number;
  /** Until when something may begin: what reads may have less time than what writes. */
  readonly bounds: ReadBounds;
  /** When it became due, epoch ms. */
  readonly dueAt: number;
  /** What has been looked at, by name, so that projects which share something look once; see looks.ts. */
  readonly looks: Map<string, Look>;
  /** The projects that the board lists; empty until the first of them has to be found. */
  readonly listed: BoardProject[];
  /** Its projects, and those whose runs come next: what is to be read for them may go along. */
  readonly companions: readonly SyncProject[];
  /** Times of the last hour's writes to the tracker, by budget: read once, since nobody else writes during a run. */
  readonly recent: Map<string, { readonly all: number[]; readonly creates: number[] }>;
  /** Why a lane (see lane.ts) takes no more writes in this run; set by a limit, the pace or a refused credential. */
  readonly closed: Map<string, Closure>;
}

/** One look at something that projects share. */
export interface Look {
  /** Which run it belongs to. */
  readonly run: number;
  /** When it began, epoch ms. */
  readonly at: number;
  /** What it failed of. */
  readonly error?: Error;
}

export interface Closure {
  readonly code: string;
  /** Who wants nothing, or what is used up, as a sentence without its full stop. */
  readonly message: string;
  /** When that ends, epoch ms; left out where nobody knows. */
  readonly until?: number | undefined;
  /** Of a limit: whose, as the tracker names it; left out where there is only one. */
  readonly budget?: string;
  /** What the remedy hangs on beside the code. */
  readonly detail?: FaultDetail | undefined;
}

/** The project that a config's name means: an id before a slug. */
export function pickProject(listed: readonly BoardProject[], key: string): BoardProject | undefined {
  return listed.find(({ id }) => id === key) ?? listed.find(({ slug }) => slug === key);
}

/** The repositories that a project names, its own first, each once. */
export function repositoryNames(settings: Pick<Settings, "repo" | "route">): readonly RepositoryName[] {
  return [...new Set([settings.repo, ...settings.route.map((route) => route.repo)])];
}

/** What the tracker calls a repository of the config: it may have been renamed. */
export function nameNow(
  { ledger }: { readonly ledger: Pick<Ledger, "memory"> },
  name: RepositoryName,
): RepositoryName {
  return ledger.memory.repository(name)?.repository.name ?? name;
}

/**
 * Why nothing may leave any more, although this run has decided it: another config was read since the run began. undefined while it
 * may. Asked before each request that writes; nothing is lost, since the row stays due, and the next run goes by the new config.
 */
export function stopOf({ changedAt }: Pick<World, "changedAt">): Closure | undefined {
  const at = changedAt?.();
  if (at === undefined) return undefined;
  const message = `another config was read at ${new Date(at).toISOString()}, and the next run goes by that`;
  return { code: "config.changed", message };
}
