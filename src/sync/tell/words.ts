import type { WaitingRow } from "../../ledger/rows.ts";

/** How a project stands, the most urgent first; `status --json` prints these words. */
export const stateKinds = ["failing", "needs-you", "later", "differs", "in-sync"] as const;

export type StateKind = (typeof stateKinds)[number];

/*
 * What a person reads for what is done, and for what is not: the same words on the terminal, on the page and in messages.
 * `--json` and metrics have the names of the kinds. config/docs/concepts/concepts.md explains the last four of `stateWords`.
 */

export const stateWords: Readonly<Record<StateKind, string>> = {
  failing: "failing",
  "needs-you": "needs you",
  later: "later",
  differs: "differs",
  "in-sync": "in step",
};

/** Of which state of its project something that waits is a part. */
export function stateOfWait({ kind, cause }: Pick<WaitingRow, "kind" | "cause">): StateKind {
  switch (kind) {
    case "settling":
    case "waiting":
    case "intent":
      return "later";
    case "undecided":
      return cause === "too-large" ? "differs" : "later";
    case "disagreement":
    case "did-not-stick":
    case "paused":
    case "missing":
      return "differs";
    case "held":
    case "parked":
    case "quarantined":
      return "needs-you";
  }
}

/** What needs a person, by the order that ends it. */
export const needWords = { held: "to approve", parked: "to retry", quarantined: "to release" } as const;

/** "3 to approve", "2 to retry", "1 to release"; none where nothing needs a person. */
export function countNeeds(counts: Readonly<Record<keyof typeof needWords, number>>): readonly string[] {
  const kinds = ["held", "parked", "quarantined"] as const;
  return kinds.flatMap((kind) =>
    counts[kind] > 0 ? [`${counts[kind].toLocaleString("en")} ${needWords[kind]}`] : [],
  );
}

/** `1 issue`, `2 issues`; thousands are set apart. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** The result of a run. */
export const resultWords = {
  ok: "ok",
  partial: "failed in part",
  held: stateWords["needs-you"],
  failed: "failed",
} as const;

/** A sentence with a capital at its beginning, unless that is a name: `acme-app`, `acme/app#2`, `roadmapColumn`, `.env` and an address stay as they are. */
export function beginSentence(text: string): string {
  return /^[a-z][a-z']*(?![\w/#.@'-]|:\/\/)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
