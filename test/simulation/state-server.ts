import { StateError } from "../../src/errors.ts";
import type {
  CommitTurn,
  Entry,
  Image,
  LeaseNumber,
  Leases,
  SharedLog,
} from "../../src/ledger/postgres/log.ts";

/** What a process asks the server for; `doubt` is whether a COMMIT has arrived whose answer was lost. */
export type Question = "turn" | "commit" | "doubt" | "read" | "image" | "take" | "renew" | "release";

/** What becomes of a question. */
export type Fate = "fine" | "unsent" | "answer lost";

/** One process, as the server and the line to it know it. */
export interface Line {
  /** `daemon, process 1 on host box`. */
  readonly who: string;
  readonly leaseMs: number;
  /** The process's own clock: milliseconds since some moment. */
  monotonic(): number;
  /** These leases hold until then, by that clock. */
  readonly prolonged: (holds: readonly LeaseNumber[], until: number) => void;
  fate(question: Question): Fate;
  /** Before a question leaves and after its answer has come: here a process may stand still, or end. */
  pass(question: Question, when: "before" | "after"): Promise<void> | undefined;
  /** Whether the process stands still, so that nobody can wait for it. */
  isStill(): boolean;
}

/** What is committed, and by whom. */
export interface Committed {
  readonly line: Line;
  readonly entry: Entry;
}

/** What the server tells whoever watches it. */
export interface ServerEvents {
  committed(committed: Committed): void;
  taken(line: Line, project: string): void;
  released(line: Line, project: string): void;
}

/** The server of a shared state, in memory: what `server-log.ts` does by SQL, for many processes and their bad lines. */
export interface StateServer {
  connect(line: Line): { readonly log: SharedLog; readonly leases: Leases };
  /** Another state, as one that was deleted or put back; every lease is over. */
  reset(image: Image, isAtHome: boolean): void;
  /** Makes an image of all that is committed, as a process does whose log has grown long. */
  keepImage(body: Buffer): void;
  lease(project: string): Lease | undefined;
  /** It runs out now. */
  endLease(project: string): void;
  readonly isAtHome: boolean;
}

export interface Lease {
  /** Rises each time that another takes it. */
  readonly number: number;
  readonly holder: string;
  /** By the clock of the server. */
  readonly until: number;
}

export interface ServerSettings {
  /** The clock of the server, epoch ms. */
  now(): number;
  /** Lets time pass: somebody waits for the turn of a process that stands still. */
  wait(ms: number): void;
  readonly events: ServerEvents;
}

/** A transaction that has locked the head. */
interface Session {
  readonly line: Line;
  /** When the server heard of it last. */
  readonly heardAt: number;
  /** What it prolongs once it commits. */
  readonly prolonging: ReadonlyMap<string, Lease>;
}

/** A process that has stopped in its turn loses it: `idle_in_transaction_session_timeout`. */
const idleMs = 8_000;

