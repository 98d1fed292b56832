import { z } from "zod";
import { dayMs } from "../../../model/time.ts";
import type { GivenOrder, OrderNumber, Orders } from "../../orders.ts";
import { parse, stored } from "../../stored.ts";
import type { Carrying } from "../columns/numbers.ts";
import { into, type Statements, sql } from "../statements.ts";
import { type Asked, numberOf, type Plain } from "../store.ts";

/** Whoever waits for an order has seen its end by then. */
const keepMs = dayMs;

const isOpen = sql`taken_by IS NULL AND outcome IS NULL`;

/** What commands have given to the daemon. */
export function createOrders(on: Statements) {
  const { run, has, get } = on;
  return {
    give: ({ at, until, who, order: request }) =>
      on.transaction(function* () {
        yield* run`DELETE FROM orders WHERE until < ${at - keepMs}`;
        const given = yield* get<{ number: number }>`
          ${into("orders", { at, until, who, request })} RETURNING number`;
        return numberOf<OrderNumber>(given);
      }),
    areWaiting: () => has`SELECT 1 AS one FROM orders WHERE ${isOpen} LIMIT 1`,
    take: (who) =>
      on.transaction(function* (): Asked<GivenOrder | undefined> {
        const found = yield* get<Omit<GivenOrder, "order"> & { readonly request: string }>`
          SELECT number, at, until, who, request FROM orders WHERE ${isOpen} ORDER BY number LIMIT 1
          FOR UPDATE SKIP LOCKED`;
        if (found === undefined) return undefined;
        const { request, ...known } = found;
        yield* run`UPDATE orders SET taken_by = ${who} WHERE number = ${known.number}`;
        return { ...known, order: readOrder(request) };
      }),
    *find(number) {
      const found = yield* get<{ takenBy?: string; progress?: string; outcome?: string }>`
        SELECT taken_by, progress, outcome FROM orders WHERE number = ${number}`;
      return (
        found && {
          takenBy: found.takenBy,
          progress: read("orders.progress", found.progress),
          outcome: read("orders.outcome", found.outcome),
        }
      );
    },
    changes: {
      "note-progress": ({ order, progress }) =>
        run`UPDATE orders SET progress = ${progress} WHERE number = ${order}`,
      // Its text, a saved plan perhaps, is not needed any more.
      "end-order": ({ order, outcome }) => run`
        UPDATE orders SET outcome = ${outcome}, request = ''
        WHERE number = ${order} AND outcome IS NULL`,
      "withdraw-order": ({ order }) => run`DELETE FROM orders WHERE number = ${order} AND taken_by IS NULL`,
      "end-orphans": ({ living, outcome }) => run`
        UPDATE orders SET outcome = ${outcome}, request = ''
        WHERE taken_by IS NOT NULL AND outcome IS NULL
          AND taken_by NOT IN (SELECT one.value FROM EACH TEXT ${living} AS one)`,
    },
  } satisfies Plain<Orders> & Carrying;
}

const readOrder = stored("orders.request", () => z.looseObject({}));

function read(place: string, text: string | undefined): unknown {
  return text === undefined ? undefined : parse(place, text);
}
