import type { PagePlace } from "../../board/board.ts";
import type { Change } from "../../ledger/change.ts";
import type { Backlog } from "../../ledger/journal.ts";
import type { ProjectMemory, RepositoryMemory } from "../../ledger/memory.ts";
import type { Who } from "../../ledger/orders.ts";
import type { Issue, IssueRef, Pin, RepositoryId, RepositoryName } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { PostField, PostId } from "../../model/post.ts";
import type { ActionKind } from "../../plan/ground/action.ts";
import { hashText } from "../../plan/ground/hash.ts";
import { canonical } from "../../plan/ground/identity.ts";
import type { PlanContext, Settings } from "../../plan/ground/settings.ts";
import { type Lane, laneClosure } from "./lane.ts";
import type { ReportedError } from "./reports.ts";
import { type Closure, type Run, type SyncProject, stopOf, type World } from "./world.ts";

/** What the steps of one cycle hand on: a project that has been found on both sides. */
export interface Cycle {
  readonly world: World;
  readonly run: Run;
  readonly project: SyncProject;
  readonly memory: ProjectMemory;
  readonly settings: Settings;
  readonly account: string;
  /** By the name that the config uses; a repository that can't be used is not among them. */
  readonly repositories: ReadonlyMap<RepositoryName, RepositoryMemory>;
  /** Repositories of the config that this run could not read: what is known of their issues may be over, so their posts wait. */
  readonly unread: ReadonlySet<RepositoryId>;
  readonly tally: Tally;
  readonly course: Course;
}

/** An internal note that has to be changed, as this pull has shown it. */
export interface DueNote {
  readonly post: PostId;
  /** Never stored, logged, or sent anywhere but back to the board. */
  readonly text: string;
  /** Our line in it as the state knows it. */
  readonly line: string | undefined;
  readonly page: PulledPage;
}

/** A page of this pull, which may be asked for once more. */
export interface PulledPage {
  readonly place: PagePlace;
  /** Epoch ms: when it was asked for last; its posts have been seen then. */
  askedAt: number;
  /** The notes that it showed when it was asked for once more; undefined before that. */
  notes: ReadonlyMap<PostId, string | null> | undefined;
  /** The request for it that is under way. */
  asking: Promise<void> | undefined;
}

/** What a pull of the board brought, besides the posts in the ledger. */
export interface BoardPull {
  readonly seen: ReadonlySet<PostField>;
  /** How many posts it has shown. */
  readonly posts: number;
  /** Why nothing of the project is written although all went well; undefined when nothing holds it. */
  readonly hold: string | undefined;
  /** Set where posts of it were left out, because another board may show them. */
  readonly isOther?: true;
  /** `usable`: all that there was to see, but absence from it means nothing. `incomplete`: it broke off. */
  readonly kind: "complete" | "usable" | "incomplete";
  /** Epoch ms: whatever a listing of this pull shows was so after its beginning. */
  readonly beganAt: number;
  /** Epoch ms: a post that was seen since then counts as listed, be it by this run or by one before it. */
  readonly listedSince: number;
  readonly pages: readonly PulledPage[];
  /** Names of categories by their ids, as far as records that were read anew show both. */
  readonly categories: ReadonlyMap<string, string>;
  /** Internal notes that have to be changed; they live as long as the cycle, and nowhere else. */
  readonly notes: readonly DueNote[];
}

/** A cycle whose pulls are done: decisions can be made. */
export interface PulledCycle extends Cycle {
  readonly pull: BoardPull;
  /** The planner's context, for a time. */
  context(now: number): Promise<PlanContext>;
}

/** Whether this run's list has shown a post: from a pull that broke off only what it has shown is known. */
export function isShown({ pull }: PulledCycle, { seenAt }: Row): boolean {
  return seenAt !== undefined && seenAt >= pull.beganAt;
}

/** Whether the list has shown a post: one that no single run has the time for counts as a whole. */
export function isListed({ pull }: PulledCycle, { seenAt }: Row): boolean {
  return seenAt !== undefined && seenAt >= pull.listedSince;
}

/** What one cycle counts and says: the report is made of it, and nothing is decided by it. */
export type Tally = ReturnType<typeof startTally>;

export function startTally() {
  return {
    created: 0,
    adopted: 0,
    issueWrites: 0,
    postWrites: 0,
    /** Posts made of issues. */
    made: 0,
    statusWrites: 0,
    /** Voters who were notified of these, where the board shows how many; and of how many of these it does not. */
    notified: { known: 0, unknown: 0 },
    /** Entries of the changelog that were made, changed or published. */
    entryWrites: 0,
    /** Internal notes that were to be changed, and wait for the next run. */
    notesPutOff: 0,
    /** Whether a limit or a signal put the whole project off. */
    isPutOff: false,
    /** Whether a limit of their own put signals off that were to be read. */
    areSignalsPutOff: false,
    /** Why something was left to a later run. */
    putOff: [] as Closure[],
    errors: [] as ReportedError[],
  };
}

/** A change of status was accepted, and its voters were notified; null where the board does not show how many there are. */
export function noteHeard(tally: Tally, voters: number | null): void {
  const { notified } = tally;
  tally.statusWrites += 1;
  if (voters === null) notified.unknown += 1;
  else notified.known += voters;
}

/** When a person let something go, epoch ms, and by which way. */
export interface LetGo extends Who {
  readonly at: number;
}

/** What is settled of a project's actions while its cycle goes on. */
export type Course = ReturnType<typeof startCourse>;

