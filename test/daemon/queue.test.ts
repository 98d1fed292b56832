import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createQueue } from "../../src/daemon/queue.ts";
import { createGate, type Gate, settle } from "./fake-clock.ts";

/** A queue whose works wait for their gate, and what happened to them. */
function givenQueue() {
  const seen: string[] = [];
  const gates = new Map<string, Gate>();
  const queue = createQueue((key, error) => seen.push(`${key} failed: ${String(error)}`));
  return {
    queue,
    seen,
    gate: (key: string): Gate => {
      const gate = gates.get(key);
      if (gate === undefined) throw new Error(`${key} has not started`);
      return gate;
    },
    add: (key: string): boolean =>
      queue.add(key, async () => {
        seen.push(`${key} starts`);
        const gate = createGate();
        gates.set(key, gate);
        await gate.opened;
        seen.push(`${key} ends`);
      }),
  };
}

describe("the queue", () => {
  it("works in the order of asking, one at a time", async () => {
    const { add, gate, seen } = givenQueue();
    for (const key of ["b", "a", "c"]) expect(add(key)).toBe(true);
    await settle();
    expect(seen).toEqual(["b starts"]);
    gate("b").open();
    await settle();
    expect(seen).toEqual(["b starts", "b ends", "a starts"]);
    gate("a").open();
    await settle();
    gate("c").open();
    await settle();
    expect(seen).toEqual(["b starts", "b ends", "a starts", "a ends", "c starts", "c ends"]);
  });

  it("does not start a work within the call that adds it", () => {
    const { add, seen } = givenQueue();
    add("a");
    expect(seen).toEqual([]);
  });

  it("does not take what waits or runs already, and takes it again when it has ended", async () => {
    const { add, gate, seen } = givenQueue();
    add("a");
    add("b");
    await settle();
    expect(add("a")).toBe(false);
    expect(add("b")).toBe(false);
    gate("a").open();
    await settle();
    expect(add("a")).toBe(true);
    expect(add("b")).toBe(false);
    gate("b").open();
    await settle();
    expect(seen).toEqual(["a starts", "a ends", "b starts", "b ends", "a starts"]);
  });

  it("takes up work again after it was empty", async () => {
    const { add, gate, seen } = givenQueue();
    add("a");
    await settle();
    gate("a").open();
    await settle();
    add("a");
    await settle();
    expect(seen).toEqual(["a starts", "a ends", "a starts"]);
  });

  it("says what a work threw, and goes on with the next", async () => {
    const { add, gate, seen } = givenQueue();
    add("a");
    add("b");
    await settle();
    gate("a").fail(new Error("disk full"));
    await settle();
    expect(seen).toEqual(["a starts", "a failed: Error: disk full", "b starts"]);
    expect(add("a")).toBe(true);
  });

  it("survives a work that throws before its first wait", async () => {
    const { add, queue, seen } = givenQueue();
    queue.add("a", () => {
      throw new Error("at once");
    });
    add("b");
    await settle();
    expect(seen).toEqual(["a failed: Error: at once", "b starts"]);
  });

  it("closes only when what runs has ended, drops what waits and takes nothing more", async () => {
    const { add, queue, gate, seen } = givenQueue();
    add("a");
    add("b");
    await settle();
    let isClosed = false;
    const closing = queue.close().then(() => {
      isClosed = true;
    });
    expect(add("c")).toBe(false);
    await settle();
    expect(isClosed).toBe(false);
    gate("a").open();
    await closing;
    expect(seen).toEqual(["a starts", "a ends"]);
    await queue.close();
  });

  it("closes although what runs fails", async () => {
    const { add, queue, gate, seen } = givenQueue();
    add("a");
    await settle();
    const closing = queue.close();
    gate("a").fail("broken");
    await closing;
    expect(seen).toEqual(["a starts", "a failed: broken"]);
  });

  it("closes at once when nothing was ever asked for", async () => {
    await expect(createQueue(() => undefined).close()).resolves.toBeUndefined();
  });

  it("never overlaps, never loses and never repeats, whatever is asked and whatever fails", async () => {
    const asked = fc.array(fc.record({ key: fc.constantFrom("a", "b", "c", "d"), isFailing: fc.boolean() }));
    await fc.assert(
      fc.asyncProperty(asked, async (works) => {
        const taken: string[] = [];
        const done: string[] = [];
        const failed: string[] = [];
        let running = 0;
        const queue = createQueue((key) => failed.push(key));
        for (const { key, isFailing } of works) {
          const isTaken = queue.add(key, async () => {
            running += 1;
            expect(running).toBe(1);
            await settle();
            running -= 1;
            done.push(key);
            if (isFailing) throw new Error(key);
          });
          expect(isTaken).toBe(!taken.includes(key));
          if (isTaken) taken.push(key);
        }
        while (done.length < taken.length) await settle();
        await queue.close();
        expect(done).toEqual(taken);
        expect(failed).toEqual(
          taken.filter((key) => works.find((work) => work.key === key)?.isFailing === true),
        );
      }),
      { numRuns: 50 },
    );
  });
});
