import { setImmediate } from "node:timers/promises";
import { StateError } from "../../src/errors.ts";
import type { HeldProjects, Ledger, SharedLedger } from "../../src/ledger/ledger.ts";
import { createValidity, type LeaseNumber } from "../../src/ledger/postgres/leases.ts";
import { createSharedLedger } from "../../src/ledger/postgres/postgres.ts";
import { createHeld, createLedger } from "../../src/ledger/sql/ledger.ts";
import type { RunResult } from "../../src/sync/run.ts";
import type { Time } from "./clock.ts";
import type { Totals } from "./invariants.ts";
import { Crash, isStill, type Life, meetDoom, standStill, startLife } from "./process.ts";
import { pickWeighted } from "./random.ts";
import type { Replicas } from "./replicated-state.ts";
import { projectKey, type Scenario } from "./scenario.ts";
import type { Counts, Freeze, RunEnd } from "./stage.ts";
import type { Fate, Line, Omission, Question, ServerProcess, StateServer } from "./state-server.ts";
import type { Events, Violate } from "./watcher.ts";
import type { Weather, Wire } from "./wire.ts";

/** What replicas work with. */
export interface CrewSettings<Sides> {
  readonly replicas: Replicas;
  readonly scenario: Scenario;
  readonly time: Time;
  readonly wire: Wire;
  readonly counts: Counts;
  readonly totals: Totals;
  readonly events: Events;
  readonly violate: Violate;
  /** What the server leaves out, for a planted bug. */
  readonly omits: Omission | undefined;
  /** What a process has of both sides for as long as it lives. */
  connect(life: Life): Sides;
  /** One run of a project that is held; `undefined` where it ended in the middle. */
  go(worker: Worker<Sides>, ledger: Ledger, end: RunEnd): Promise<RunResult | undefined>;
  /** I14. */
  measure<T>(sides: Sides, isTimed: () => boolean, run: () => Promise<T>): Promise<T>;
}

/** One process of a replica. */
export interface Worker<Sides> {
  readonly index: number;
  readonly life: Life;
  readonly sides: Sides;
  readonly ledger: SharedLedger;
  /** What a timer would have done meanwhile. */
  catchUp(): void;
}

/** Two replicas of one state, which take turns. */
export interface Crew {
  run(weather: Weather, end: RunEnd): Promise<RunResult | undefined>;
  /** All processes end between two runs. */
  endProcesses(): void;
  /** Until when the process keeps quiet that has the next run. */
  closedUntil(): number;
  /** Whether the next run can have the project at once. */
  isFree(): boolean;
  /** Nobody reaches the state until then, true time. */
  cut(until: number): void;
}

