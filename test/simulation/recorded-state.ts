import type { Change } from "../../src/ledger/change.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { Crash } from "./process.ts";
import type { State } from "./state.ts";

/** One call of the port, and what came of it. */
export interface Call {
  /** Of which process's ledger: each has a number of its own. */
  readonly ledger: number;
  /** Changes that the state is looked at as if they were committed; undefined for the state as it is. */
  readonly ahead: readonly Change[] | undefined;
  /** As in `rows.due`, or `commit`. */
  readonly part: string | undefined;
  readonly method: string;
  readonly args: readonly unknown[];
  /** undefined while nobody knows: the process has ended in the middle of it. */
  outcome: { readonly value: unknown } | { readonly error: string } | undefined;
}

/** `new`: the state is empty. `other`: it is another one from here on, of which nothing was recorded. */
export type Recorded = Call | "new" | "other";

/** A state that keeps what it is asked, in the order in which it is. */
export function recordState(state: State, recorded: Recorded[]): State {
  let ledgers = 0;
  return {
    ...state,
    open(life) {
      ledgers += 1;
      return recordLedger(state.open(life), ledgers, recorded);
    },
    clear() {
      recorded.push("new");
      state.clear();
    },
    putBack(copy) {
      recorded.push("other");
      state.putBack(copy);
    },
    cutPower() {
      recorded.push("other");
      state.cutPower();
    },
  };
}

/** What is not asked once more: either engine has an answer of its own, or there is none. */
const unrecorded: ReadonlySet<string> = new Set([
  "memory",
  "upkeep.size",
  "upkeep.schema",
  "upkeep.trimJournal",
  "runs.replicas",
  "runs.heartbeat",
  "copyTo",
  "assertHeld",
  "close",
]);

function recordLedger(ledger: Ledger, number: number, recorded: Recorded[]): Ledger {
  const wrap = <Whole extends object>(
    whole: Whole,
    part: string | undefined,
    ahead: (() => readonly Change[]) | undefined,
  ): Whole =>
    new Proxy(whole, {
      get(target, key) {
        const found = Reflect.get(target, key, target);
        const name = part === undefined ? String(key) : `${part}.${String(key)}`;
        if (unrecorded.has(name)) return found;
        if (name === "after")
          return (changes: () => readonly Change[]) => wrap(ledger.after(changes), undefined, changes);
        if (typeof found === "object" && found !== null) return wrap(found, name, ahead);
        if (typeof found !== "function") return found;
        return (...args: readonly unknown[]): unknown => {
          const call: Call = {
            ledger: number,
            ahead: ahead && structuredClone(ahead()),
            part,
            method: String(key),
            args: structuredClone(args),
            outcome: undefined,
          };
          recorded.push(call);
          return note(call, () => Reflect.apply(found, target, [...args]));
        };
      },
    });
  return wrap(ledger, undefined, undefined);
}

async function note(call: Call, make: () => unknown): Promise<unknown> {
  try {
    const value = await make();
    call.outcome = { value: structuredClone(value) };
    return value;
  } catch (error) {
    if (error instanceof Error && !(error instanceof Crash)) call.outcome = { error: error.message };
    throw error;
  }
}
