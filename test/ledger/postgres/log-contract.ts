import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StateError } from "../../../src/errors.ts";
import type { LeaseNumber, Leases, SharedLog, TakenLeases } from "../../../src/ledger/postgres/log.ts";

/** What one process has of a log. */
export interface LogClient {
  readonly log: SharedLog;
  readonly leases: Leases;
  /** Until when leases hold, by its own clock. */
  readonly validUntil: ReadonlyMap<string, number>;
  /** Milliseconds, by its own clock. */
  monotonicMs: number;
}

/** A log that holds the image `first`, as number 0, and nothing else. */
export interface LogPlace {
  connect(who: string): LogClient;
  /** Cuts the line at the next COMMIT of any of them: before it has arrived, or before its answer. */
  cutAtCommit(when: "before" | "after"): void;
  /** A lease runs out, by the clock of the log. */
  runOut(project: string): Promise<void>;
  end(): Promise<void>;
}

/** Leases of all of them are that long. */
export const leaseMs = 30_000;
export const firstImage = Buffer.from("first");

/** What `SharedLog` and `Leases` promise, on whatever keeps them. */
export function describeLog(name: string, open: () => Promise<LogPlace>): void {
  describe(name, () => {
    let place: LogPlace;
    let one: LogClient;
    let other: LogClient;
    beforeEach(async () => {
      place = await open();
      one = place.connect("one");
      other = place.connect("other");
    });
    afterEach(() => place.end());

    it("counts entries from 1, and tells those after one in their order", async () => {
      expect((await one.log.read(0)).entries).toEqual([]);
      expect(await append(one, 0, "a")).toBe(1);
      expect(await append(other, 0, "b")).toBe(2);
      expect(textsOf((await one.log.read(0)).entries)).toEqual(["1 a", "2 b"]);
      expect(textsOf((await one.log.read(1)).entries)).toEqual(["2 b"]);
      expect((await one.log.read(2)).entries).toEqual([]);
    });

    it("tells in a turn what others have committed since", async () => {
      await append(one, 0, "a");
      const turn = await other.log.turn(0, []);
      expect(textsOf(turn.news)).toEqual(["1 a"]);
      expect(turn.isAtHome).toBe(true);
      await turn.end();
      expect(turn.place).toBe((await one.log.read(0)).place);
      expect(turn.place).toBe((await one.log.image()).place);
      expect((await one.log.read(1)).entries).toEqual([]);
    });

    it("gives one turn at a time", async () => {
      const first = await one.log.turn(0, []);
      let isSecondHere = false;
      const second = other.log.turn(0, []).then((turn) => {
        isSecondHere = true;
        return turn;
      });
      await first.append(Buffer.from("a"));
      const turn = await second;
      expect(isSecondHere).toBe(true);
      expect(textsOf(turn.news)).toEqual(["1 a"]);
      await turn.end();
    });

    it("has what was before an image only in the image, in the end", async () => {
      for (const text of ["a", "b", "c"]) await append(one, 0, text);
      await one.log.keepImage({ number: 2, body: Buffer.from("a b") });
      expect(textsOf((await other.log.read(0)).entries)).toEqual(["1 a", "2 b", "3 c"]);
      await append(one, 0, "d");
      await one.log.keepImage({ number: 4, body: Buffer.from("a b c d") });
      expect((await other.log.read(1)).entries).toBeUndefined();
      const turn = await other.log.turn(1, []);
      expect(turn.news).toBeUndefined();
      await turn.end();
      expect(textsOf((await other.log.read(2)).entries)).toEqual(["3 c", "4 d"]);
      expect(textsOf([await other.log.image()])).toEqual(["4 a b c d"]);
    });

    it("gives a lease to one process, and all that are asked for or none", async () => {
      const [hold] = (await take(one, "acme")).holds;
      expect(hold).toEqual({ project: "acme", number: 1 });
      expect(await other.leases.take(["beta", "acme"])).toEqual({
        kind: "taken",
        project: "acme",
        who: "one",
        isOtherConfig: false,
      });
      await take(one, "beta");
      await one.leases.release([{ project: "acme", number: 1 }]);
      const { holds } = await take(other, "acme");
      expect(holds).toEqual([{ project: "acme", number: 2 }]);
      // What its former holder lets go of is no longer its own.
      await one.leases.release([{ project: "acme", number: 1 }]);
      expect((await one.leases.take(["acme"])).kind).toBe("taken");
    });

    it("renews what is still held, and takes up nothing that is over", async () => {
      const { holds } = await take(one, "acme", "beta");
      one.monotonicMs = 10_000;
      expect(named(await one.leases.renew(holds))).toEqual(["acme 1", "beta 1"]);
      expect(one.validUntil.get("acme")).toBe(40_000);
      await place.runOut("acme");
      one.monotonicMs = 20_000;
      expect(named(await one.leases.renew(holds))).toEqual(["beta 1"]);
      expect(one.validUntil.get("acme")).toBe(40_000);
      expect(one.validUntil.get("beta")).toBe(50_000);
    });

    it("gives no turn to whose lease is over, or another's, and goes on", async () => {
      const { holds } = await take(one, "acme");
      await place.runOut("acme");
      await expect(one.log.turn(0, holds)).rejects.toMatchObject({ code: "state.unreachable" });
      const later = await take(other, "acme");
      await expect(one.log.turn(0, holds)).rejects.toThrow(/lease of acme has run out/);
      expect(await append(other, 0, "a", later.holds)).toBe(1);
    });

    it("prolongs a lease with a commit, and not with a turn in which nothing is committed", async () => {
      const { holds } = await take(one, "acme");
      one.monotonicMs = 10_000;
      await append(one, 0, "a", holds);
      expect(one.validUntil.get("acme")).toBe(10_000 + leaseMs);
      one.monotonicMs = 20_000;
      const turn = await one.log.turn(1, holds);
      await turn.end();
      expect(one.validUntil.get("acme")).toBe(10_000 + leaseMs);
    });

    it("finds out that a COMMIT has arrived whose answer is lost", async () => {
      place.cutAtCommit("after");
      expect(await append(one, 0, "a")).toBe(1);
      expect(textsOf((await other.log.read(0)).entries)).toEqual(["1 a"]);
    });

    it("says so where a COMMIT has not arrived, and nothing of it is anywhere", async () => {
      const { holds } = await take(one, "acme");
      const before = one.validUntil.get("acme");
      one.monotonicMs = 5_000;
      place.cutAtCommit("before");
      await expect(append(one, 0, "a", holds)).rejects.toBeInstanceOf(StateError);
      expect(one.validUntil.get("acme")).toBe(before);
      expect((await other.log.read(0)).entries).toEqual([]);
      expect(await append(one, 0, "b", holds)).toBe(1);
    });
  });
}

async function append(
  { log }: LogClient,
  after: number,
  text: string,
  holds: readonly LeaseNumber[] = [],
): Promise<number> {
  const turn = await log.turn(after, holds);
  try {
    return await turn.append(Buffer.from(text));
  } finally {
    await turn.end();
  }
}

async function take({ leases }: LogClient, ...keys: readonly string[]): Promise<TakenLeases> {
  const taken = await leases.take(keys);
  if (taken.kind === "taken") throw new Error(`${taken.project} is taken.`);
  return {
    ...taken,
    holds: taken.holds.toSorted(({ project }, { project: next }) => (project < next ? -1 : 1)),
  };
}

function textsOf(
  entries: readonly { readonly number: number; readonly body: Buffer }[] | undefined,
): string[] | undefined {
  return entries?.map(({ number, body }) => `${number} ${body}`);
}

function named(holds: readonly LeaseNumber[]): string[] {
  return holds.map(({ project, number }) => `${project} ${number}`).toSorted();
}
