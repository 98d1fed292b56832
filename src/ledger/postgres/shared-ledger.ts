import { StateError } from "../../errors.ts";
import type { Change } from "../change.ts";
import type { Ahead, Ledger } from "../ledger.ts";
import type { Replica as Process, SignOfLife } from "../runs.ts";
import type { HeldProjects, SharedLedger } from "../shared.ts";
import type { LeaseNumber, Leases } from "./log.ts";
import type { Replica } from "./replica.ts";

/** Calls of the port that write, besides `commit`; all others are answered by this process's own copy. */
const writing: ReadonlySet<string> = new Set([
  "pulls.begin",
  "journal.prepare",
  "journal.recover",
  "orders.give",
  "orders.take",
  "runs.begin",
  "runs.takePage",
  "runs.useForm",
  "upkeep.prune",
]);

const parts = [
  "pulls",
  "absences",
  "signals",
  "rows",
  "lookup",
  "browse",
  "links",
  "backlinks",
  "journal",
  "pace",
  "requests",
  "orders",
  "runs",
  "notices",
  "upkeep",
] as const satisfies readonly (keyof Ledger)[];

/** What a shared ledger is made of. */
export interface Shares {
  readonly replica: Replica;
  readonly leases: Leases;
  readonly signs: Signs;
  /** Until when leases hold, by the monotonic clock. */
  readonly validUntil: ReadonlyMap<string, number>;
  /** The longest that a request may take. */
  readonly requestMs: number;
  readonly clockAheadMs: number;
  /** Epoch ms, by the clock of the state. */
  now(): number;
  monotonic(): number;
  /** Calls that often until it is told to stop. */
  repeat(everyMs: number, work: () => Promise<void>): () => void;
  readonly leaseMs: number;
  close(): void;
}

/** Signs of life of all processes: too many, and too short-lived, for the log. */
export interface Signs {
  write(sign: SignOfLife): Promise<void>;
  /** Of this host, where it has one; else the last of all. */
  read(): Promise<SignOfLife | undefined>;
  processes(): Promise<readonly Process[]>;
}

/** The port over a copy that follows the log. */
export function createSharedLedger(shares: Shares): SharedLedger {
  const { leases, repeat, leaseMs } = shares;
  return Object.assign(portOf(shares, []), {
    clockAheadMs: shares.clockAheadMs,
    now: shares.now,
    async take(keys: readonly string[]) {
      const taken = await leases.take(keys);
      if (taken.kind === "taken") return taken;
      const stop = repeat(leaseMs / 3, async () => {
        await leases.renew(taken.holds);
      });
      const hold: HeldProjects = {
        kind: "held",
        ledger: portOf(shares, taken.holds),
        async release() {
          stop();
          await leases.release(taken.holds);
        },
      };
      try {
        // What the one before has committed is read before anything is decided.
        await shares.replica.follow();
      } catch (error) {
        // Nobody gets this hold, so nobody else would ever let go of it.
        await hold.release().catch(() => undefined);
        throw error;
      }
      return hold;
    },
  });
}

/** @param view what is read of the copy. */
function portOf(
  shares: Shares,
  holds: readonly LeaseNumber[],
  view: (copy: Ledger) => Ahead = (copy) => copy,
): Ledger {
  const { replica, signs } = shares;
  type Method = (...asked: unknown[]) => Promise<unknown>;
  const call = (ledger: Ledger, part: (typeof parts)[number], name: string, asked: unknown[]) =>
    (view(ledger)[part] as unknown as Record<string, Method>)[name]?.(...asked);
  const wrapped = Object.fromEntries(
    parts.map((part) => {
      const methods = Object.keys(replica.now()[part]).map((name): [string, Method] => [
        name,
        writing.has(`${part}.${name}`)
          ? (...asked) => replica.write(holds, async (ledger) => call(ledger, part, name, asked))
          : (...asked) => replica.read(async (ledger) => call(ledger, part, name, asked)),
      ]);
      return [part, Object.fromEntries(methods)];
    }),
  ) as unknown as Pick<Ledger, (typeof parts)[number]>;
  return {
    ...wrapped,
    runs: { ...wrapped.runs, heartbeat: () => signs.read(), replicas: () => signs.processes() },
    get memory() {
      return view(replica.now()).memory;
    },
    get copiedAt() {
      return view(replica.now()).copiedAt;
    },
    get identity() {
      return replica.now().identity;
    },
    get pageKey() {
      return replica.now().pageKey;
    },
    async commit(changes) {
      const rest: Change[] = [];
      for (const change of changes) {
        if (change.kind === "beat") await signs.write(change.sign);
        else rest.push(change);
      }
      if (rest.length > 0) await replica.write(holds, (ledger) => ledger.commit(rest));
    },
    after: (changes) => portOf(shares, holds, (copy) => copy.after(changes)),
    copyTo: (file, stampedAt) => replica.read((ledger) => ledger.copyTo(file, stampedAt)),
    async assertHeld() {
      const isLongEnough = (): boolean => {
        const until = Math.min(...holds.map(({ project }) => shares.validUntil.get(project) ?? 0));
        return shares.monotonic() + shares.requestMs <= until;
      };
      // A write that needs no line of its own may come late after the last one.
      if (isLongEnough()) return;
      await shares.leases.renew(holds);
      if (isLongEnough()) return;
      throw new StateError(
        `What is left of the lease of ${holds.map(({ project }) => project).join(", ")} is shorter than a request may take, so it is not sent: this process stood still, or could not reach the state. The next run goes on.`,
        { code: "state.unreachable" },
      );
    },
    close: shares.close,
  };
}
