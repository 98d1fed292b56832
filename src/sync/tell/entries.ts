import { isStuck, type ToolCall } from "../../ledger/journal.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { EntryMemory } from "../../ledger/memory.ts";
import type { PersonRequest } from "../../ledger/orders.ts";
import { mayBePublished } from "../../plan/changelog/decide.ts";
import type { EntryWork } from "../ground/entries.ts";
import { command } from "../ground/remedy.ts";
import type { PlannedEntry } from "../ground/reports.ts";

/** What waits of a project's changelog. */
export interface EntryLine {
  readonly tag: string;
  readonly title: string;
  readonly posts: number;
  /**
   * `held`: the guard lets no draft be made until a person does. `allowed`: one does. `draft`: until a person lets it go. `approved`: let
   * go. `looked-up`: nobody knows yet what became of a call. `retried`: asked for.
   */
  readonly state: "held" | "allowed" | "draft" | "approved" | "looked-up" | "unsure" | "refused" | "retried";
  /** Its page; null where the board told none. */
  readonly url: string | null;
  /** Of what failed; null else. */
  readonly message: string | null;
  /** What publishes it, or tries again what is stuck of it; null where nothing does. */
  readonly command: string | null;
}

/** More drafts than this are not named. */
const mostNamed = 20;

/** Drafts that a person may publish, and what is in doubt, the newest first. */
export async function tellEntries(
  ledger: Ledger,
  key: string,
  publish: "never" | "approve" | undefined,
): Promise<readonly EntryLine[]> {
  const memory = ledger.memory.project(key);
  if (memory === undefined) return [];
  const calls = await ledger.toolCalls.list(memory.id);
  const asked = await ledger.requests.pending(memory.id);
  const lines = (memory.changelog?.entries ?? []).flatMap((entry): readonly EntryLine[] => {
    const { tag, title, posts, held } = entry;
    const own = calls.filter(({ subject, purpose }) => subject === tag && purpose !== "feedbackCreate");
    const state = stateOf(
      own,
      entry,
      asked.filter((request) => "tag" in request && request.tag === tag),
    );
    const created = own.find(({ purpose }) => purpose === "changelogCreate");
    const isShown = state !== undefined && (state !== "draft" || publish === "approve");
    if (!isShown) return [];
    const failed = own.find((call) => call.state === "UNKNOWN" || isStuck(call));
    const [, verb] = states[state];
    const typed = verb === undefined ? null : command(verb, key, `changelog:${tag}`);
    const url = created?.url ?? null;
    return [{ tag, title, posts, state, url, message: failed?.message ?? held ?? null, command: typed }];
  });
  return lines.toReversed().slice(0, mostNamed);
}

/** What is said of an entry in each state, and the command with which a person lets it go on. */
const states: Readonly<Record<EntryLine["state"], readonly [said: string, verb?: string]>> = {
  held: ["no draft yet", "approve"],
  allowed: ["approved, and made by a later run"],
  draft: ["a draft", "approve"],
  approved: ["approved, and published by a later run"],
  "looked-up": ["it is looked up what became of it"],
  retried: ["it is tried again by a later run"],
  unsure: ["it can't be found out what became of it", "retry"],
  refused: ["the board refused it", "retry"],
};

export function describeEntry({ tag, title, posts, state, message }: EntryLine): string {
  const counted = posts === 1 ? "1 post" : `${posts} posts`;
  return `changelog ${tag}: "${title}", ${counted}: ${states[state][0]}${message === null ? "" : `: ${message}`}`;
}

/** undefined for what is published, or is not there yet. */
function stateOf(
  calls: readonly ToolCall[],
  { held, print }: EntryMemory,
  asked: readonly PersonRequest[],
): EntryLine["state"] | undefined {
  const stuck = calls.find(isStuck);
  if (stuck !== undefined && asked.some(({ kind }) => kind === "retry-entry")) return "retried";
  if (stuck !== undefined) return stuck.state === "UNKNOWN" ? "unsure" : "refused";
  if (calls.some(({ state }) => state === "UNKNOWN" || state === "SENT")) return "looked-up";
  const isAllowed = asked.some((request) => request.kind === "draft-entry" && request.print === print);
  if (held !== undefined) return isAllowed ? "allowed" : "held";
  const of = (purpose: ToolCall["purpose"]) => calls.find((call) => call.purpose === purpose)?.state;
  if (of("changelogCreate") !== "DONE" || mayBePublished(of("changelogPublish"))) return undefined;
  return asked.some(({ kind }) => kind === "publish") ? "approved" : "draft";
}

/** What a plan shows of an entry. */
export function planEntry({ kind, tag, entry, posts, verdict }: EntryWork): PlannedEntry {
  const when = verdict.kind === "go" ? "now" : verdict.kind === "wait" ? "later" : "held";
  const why = verdict.kind === "go" ? {} : { why: verdict.why };
  return { kind, tag, title: entry.title, body: entry.body, posts, when, ...why };
}
