import type { ToolArguments, ToolList } from "../../board/tools.ts";
import type { ToolCall } from "../../ledger/journal.ts";
import type { EntryMemory } from "../../ledger/memory.ts";
import type { RequestId } from "../../ledger/orders.ts";
import { callOf } from "../../plan/changelog/decide.ts";
import type { Entry } from "../../plan/changelog/entry.ts";
import { isCalled } from "../../plan/changelog/look.ts";
import { listArguments } from "../../plan/text/arguments.ts";
import { inOrder } from "../../select.ts";
import { type PulledCycle, projectNow } from "./cycle-state.ts";
import type { Verdict } from "./verdict.ts";

/** What is to become of one entry of the changelog in this run. */
export interface EntryWork extends Pick<EntryMemory, "tag" | "print" | "posts"> {
  readonly kind: "create" | "update" | "publish";
  /** Id of its release; undefined where nobody knows. */
  readonly release: number | undefined;
  readonly args: ToolArguments;
  readonly reason: string;
  readonly entry: Entry;
  /** Of one that is there: its id. */
  readonly id: string | undefined;
  readonly verdict: Verdict;
  /** What people asked for, that ends with it. */
  readonly requests: readonly RequestId[];
}

/** The tool for each kind of work. */
export const purposes = {
  create: "changelogCreate",
  update: "changelogUpdate",
  publish: "changelogPublish",
} as const;

/** What is remembered of an entry with a new text. */
export function textOf({ tag, print, entry: { title }, posts, release }: EntryWork) {
  return { tag, print, title, posts, release };
}

/**
 * The changelog as the board's tool lists it, asked for once in a run, when it is wanted, and once more where `isAnew`; undefined
 * without such a tool.
 */
export type AskEntries = (isAnew?: boolean) => Promise<ToolList | undefined>;

/** See `AskEntries`. What it throws is thrown to each who asks. */
export function createAskEntries({ world, settings, run, memory }: PulledCycle): AskEntries {
  let asked: Promise<ToolList> | undefined;
  return async (isAnew = false) => {
    if (world.tools?.purposes.has("changelogList") !== true) return undefined;
    const args = listArguments(settings.changelog?.args.list ?? {}, "changelogList", memory.id);
    if (isAnew || asked === undefined) asked = world.tools.list("changelogList", args, run.bounds);
    return asked;
  };
}

/** What is remembered of an entry. */
export function entryOf(cycle: PulledCycle, tag: string): EntryMemory | undefined {
  return projectNow(cycle).changelog?.entries.find((entry) => entry.tag === tag);
}

/** Entries of other releases, of all projects: a board may have one changelog for all of them. */
export interface OtherEntries {
  /** Their ids. */
  readonly taken: ReadonlySet<string>;
  readonly titles: readonly string[];
  /** The call for one of the same title whose outcome is not known yet: an entry that is there may be that one's. */
  readonly rival: ToolCall | undefined;
}

/** See `OtherEntries`: of the releases but this one. */
export async function otherEntries(
  { world: { ledger, policy }, memory: { id } }: PulledCycle,
  tag: string,
  title: string,
): Promise<OtherEntries> {
  const found = await inOrder(policy.projectKeys, async (key) => {
    const memory = ledger.memory.project(key);
    const calls = memory === undefined ? [] : await ledger.toolCalls.list(memory.id, "changelogCreate");
    const others = calls.filter(({ project, subject }) => project !== id || subject !== tag);
    return others.map((call) => {
      return { call, title: memory?.changelog?.entries.find((one) => one.tag === call.subject)?.title };
    });
  });
  const all = found.flat();
  return {
    taken: new Set(all.flatMap(({ call }) => call.result ?? [])),
    titles: all.flatMap((one) => one.title ?? []),
    rival: all.find(({ call, title: its }) => {
      const isOpen = call.state === "SENT" || call.state === "UNKNOWN";
      return isOpen && its !== undefined && isCalled({ title: its }, title);
    })?.call,
  };
}

/** How messages speak of an entry. */
export function nameEntry(tag: string): string {
  return `changelog ${tag}`;
}

export function sayAlike(title: string, entries: readonly unknown[]): string {
  return entries.length > 1
    ? `several entries are called "${title}": nobody knows which is its own`
    : `an entry called "${title}" is there with another text: nobody knows whether it is its own. Rename or delete it`;
}

/**
 * The draft of a release, as calls have made it; undefined where none was made.
 *
 * @returns `hash`: another one for another text, as an approval is of one of them. Also a change that failed makes it another one.
 */
export function lastText(calls: readonly ToolCall[], tag: string) {
  const [made, changed] = [callOf(calls, "changelogCreate", tag), callOf(calls, "changelogUpdate", tag)];
  if (made?.state !== "DONE") return undefined;
  const draft = { result: made.result, url: made.url ?? changed?.url };
  if (changed === undefined) return { ...draft, hash: made.hash };
  return { ...draft, hash: changed.state === "DONE" ? changed.hash : `before ${changed.hash}` };
}
