import { z } from "zod";
import type { PostId, ProjectId } from "../model/post.ts";
import type { Kinds } from "./kinds.ts";
import type { ShownAction } from "./rows.ts";
import { issueShape, plannedShape, refShape, type Shaped, writeKind } from "./shapes.ts";
import { later } from "./stored.ts";

/** What a command gives to the daemon that has the state, and waits for. Orders and reports are stored as they are. */
export interface Orders {
  /** Gives an order. What is long over is forgotten. */
  give(order: NewOrder): Promise<OrderNumber>;
  /** Whether there is one to take. */
  areWaiting(): Promise<boolean>;
  /** The oldest one that nobody has taken: it is taken by this, once. Its time may be over. */
  take(who: string): Promise<GivenOrder | undefined>;
  /** undefined where it is not known (any more). */
  find(number: OrderNumber): Promise<OrderState | undefined>;
}

export type OrderNumber = number & { readonly __order: true };

export interface NewOrder {
  /** Epoch ms. */
  readonly at: number;
  /** Nobody carries it out where it is taken later. */
  readonly until: number;
  /** `sync, process 12 on host box`. */
  readonly who: string;
  readonly order: object;
}

export interface GivenOrder extends NewOrder {
  readonly number: OrderNumber;
}

/** How far an order is. */
export interface OrderState {
  /** undefined while nobody has taken it. */
  readonly takenBy: string | undefined;
  /** How far the run is, where it takes long. */
  readonly progress: unknown;
  /** What came of it; undefined until then. */
  readonly outcome: unknown;
}

export type OrderChange = Kinds<{
  "note-progress": { order: OrderNumber; progress: object };
  "end-order": { order: OrderNumber; outcome: object };
  /** Nobody waits for it any more: it is not taken. One that was taken goes on. */
  "withdraw-order": { order: OrderNumber };
  /** Ends those that were taken by others than these: whoever took them lives no more. */
  "end-orphans": { living: readonly string[]; outcome: object };
}>;

/**
 * What people ask for beside a run, in short transactions of their own; the next run of the project takes it up.
 */
export interface Requests {
  /** In the order in which they came. */
  pending(project: ProjectId): Promise<readonly PersonRequest[]>;
  /** The newest of each project that has any. */
  newest(): Promise<readonly Pick<PersonRequest, "project" | "id" | "at">[]>;
}

export type RequestId = number & { readonly __request: true };

/** By which way a person asked. */
export interface Who {
  /** Left out for a command at a terminal. */
  readonly by?: "page";
}

interface AnyRequest extends Who {
  readonly project: ProjectId;
  readonly at: number;
}

/** What is asked for of whole posts. */
export type PostsRequest = "retry" | "release" | "discard" | "resume" | "resume-discard";

const by = z.literal("page").exactOptional();
const postId = z.string() as unknown as z.ZodType<PostId>;

/** What a person asks for. */
export type NewRequest = AnyRequest & Shaped<typeof requestShape>;
/** As it is stored: the JSON that this describes. What is optional here was left out by older versions, too. */
export const requestShape = later(() =>
  z.discriminatedUnion("kind", [
    /**
     * `retry`: what is parked of these posts may be tried again. `release`: ends their quarantine. `discard`: takes both sides of
     * these posts as they are. `resume`: ends their pause; `resume-discard`: takes both sides as they are, and then ends it.
     */
    z.object({
      kind: z.enum(["retry", "release", "discard", "resume", "resume-discard"] satisfies PostsRequest[]),
      by,
      posts: z.array(postId),
      /** Of `discard`: what was shown of them. What has become something else is not discarded. */
      shown: z
        .array(z.object({ post: postId, kind: writeKind(), planned: plannedShape().optional() }))
        .exactOptional(),
    }),
    /** Of a project that is held because the board shrank, the present size, which was shown as words, is the new measure. */
    z.object({ kind: z.literal("accept-size"), by, shown: z.string().exactOptional() }),
    /** Links a post to an issue that people opened, in a repository as the config names it. */
    z.object({
      kind: z.literal("link"),
      by,
      post: postId,
      repository: z.string(),
      number: z.number(),
      /** As it was when the person asked; left out where nobody could ask for it then. */
      issue: issueShape().exactOptional(),
    }),
    /** Ends these links. */
    z.object({ kind: z.literal("unlink"), by, post: postId, issues: z.array(refShape()) }),
    /**
     * Publishes the very text of an entry of the changelog that the call with this hash has made; asked for twice, it goes although
     * another one was published less than a day before.
     */
    z.object({
      kind: z.literal("publish"),
      by,
      tag: z.string(),
      hash: z.string(),
      /** Set where the person was shown that it goes at once, since it had been let go before. */
      isSecond: z.literal(true).exactOptional(),
    }),
    /** What is stuck of an entry is tried once more. */
    z.object({ kind: z.literal("retry-entry"), by, tag: z.string() }),
    /** A draft that the guard holds is made. `print`: what its release was when a person saw it. */
    z.object({ kind: z.literal("draft-entry"), by, tag: z.string(), print: z.string() }),
    /** Ends the pause of the whole project; with `isDiscard` both sides of what it held up are taken as they are before that. */
    z.object({ kind: z.literal("resume-project"), by, isDiscard: z.boolean() }),
    /** Lets these very actions go; `isWhole` when the whole project was approved. */
    z.object({
      kind: z.literal("approve"),
      by,
      actions: z.array(
        z.looseObject({ post: postId, kind: writeKind(), signature: z.string() }) as z.ZodType<ShownAction>,
      ),
      isWhole: z.boolean(),
      /** Set where another order has let them go, and a run had to leave them: whatever is asked for in their place needs nobody for that. */
      isImplied: z.literal(true).exactOptional(),
    }),
  ]),
);