export function createStateServer({ now, wait, events }: ServerSettings): StateServer {
  let entries: readonly Entry[] = [];
  let images: readonly Image[] = [];
  let head = 0;
  let isAtHome = true;
  /** Each state has another one, and each that was put back once somebody has committed to it. */
  let place = 0;
  let leases = new Map<string, Lease>();
  let session: Session | undefined;
  let waiting: (() => void)[] = [];

  const isHeld = ({ project, number }: LeaseNumber): boolean => {
    const lease = leases.get(project);
    return lease?.number === number && lease.until > now();
  };
  const isLocked = (project: string): boolean =>
    session !== undefined && isOpen(session) && session.prolonging.has(project);
  const isOpen = (one: Session): boolean => session === one && now() - one.heardAt < idleMs;
  const end = (one: Session): void => {
    if (session !== one) return;
    session = undefined;
    const next = waiting;
    waiting = [];
    for (const wake of next) wake();
  };
  const lock = async (line: Line, holds: readonly LeaseNumber[]): Promise<Session> => {
    while (session !== undefined) {
      const { heardAt } = session;
      if (now() - heardAt >= idleMs) end(session);
      else if (session.line.isStill()) wait(heardAt + idleMs - now());
      else await new Promise<void>((wake) => waiting.push(wake));
    }
    const until = now() + line.leaseMs;
    const kept = holds.filter(isHeld);
    const prolonging = new Map(
      kept.map(({ project, number }) => [project, { number, holder: line.who, until }]),
    );
    const own: Session = { line, heardAt: now(), prolonging };
    session = own;
    return own;
  };
  const commit = (own: Session, body: Buffer): number => {
    head += 1;
    const entry: Entry = { number: head, body };
    entries = [...entries, entry];
    if (!isAtHome) place += 1;
    isAtHome = true;
    for (const [project, lease] of own.prolonging) leases.set(project, lease);
    events.committed({ line: own.line, entry });
    return head;
  };
  /** Undefined where the first of them is not the next. */
  const newsAfter = (after: number): readonly Entry[] | undefined => {
    const news = entries.filter(({ number }) => number > after);
    return after + news.length === head ? news : undefined;
  };
  const keepImage = (image: Image): void => {
    const last = Math.max(...images.map(({ number }) => number).filter((number) => number < image.number));
    entries = entries.filter(({ number }) => number > last);
    images = [...images.filter(({ number }) => number >= image.number), image];
  };

  const logOf = (line: Line): SharedLog => {
    const ask = async <T>(question: Question, answer: () => T): Promise<T> => {
      await line.pass(question, "before");
      const fate = line.fate(question);
      if (fate !== "fine") throw unreachable();
      const answered = answer();
      await line.pass(question, "after");
      return answered;
    };
    /** Whoever has the turn sees all that was committed. */
    const isThere = async (number: number, body: Buffer): Promise<boolean> => {
      await line.pass("doubt", "before");
      if (line.fate("doubt") !== "fine") return false;
      end(await lock(line, []));
      return entries.some((entry) => entry.number === number && entry.body.equals(body));
    };
    const append = async (own: Session, number: number, body: Buffer): Promise<void> => {
      let fate: Fate = "unsent";
      try {
        await line.pass("commit", "before");
        fate = isOpen(own) ? line.fate("commit") : "unsent";
        if (fate !== "unsent") commit(own, body);
      } finally {
        end(own);
      }
      await line.pass("commit", "after");
      if (fate === "fine" || (await isThere(number, body))) return;
      throw unreachable();
    };
    return {
      async turn(after, holds) {
        const beganAt = line.monotonic();
        await line.pass("turn", "before");
        if (line.fate("turn") !== "fine") throw unreachable();
        const own = await lock(line, holds);
        if (own.prolonging.size < holds.length) {
          end(own);
          throw lost(holds.filter(({ project }) => !own.prolonging.has(project)));
        }
        const turn: CommitTurn = {
          news: newsAfter(after),
          place: String(place),
          isAtHome,
          now: now(),
          async append(body) {
            const number = head + 1;
            await append(own, number, body);
            if (holds.length > 0) line.prolonged(holds, beganAt + line.leaseMs);
            return number;
          },
          async end() {
            end(own);
          },
        };
        try {
          await line.pass("turn", "after");
        } catch (error) {
          end(own);
          throw error;
        }
        return turn;
      },
      read: (after) =>
        ask("read", () => {
          const news = entries.filter(({ number }) => number > after);
          const isWhole = news.every(({ number }, index) => number === after + index + 1);
          const isBehind = news.length === 0 && head > after;
          return { entries: isWhole && !isBehind ? news : undefined, place: String(place) };
        }),
      image: () =>
        ask("image", () => {
          const newest = images.toSorted((one, other) => other.number - one.number)[0];
          if (newest === undefined) throw new Error("The server has no state.");
          return { ...newest, place: String(place) };
        }),
      async keepImage(image) {
        keepImage(image);
      },
    };
  };

  const leasesOf = (line: Line): Leases => {
    const free = ({ project, number }: LeaseNumber): void => {
      const lease = leases.get(project);
      if (lease?.number !== number) return;
      leases.set(project, { ...lease, until: Number.NEGATIVE_INFINITY });
      events.released(line, project);
    };
    return {
      async take(keys) {
        const beganAt = line.monotonic();
        await line.pass("take", "before");
        const fate = line.fate("take");
        if (fate === "unsent") throw unreachable();
        const other = keys.find((project) => isLocked(project) || (leases.get(project)?.until ?? 0) > now());
        if (other === undefined) {
          for (const project of keys) {
            const number = (leases.get(project)?.number ?? 0) + 1;
            leases.set(project, { number, holder: line.who, until: now() + line.leaseMs });
            events.taken(line, project);
          }
        }
        const holds = keys.map((project) => ({ project, number: leases.get(project)?.number ?? 0 }));
        await line.pass("take", "after");
        if (fate === "answer lost") throw unreachable();
        if (other !== undefined) {
          const who = leases.get(other)?.holder ?? "";
          return { kind: "taken", project: other, who, isOtherConfig: false };
        }
        line.prolonged(holds, beganAt + line.leaseMs);
        return { kind: "held", holds };
      },
      async renew(holds) {
        const beganAt = line.monotonic();
        const fate = line.fate("renew");
        if (fate === "unsent") throw unreachable();
        const kept = holds.filter(isHeld);
        for (const { project, number } of kept)
          leases.set(project, { number, holder: line.who, until: now() + line.leaseMs });
        if (fate === "answer lost") throw unreachable();
        line.prolonged(kept, beganAt + line.leaseMs);
        return kept;
      },
      async release(holds) {
        await line.pass("release", "before");
        const fate = line.fate("release");
        if (fate !== "unsent") for (const hold of holds) free(hold);
        if (fate !== "fine") throw unreachable();
      },
    };
  };

  return {
    connect: (line) => ({ log: logOf(line), leases: leasesOf(line) }),
    reset(image, atHome) {
      entries = [];
      images = [image];
      head = image.number;
      isAtHome = atHome;
      if (atHome) place += 1;
      leases = new Map();
      session = undefined;
    },
    keepImage: (body) => keepImage({ number: head, body }),
    lease: (project) => leases.get(project),
    endLease(project) {
      const lease = leases.get(project);
      if (lease !== undefined) leases.set(project, { ...lease, until: now() });
    },
    get isAtHome() {
      return isAtHome;
    },
  };
}

function unreachable(): StateError {
  return new StateError("The state can't be reached.", { code: "state.unreachable" });
}

function lost(holds: readonly LeaseNumber[]): StateError {
  const names = holds.map(({ project }) => project).join(", ");
  return new StateError(`The lease of ${names} has run out.`, { code: "state.unreachable" });
}
