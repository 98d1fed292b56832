import type { Ledger } from "../../src/ledger/ledger.ts";

/** The same thing with some parts of its own. What it tells anew each time, it goes on telling so: a spread keeps one answer. */
export function withParts<Whole extends object>(whole: Whole, parts: Partial<Whole>): Whole {
  return Object.assign(Object.create(whole) as Whole, parts);
}

/** A ledger that reads another way, also where it tells what changes will make of it. */
export function withReads(ledger: Ledger, change: (ledger: Ledger) => Partial<Ledger>): Ledger {
  const after: Ledger["after"] = (changes) => {
    const ahead = ledger.after(changes);
    // Of what is ahead only the reads are asked for.
    return withParts(ahead, change(ahead as Ledger));
  };
  return withParts(ledger, { ...change(ledger), after });
}
