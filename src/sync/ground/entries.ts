import type { ToolList } from "../../board/tools.ts";
import type { ToolCall } from "../../ledger/journal.ts";
import type { RequestId } from "../../ledger/orders.ts";
import type { Entry } from "../../plan/changelog/entry.ts";
import { listArguments } from "../../plan/text/arguments.ts";
import type { PulledCycle } from "./cycle-state.ts";
import type { Verdict } from "./verdict.ts";

/** What is to become of one entry of the changelog in this run. */
export interface EntryWork {
  readonly kind: "create" | "update" | "publish";
  readonly tag: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly reason: string;
  readonly entry: Entry;
  /** How many posts it names. */
  readonly posts: number;
  /** What its text is made of. */
  readonly print: string;
  /** Of one that is there: its id. */
  readonly id: string | undefined;
  readonly verdict: Verdict;
  /** What people asked for, that ends with it. */
  readonly requests: readonly RequestId[];
}

/** The changelog as the board's tool lists it, asked for once in a run, when it is wanted; undefined without such a tool. */
export type AskEntries = () => Promise<ToolList | undefined>;

/** See `AskEntries`. What it throws is thrown to each who asks. */
export function createAskEntries({ world, settings, run, memory }: PulledCycle): AskEntries {
  let asked: Promise<ToolList> | undefined;
  return async () => {
    if (world.tools?.purposes.has("changelogList") !== true) return undefined;
    const args = listArguments(settings.changelog?.args.list ?? {}, "changelogList", memory.id);
    asked ??= world.tools.list("changelogList", args, run.bounds);
    return asked;
  };
}

/** Ids of the entries of other releases. */
export function takenEntries(calls: readonly ToolCall[], tag: string): ReadonlySet<string> {
  return new Set(
    calls.flatMap(({ purpose, subject, result }) =>
      purpose === "changelogCreate" && subject !== tag && result !== undefined ? [result] : [],
    ),
  );
}

/** How messages speak of an entry. */
export function nameEntry(tag: string): string {
  return `changelog ${tag}`;
}

/** A draft, as calls have made it. */
export interface DraftText extends Pick<ToolCall, "result" | "url"> {
  /** Another one for another text: an approval is of one of them. Also a change that failed makes it another one. */
  readonly hash: string;
}

/** The draft of a release; undefined where none was made. */
export function lastText(calls: readonly ToolCall[], tag: string): DraftText | undefined {
  const of = (purpose: ToolCall["purpose"]): ToolCall | undefined =>
    calls.find((call) => call.purpose === purpose && call.subject === tag);
  const [made, changed] = [of("changelogCreate"), of("changelogUpdate")];
  if (made?.state !== "DONE") return undefined;
  const draft = { result: made.result, url: made.url ?? changed?.url };
  if (changed === undefined) return { ...draft, hash: made.hash };
  return { ...draft, hash: changed.state === "DONE" ? changed.hash : `before ${changed.hash}` };
}
