import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { NewOrder, OrderNumber } from "../../src/ledger/orders.ts";
import { noon } from "./samples.ts";

const hour = 3_600_000;
const daemon = "daemon, process 1 on host box";

function createOrder(facts: Partial<NewOrder> = {}): NewOrder {
  return {
    at: noon,
    until: noon + hour,
    who: "sync, process 2 on host box",
    order: { order: { kind: "sync" } },
    ...facts,
  };
}

export function describeOrders(ledger: () => Ledger): void {
  describe("an order", () => {
    it("is taken once, the oldest first", async () => {
      const { orders } = ledger();
      const first = await orders.give(createOrder());
      const second = await orders.give(createOrder({ order: { second: true } }));
      expect(await orders.areWaiting()).toBe(true);
      expect(await orders.take(daemon)).toEqual({ ...createOrder(), number: first });
      expect(await orders.take(daemon)).toMatchObject({ number: second, order: { second: true } });
      expect(await orders.take(daemon)).toBeUndefined();
      expect(await orders.areWaiting()).toBe(false);
    });

    it("tells whoever gave it how far it is", async () => {
      const { orders } = ledger();
      const number = await orders.give(createOrder());
      expect(await orders.find(number)).toEqual({
        takenBy: undefined,
        progress: undefined,
        outcome: undefined,
      });
      await orders.take(daemon);
      await ledger().commit([{ kind: "note-progress", order: number, progress: { done: 3 } }]);
      expect(await orders.find(number)).toEqual({
        takenBy: daemon,
        progress: { done: 3 },
        outcome: undefined,
      });
      await ledger().commit([{ kind: "end-order", order: number, outcome: { kind: "done" } }]);
      expect(await orders.find(number)).toMatchObject({ outcome: { kind: "done" } });
    });

    it("holds as long as it was to hold when the clock is set back", async () => {
      const { orders, runs } = ledger();
      const ahead = noon + 1000 * hour;
      await runs.begin(ahead);
      await orders.give(createOrder({ at: ahead, until: ahead + hour }));
      await runs.begin(noon);
      expect(await orders.take(daemon)).toMatchObject({ until: noon + hour });
    });

    it("can be taken back until somebody has taken it", async () => {
      const { orders } = ledger();
      const [taken, free] = [await orders.give(createOrder()), await orders.give(createOrder())];
      await orders.take(daemon);
      await ledger().commit([
        { kind: "withdraw-order", order: taken },
        { kind: "withdraw-order", order: free },
      ]);
      expect(await orders.find(taken)).toMatchObject({ takenBy: daemon });
      expect(await orders.find(free)).toBeUndefined();
      expect(await orders.take(daemon)).toBeUndefined();
    });

    it("ends when whoever has taken it lives no more", async () => {
      const { orders } = ledger();
      const numbers: OrderNumber[] = [];
      for (let count = 0; count < 4; count += 1) numbers.push(await orders.give(createOrder()));
      await orders.take("daemon, dead");
      await orders.take(daemon);
      const [orphan, other, free] = numbers as [OrderNumber, OrderNumber, OrderNumber];
      const end = { kind: "end-orphans", living: [daemon], outcome: { kind: "refused" } } as const;
      await ledger().commit([end]);
      expect(await orders.find(orphan)).toMatchObject({ outcome: { kind: "refused" } });
      expect(await orders.find(other)).toMatchObject({ outcome: undefined });
      expect(await orders.find(free)).toMatchObject({ takenBy: undefined, outcome: undefined });
    });

    it("keeps its first end", async () => {
      const number = await ledger().orders.give(createOrder());
      await ledger().orders.take(daemon);
      const end = { kind: "end-order", order: number } as const;
      await ledger().commit([{ ...end, outcome: { kind: "refused" } }]);
      await ledger().commit([{ ...end, outcome: { kind: "done" } }]);
      expect(await ledger().orders.find(number)).toMatchObject({ outcome: { kind: "refused" } });
    });

    it("is forgotten a day after its time", async () => {
      const number = await ledger().orders.give(createOrder());
      const other = await ledger().orders.give(createOrder({ until: noon + 2 * hour }));
      await ledger().orders.give(createOrder({ at: noon + 25.5 * hour, until: noon + 27 * hour }));
      expect(await ledger().orders.find(number)).toBeUndefined();
      expect(await ledger().orders.find(other)).toBeDefined();
    });
  });
}