export function startCourse() {
  return {
    /** What a person let go. */
    approved: new Map<PostId, Map<ActionKind, LetGo>>(),
    /** When a person last let a new issue of a post go that was shown to be held because its repository is public, epoch ms. */
    letGoPublic: new Map<PostId, number>(),
    /** Posts of which a person wanted something discarded that has become something else since. */
    unshown: new Set<PostId>(),
    /**
     * Issues whose signals could not be read in this run, by `issueKey`; why, where they were not asked for. What was read of them before
     * stood beside another record: the two together may say what never was.
     */
    stale: new Map<string, Closure | undefined>(),
    /** What is alike in very many of its actions, by what it is as JSON. */
    shared: new Map<string, object>(),
    /** Fields of issues that a decision of this run asks for, by `issueKey` and the field. */
    claimed: new Set<string>(),
    /** Issues that this run makes posts of, by what they are called until then. */
    imports: new Map<PostId, Issue>(),
    /** Why a lane takes no more writes of this project in this run, although it is open for others. */
    closed: new Map<string, Closure>(),
    /** What names of the rules mean, once it was read: only the run that has the project says anything else. */
    pins: undefined as readonly Pin[] | undefined,
    /** What other projects have left to write, and when that was read, epoch ms. */
    others: undefined as { readonly at: number; readonly backlogs: readonly Backlog[] } | undefined,
  };
}

/** What an issue is known by in a course. */
export function issueKey({ repositoryId, number }: IssueRef): string {
  return `${repositoryId}#${number}`;
}

/** The signals of an issue could not be read. @param why - they were not asked for. */
export function noteStale(
  { course: { stale } }: Pick<Cycle, "course">,
  issue: IssueRef,
  why?: Closure,
): void {
  const key = issueKey(issue);
  stale.set(key, why ?? stale.get(key));
}

/** Why it is not known in this run what an issue of a row shows beside its record; undefined where all was asked for. */
export function whyUnasked({ course }: Pick<Cycle, "course">, { links }: Row): Closure | undefined {
  return links
    .map(({ link }) => course.stale.get(issueKey(link.issue)))
    .find((closure) => closure !== undefined);
}

/** Lets an action go, as a person asked. */
export function approve({ course }: Cycle, post: PostId, kind: ActionKind, letGo: LetGo): void {
  course.approved.set(post, (course.approved.get(post) ?? new Map()).set(kind, letGo));
}

/** By which way a person let it go, for the history: '' where that was at a terminal, or nobody did. */
export function sayWhere({ course }: Pick<Cycle, "course">, post: PostId | undefined, kind: string): string {
  const approved = post === undefined ? undefined : course.approved.get(post);
  return [...(approved ?? [])].some(([one, { by }]) => one === kind && by === "page")
    ? "; let go on the page"
    : "";
}

/** Whether a person let this action of this run go. */
export function isApproved({ course }: Pick<Cycle, "course">, post: PostId, kind: ActionKind): boolean {
  return course.approved.get(post)?.has(kind) === true;
}

/** Whether another write may start in a lane: no limit, no refusal, no stop, no signal, and the run's time not used up. */
export function isOpen(cycle: Cycle, lane: Lane): boolean {
  const { signal, until } = cycle.run.bounds;
  return closureNow(cycle, lane) === undefined && !signal.aborted && cycle.world.clock.now() < until;
}

/** Why a lane takes no more writes of this project, or nothing may leave any more; undefined where at most the end of the run stops them. */
export function closureNow({ run, course, world }: Cycle, lane: Lane): Closure | undefined {
  return laneClosure(run, lane) ?? laneClosure(course, lane) ?? stopOf(world);
}

/** Why a run begins nothing more. */
export function endOf({ bounds }: Pick<Run, "bounds">): Closure {
  return bounds.signal.aborted
    ? { code: "run.stopped", message: "the run was asked to stop" }
    : { code: "run.budget", message: "the time of the run was over (`budget`)" };
}

/** A repository of this project by its numeric id; undefined where it can't be used in this run. */
export function repositoryById(cycle: Cycle, id: RepositoryId | undefined): RepositoryMemory | undefined {
  return [...cycle.repositories.values()].find(({ repository }) => repository.id === id);
}

/** `owner/name#number`, as reports say it; with the number alone where the repository is not known. */
export function nameIssue({ world }: { readonly world: Pick<World, "ledger"> }, issue: IssueRef): string {
  return `${world.ledger.memory.repositoryById(issue.repositoryId)?.repository.name ?? ""}#${issue.number}`;
}

/** What is remembered of a cycle's project by now: the cycle itself knows what it was when it began. */
export function projectNow(cycle: Pick<Cycle, "world" | "project" | "memory">): ProjectMemory {
  return cycle.world.ledger.memory.project(cycle.project.key) ?? cycle.memory;
}

/** By what a list was read that then counts as unchanged: with other settings, or after a full look, all of it is read again. */
export function readBy(cycle: Pick<Cycle, "world" | "project" | "memory" | "settings">): string {
  return hashText(canonical([cycle.settings, projectNow(cycle).fullAt ?? null]));
}

/** Remembers something new of a cycle's project. `cause`: what it comes with, made before. */
export async function rememberOfProject(
  cycle: Pick<Cycle, "world" | "project" | "memory">,
  news: Partial<ProjectMemory>,
  cause: readonly Change[] = [],
): Promise<void> {
  const memory = { ...projectNow(cycle), ...news };
  await cycle.world.ledger.commit([...cause, { kind: "remember-project", memory }]);
}
