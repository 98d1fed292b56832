import { RemoteError, type Side } from "../../src/errors.ts";
import type { ReadBounds } from "../../src/model/surroundings.ts";
import type { Time } from "./clock.ts";
import { type Life, meetDoom, standStill } from "./process.ts";
import { createRandom, pickWeighted, type Random } from "./random.ts";

/** What can go wrong in one step of a history. */
export interface Weather {
  readonly random: Random;
  /** Of a request: the probability of a fault. */
  readonly faultRate: number;
  /** Of a request: the probability that people act while it is under way. */
  readonly peopleRate: number;
  /** Whether requests take time. */
  readonly hasLatency: boolean;
}

/** Good weather: every request is answered at once, nobody else is there. */
export function calm(): Weather {
  return { random: createRandom(1), faultRate: 0, peopleRate: 0, hasLatency: false };
}

/** A side that refuses everything for a while. */
export interface Outage {
  readonly fault: "unreachable" | "unauthorized" | "limited";
  /** True time. */
  readonly until: number;
}

/** Between the program and the two sides: takes time, loses things, and lets people act meanwhile. */
export interface Wire {
  readonly time: Time;
  weather: Weather;
  readonly outages: Map<Side, Outage>;
  /** Called now and then while a request is under way. */
  meanwhile: () => void;
  /** Takes a line of the story. */
  tell: (words: string) => void;
  /** Called with every request, before it leaves. */
  watch: () => void;
  /** How far so many requests moved the one clock on their two ways, the last before this time, in milliseconds. */
  moved(requests: number, before: number): number;
  /** A request leaves. */
  leave(life: Life): Promise<void>;
  /** Its answer arrives; never, at a process that is over. */
  arrive(life: Life): Promise<void>;
  /** The outage of a side, if there is one now. */
  outage(side: Side): Outage | undefined;
  /** A read meets its fate. Throws what the adapter would throw. */
  read(life: Life, side: Side, bounds: ReadBounds, skewMs: number): Promise<void>;
  /** How many requests have begun. */
  requests: number;
  /** How often what went wrong. */
  readonly faults: Map<string, number>;
  count(fault: string): void;
}

const latencyMs = { least: 20, most: 300, slowLeast: 3_000, slowMost: 20_000 };
/** Nobody asks about more requests: as many as a run may have under way, and each waits twice. */
const mostWays = 32;

export function createWire(time: Time): Wire {
  const faults = new Map<string, number>();
  let ways: { readonly at: number; readonly ms: number }[] = [];
  const takeTime = (): void => {
    const before = time.now();
    wait(wire);
    ways = [...ways.slice(1 - mostWays), { at: time.now(), ms: time.now() - before }];
  };
  const wire: Wire = {
    time,
    weather: calm(),
    outages: new Map(),
    meanwhile: () => {},
    tell: () => {},
    watch: () => {},
    moved(requests, before) {
      const past = ways.filter(({ at }) => at <= before);
      return past.slice(Math.max(0, past.length - 2 * requests)).reduce((sum, { ms }) => sum + ms, 0);
    },
    requests: 0,
    faults,
    count(fault) {
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
      wire.tell(fault);
    },
    leave(life) {
      wire.requests += 1;
      wire.watch();
      meetDoom(life, "await", "before");
      takeTime();
      return Promise.resolve();
    },
    arrive(life) {
      takeTime();
      meetDoom(life, "await", "after");
      return standStill(life) ?? Promise.resolve();
    },
    outage(side) {
      const outage = wire.outages.get(side);
      if (outage !== undefined && outage.until > time.now()) return outage;
      wire.outages.delete(side);
      return undefined;
    },
    async read(life, side, bounds, skewMs) {
      // As the adapters do.
      if (time.now() + skewMs >= bounds.until)
        throw new RemoteError(side, "aborted", "The run's time is used up.");
      const still = standStill(life);
      if (still !== undefined) await still;
      await wire.leave(life);
      const now = time.now() + skewMs;
      if (bounds.signal.aborted) throw new RemoteError(side, "aborted", "The run was asked to stop.");
      const outage = wire.outage(side);
      const fate = outage?.fault ?? drawReadFate(wire);
      await wire.arrive(life);
      if (fate === "fine") return;
      wire.count(`${side}: read ${fate}`);
      const retryAt = fate === "limited" ? limitEnd(wire, outage, now, skewMs) : undefined;
      throw new RemoteError(
        side,
        fate,
        `The ${side} answers that it is ${fate}.`,
        retryAt === undefined ? {} : { retryAt },
      );
    },
  };
  return wire;
}

/** When a limit ends, on the program's clock. */
export function limitEnd(wire: Wire, outage: Outage | undefined, now: number, skewMs: number): number {
  return outage?.fault === "limited"
    ? outage.until + skewMs
    : now + wire.weather.random.between(20, 300) * 1_000;
}

function wait(wire: Wire): void {
  const { random, hasLatency, peopleRate, faultRate } = wire.weather;
  if (hasLatency) {
    const isSlow = faultRate > 0 && random.chance(0.03);
    wire.time.advance(
      isSlow
        ? random.between(latencyMs.slowLeast, latencyMs.slowMost)
        : random.between(latencyMs.least, latencyMs.most),
    );
  }
  if (peopleRate > 0 && random.chance(peopleRate)) wire.meanwhile();
}

function drawReadFate({ weather }: Wire): "fine" | "unreachable" | "unreadable" | "limited" {
  // A listing takes many requests: reads fail less often than writes, or no run would ever get to its writes.
  if (!weather.random.chance(weather.faultRate / 10)) return "fine";
  return pickWeighted(weather.random, { unreachable: 4, unreadable: 2, limited: 1 });
}
