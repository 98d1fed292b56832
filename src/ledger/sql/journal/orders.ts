import { z } from "zod";
import { dayMs } from "../../../model/time.ts";
import type { GivenOrder, OrderNumber, Orders } from "../../orders.ts";
import { parse, stored } from "../../stored.ts";
import type { Carrying } from "../columns/changes.ts";
import { type Asked, numberOf, type Plain, type Store } from "../store.ts";

/** Whoever waits for an order has seen its end by then. */
const keepMs = dayMs;

interface OrderColumns extends Omit<GivenOrder, "order"> {
  readonly request: string;
}

/** What commands have given to the daemon. */
export function createOrders(
  store: Store,
): Plain<Orders> & Carrying<"note-progress" | "end-order" | "withdraw-order" | "end-orphans"> {
  const prune = store.prepare<[number]>("DELETE FROM orders WHERE until < ?");
  const insert = store.prepare<[Omit<OrderColumns, "number">], { number: number }>(
    "INSERT INTO orders (at, until, who, request) VALUES (@at, @until, @who, @request) RETURNING number",
  );
  const open = "taken_by IS NULL AND outcome IS NULL";
  const count = store.prepare<[]>(`SELECT 1 AS one FROM orders WHERE ${open} LIMIT 1`);
  const next = store.prepare<[], OrderColumns>(
    `SELECT number, at, until, who, request FROM orders WHERE ${open} ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED`,
  );
  const take = store.prepare<[string, number]>("UPDATE orders SET taken_by = ? WHERE number = ?");
  const find = store.prepare<
    [number],
    { takenBy: string | null; progress: string | null; outcome: string | null }
  >('SELECT taken_by AS "takenBy", progress, outcome FROM orders WHERE number = ?');
  const progress = store.prepare<[string, number]>("UPDATE orders SET progress = ? WHERE number = ?");
  // Its text, a saved plan perhaps, is not needed any more.
  const end = store.prepare<[{ outcome: string; number: number }]>(
    "UPDATE orders SET outcome = @outcome, request = '' WHERE number = @number AND outcome IS NULL",
  );
  const withdraw = store.prepare<[number]>("DELETE FROM orders WHERE number = ? AND taken_by IS NULL");
  const endOrphans = store.prepare<[{ outcome: string; living: string }]>(`
    UPDATE orders SET outcome = @outcome, request = ''
    WHERE taken_by IS NOT NULL AND outcome IS NULL
      AND taken_by NOT IN (SELECT one.value FROM EACH TEXT @living AS one)`);
  return {
    give: ({ at, until, who, order }) =>
      store.transaction(function* () {
        yield* prune.run(at - keepMs);
        return numberOf<OrderNumber>(yield* insert.get({ at, until, who, request: JSON.stringify(order) }));
      }),
    *areWaiting() {
      return (yield* count.get()) !== undefined;
    },
    take: (who) =>
      store.transaction(function* (): Asked<GivenOrder | undefined> {
        const found = yield* next.get();
        if (found === undefined) return undefined;
        yield* take.run(who, found.number);
        const { request, ...known } = found;
        return { ...known, order: readOrder(request) };
      }),
    *find(number) {
      const found = yield* find.get(number);
      return (
        found && {
          takenBy: found.takenBy ?? undefined,
          progress: read("orders.progress", found.progress),
          outcome: read("orders.outcome", found.outcome),
        }
      );
    },
    changes: {
      "note-progress": ({ order, progress: how }) => progress.run(JSON.stringify(how), order),
      "end-order": ({ order, outcome }) => end.run({ outcome: JSON.stringify(outcome), number: order }),
      "withdraw-order": ({ order }) => withdraw.run(order),
      "end-orphans": ({ living, outcome }) =>
        endOrphans.run({ outcome: JSON.stringify(outcome), living: JSON.stringify(living) }),
    },
  };
}

const readOrder = stored("orders.request", () => z.looseObject({}));

function read(place: string, text: string | null): unknown {
  return text === null ? undefined : parse(place, text);
}