const replicaCount = 2;
/** As `placeOfState` does with the longest request that a config has by itself. */
export const requestMs = 30_000;
export function createCrew<Sides>(settings: CrewSettings<Sides>): Crew {
  const { replicas, scenario, time, wire, counts, totals, events, violate } = settings;
  const leaseMs = scenario.leaseMs ?? requestMs;
  const lives = new Map<Line, Life>();
  const workers: (Worker<Sides> | undefined)[] = [];
  /** Who has taken the project and not let go of it. */
  let holder: Life | undefined;
  const running = new Set<Life>();
  let cutUntil = 0;
  let last = 0;
  const serverTime = (): number => time.now() + scenario.skewMs;

  const server: StateServer = replicas.open({
    now: serverTime,
    wait: (ms) => time.advance(ms),
    omits: settings.omits,
    events: {
      committed(line) {
        const life = lives.get(line);
        if (life?.isDeposed === true)
          violate("I12", "something is committed for a run whose project another process has taken");
      },
      taken(line) {
        wire.tell(`${line.who} takes the project`);
        const life = lives.get(line);
        if (holder !== undefined && holder !== life) {
          totals.takeovers += 1;
          if (!holder.isDead) depose(holder);
        }
        // What it lost before it took the project is its own again.
        if (life !== undefined) life.isDeposed = false;
        holder = life;
      },
      released() {
        holder = undefined;
      },
    },
  });

  /** Whatever its run goes on to do, nothing of it may show any more. */
  const depose = (life: Life): void => {
    life.isDeposed = true;
    if (!running.delete(life)) return;
    events.processEnds();
    events.runEnds();
  };

  const drawFate = (question: Question): Fate => {
    const { random, faultRate } = wire.weather;
    if (time.now() < cutUntil) return "unsent";
    if (!random.chance(faultRate / 20)) return "fine";
    const fate = pickWeighted<Fate>(random, { unsent: 1, "answer lost": 2, fine: 0 });
    wire.count(`state: ${question} ${fate}`);
    if (question === "commit" && fate === "answer lost") totals.lostCommits += 1;
    return fate;
  };

  const start = async (index: number, halt: Life["halt"]): Promise<Worker<Sides>> => {
    const life = startLife();
    life.halt = halt;
    const startedAt = time.now();
    const monotonic = (): number => time.now() - startedAt;
    const validity = createValidity(monotonic, requestMs);
    const line: Line = {
      who: `replica ${index}`,
      leaseMs,
      monotonic,
      prolonged: validity.prolonged,
      fate: drawFate,
      pass(question, when) {
        if (question === "commit") meetDoom(life, "commit", when);
        if (life.isDead) throw new Crash("This process is over.");
        return standStill(life);
      },
      isStill: () => isStill(life),
    };
    lives.set(line, life);
    const { leases, engineOf, place } = server.connect(line);
    const process: ServerProcess = {
      known: place(),
      moved() {
        held.numbers.forget();
        return base.relearn();
      },
      assertHeld: (holds) => validity.assertLong(holds, leases),
    };
    const engine = engineOf([], process);
    const held = createHeld(engine.store);
    const base = createLedger(engine, held);
    const relearn = async (): Promise<void> => {
      await engine.carry(base.relearn);
      process.known = place();
    };
    await relearn();
    const due = new Set<() => void>();
    const ledger = createSharedLedger({
      ledger: base.ledger,
      ofHold: (holds: readonly LeaseNumber[]) => createLedger(engineOf(holds, process), held).ledger,
      relearn,
      leases,
      clockAheadMs: 0,
      now: () => 0,
      leaseMs,
      repeat(everyMs, work) {
        const happen = (): void => {
          if (life.isDead) stop();
          else if (isStill(life)) due.add(happen);
          else void work().catch(() => undefined);
        };
        const stopTimer = time.repeat(everyMs, happen);
        const stop = (): void => {
          stopTimer();
          due.delete(happen);
        };
        return stop;
      },
    });
    life.whyNot = (leftAt) => {
      const lease = server.lease(projectKey);
      if (life.isDeposed) return "whose project another one has taken";
      if (lease?.holder !== line.who || lease.until <= leftAt + scenario.skewMs)
        return "whose lease has run out";
      return undefined;
    };
    const worker: Worker<Sides> = {
      index,
      life,
      ledger,
      sides: settings.connect(life),
      catchUp() {
        const missed = [...due];
        due.clear();
        for (const happen of missed) happen();
      },
    };
    workers[index] = worker;
    return worker;
  };

  /** Takes the project; who comes too early comes again when the lease of the other one is over. */
  const take = async ({ ledger }: Worker<Sides>, isBeside: boolean): Promise<HeldProjects | undefined> => {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const taken = await ledger.take([projectKey]);
      if (taken.kind === "held") return taken;
      counts.note("replicas: the project is the other one's");
      if (isBeside) return undefined;
      const until = server.lease(projectKey)?.until ?? 0;
      time.advance(Math.max(0, until - serverTime()) + 1);
    }
    return undefined;
  };

  /** One replica's turn of the schedule. `isBeside`: the other one stands still in its run. */
  const turnOf = async (
    index: number,
    weather: Weather,
    end: RunEnd,
    halt: Life["halt"],
    isBeside: boolean,
  ): Promise<RunResult | undefined> => {
    if (scenario.isOneShot) endOne(index);
    wire.weather = weather;
    try {
      const worker = workers[index] ?? (await start(index, halt));
      const { life } = worker;
      Object.assign(life, {
        awaits: 0,
        commits: 0,
        doom: end.doom,
        halt,
        isDeposed: false,
        still: undefined,
      });
      const hold = await take(worker, isBeside);
      if (hold === undefined) return undefined;
      return await runHeld(worker, hold, end);
    } catch (error) {
      if (error instanceof Crash) endOne(index);
      else if (isUnreachable(error)) counts.note("replicas: the state can't be reached");
      else throw error;
      return undefined;
    }
  };

  const runHeld = async (
    worker: Worker<Sides>,
    hold: HeldProjects,
    end: RunEnd,
  ): Promise<RunResult | undefined> => {
    const { life, index } = worker;
    counts.runs += 1;
    if (!life.isDeposed) {
      running.add(life);
      events.runBegins();
    }
    const isTimed = (): boolean => life.still === undefined && !life.isDeposed;
    const result = await settings.measure(worker.sides, isTimed, () => settings.go(worker, hold.ledger, end));
    const isOwn = running.delete(life);
    if (life.isDead) endOne(index, isOwn);
    else if (result === undefined && isOwn) events.processEnds();
    if (isOwn) events.runEnds();
    if (!life.isDead) await hold.release().catch(refuseOthers);
    return result;
  };

  /** The process of one replica stops, the other one has its turn, and the first goes on where it stood. */
  const createHalt = (index: number, freeze: Freeze, ended: Promise<void>): Halted => {
    let other: Promise<unknown> = Promise.resolve();
    const begin = async (): Promise<void> => {
      totals.freezes += 1;
      // Whatever else it does comes to its next point.
      await setImmediate();
      const from = time.now();
      wire.tell(`replica ${index} stands still for ${Math.round(freeze.ms / 1_000)} s`);
      time.advance(freeze.ms);
      const thaw = Promise.withResolvers<void>();
      const own = keepWeather(wire);
      const back = freeze.back;
      const halt: Life["halt"] =
        back === undefined
          ? undefined
          : {
              left: back,
              during: undefined,
              async begin() {
                await setImmediate();
                const its = keepWeather(wire);
                const stoodFrom = time.now();
                thaw.resolve();
                await ended;
                its();
                noteStill(1 - index, stoodFrom);
              },
            };
      other = turnOf(1 - index, freeze.weather(), { doom: freeze.doom }, halt, true);
      await Promise.race([other, thaw.promise]);
      wire.tell(`replica ${index} goes on`);
      own();
      noteStill(index, from);
    };
    return { halt: { left: freeze.left, begin, during: undefined }, rest: () => other };
  };

  const noteStill = (index: number, from: number): void => {
    const worker = workers[index];
    if (worker === undefined || worker.life.isDead) return;
    const { halt } = worker.life;
    worker.life.still = { from, until: time.now() };
    worker.life.halt = undefined;
    worker.catchUp();
    worker.life.halt = halt;
  };

  function endOne(index: number, isHeard = true): void {
    const worker = workers[index];
    if (worker === undefined) return;
    worker.life.isDead = true;
    workers[index] = undefined;
    counts.ends += 1;
    if (isHeard) events.processEnds();
    worker.ledger.close();
  }

  return {
    async run(weather, end) {
      const index = end.index ?? (last + 1) % replicaCount;
      last = index;
      if (end.freeze === undefined) return turnOf(index, weather, end, undefined, false);
      const ended = Promise.withResolvers<void>();
      const { halt, rest } = createHalt(index, end.freeze, ended.promise);
      const result = await turnOf(index, weather, end, halt, false);
      ended.resolve();
      await rest();
      return result;
    },
    endProcesses() {
      for (let index = 0; index < replicaCount; index += 1) endOne(index);
    },
    closedUntil: () => workers[(last + 1) % replicaCount]?.life.closedUntil ?? 0,
    isFree: () => (server.lease(projectKey)?.until ?? 0) <= serverTime() && time.now() >= cutUntil,
    cut(until) {
      cutUntil = until;
    },
  };
}

interface Halted {
  readonly halt: NonNullable<Life["halt"]>;
  /** What the other one has still to do when the first has ended. */
  rest(): Promise<unknown>;
}

/** Returns what puts it back. */
function keepWeather(wire: Wire): () => void {
  const { weather, meanwhile, watch } = wire;
  return () => {
    Object.assign(wire, { weather, meanwhile, watch });
  };
}

/** What could not be let go of is over by itself. */
function refuseOthers(error: unknown): void {
  if (!isUnreachable(error)) throw error;
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof StateError && error.code === "state.unreachable";
}