export type PersonRequest = NewRequest & { readonly id: RequestId };

/** Runs and signs of life. */
export interface Runs {
  /**
   * Begins a run. Its clock may have been set back since the last one: a time that lies ahead would hold up for years what
   * waits for it (a wait, a full look, the pace, the guard's window). What happened ahead counts as happened now, so that no
   * wait gets shorter, and what is to be done ahead is looked at again.
   */
  begin(at: number): Promise<BegunRun>;
  /** The last finished run of a project (by its config key), or of any of several. */
  last(projects: string | readonly string[]): Promise<StoredRun | undefined>;
  /** When the first of its runs began that are still known, epoch ms. */
  firstAt(project: string): Promise<number | undefined>;
  /** The number of the last finished run of all that the state knows; undefined where there is none. */
  lastOfAll(): Promise<number | undefined>;
  /** A finished run by its number; undefined where there is none, or `keep` has deleted it. */
  find(run: number): Promise<FoundRun | undefined>;
  heartbeat(): Promise<SignOfLife | undefined>;
  /** The daemons that are at work on the state, and what each has now; none where the state is for one alone. */
  replicas(): Promise<readonly Replica[]>;
  /** Whether that code is offered now; then it is offered no more. */
  takePage(print: string, now: number): Promise<boolean>;
  /**
   * Uses a form of the page up: false where it was used before, by whichever process.
   *
   * @param until - when it ends by itself, epoch ms; it may be forgotten then.
   */
  useForm(print: string, until: number, now: number): Promise<boolean>;
}

export interface BegunRun {
  /** Counted from 1. */
  readonly run: number;
  /** By how many milliseconds the last run was ahead; 0 where it was not, and then nothing was moved. */
  readonly aheadMs: number;
}

/** The last sign of life of a daemon. */
export interface SignOfLife {
  /** Epoch ms. */
  readonly at: number;
  /** `daemon, process 1 on host box`. */
  readonly who: string;
  /** It ends now, as it should: no further sign is to be expected. */
  readonly isLast?: true;
  /** Of its HTTP, `http://host:port`; undefined where it serves none. */
  readonly address?: string | undefined;
  /** The config that it works by; left out by an older version. */
  readonly config?: WorkedBy;
  /** What has ended the last run of a project with an error, by its key, in a word: no run of the state tells it. */
  readonly broken?: Readonly<Record<string, string>>;
}

/** Which config a daemon works by. */
export interface WorkedBy {
  /** Tells it from every other one. */
  readonly print: string;
  /** When it was read, epoch ms. */
  readonly readAt: number;
}

/** One of several daemons on one state, as its last sign of life tells. */
export interface Replica extends Pick<SignOfLife, "who" | "at" | "config"> {
  /** The projects that it runs now, as the config names them. */
  readonly projects: readonly string[];
}

export interface RunRecord {
  readonly finishedAt: number;
  readonly result: "ok" | "partial" | "held" | "failed";
  /** One report a project, as `sync --json` prints it: the ledger stores it as it is. */
  readonly projects: readonly { readonly project: string; readonly report: object }[];
}

export interface StoredRun {
  readonly run: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly result: "ok" | "partial" | "held" | "failed";
  readonly report: unknown;
}

/** A run with the runs beside it. */
export interface FoundRun extends Omit<StoredRun, "report"> {
  readonly projects: readonly { readonly project: string; readonly report: unknown }[];
  /** The numbers of the finished runs before and after it; null where there is none. */
  readonly before: number | null;
  readonly after: number | null;
}
