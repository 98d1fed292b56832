import type { ToolList } from "../../board/tools.ts";
import { isStuck, type ToolCall, type ToolCallChange } from "../../ledger/journal.ts";
import type { ToolRecord } from "../../model/post.ts";
import { findEntry, isCalled, ownEntry, printEntry } from "../../plan/changelog/look.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { type AskEntries, entryOf, lastText, otherEntries, purposes, sayAlike } from "../ground/entries.ts";
import { isPreview } from "../ground/order.ts";
import { rememberEntry } from "../read/releases.ts";
import { type Looked, resolveCalls } from "../write/call.ts";

/**
 * Looks calls about the changelog up whose answer was lost, in the list of its entries: a draft by its title, what was published by
 * its id. Nothing is published twice: where it provably did not happen, a person is asked anew.
 *
 * @throws RemoteError
 */
export async function resolveEntries(cycle: PulledCycle, ask: AskEntries): Promise<void> {
  await retryEntries(cycle);
  const looks = { create: lookForDraft, update: lookForText, publish: lookForPublished } as const;
  for (const kind of ["create", "update", "publish"] as const)
    await resolveCalls(cycle, purposes[kind], async (call) => {
      const list = await ask();
      return list === undefined ? { kind: "unsure", why: noList } : looks[kind](cycle, call, list);
    });
}

/** What people want tried once more of an entry counts as not done: they have looked. */
async function retryEntries({ world: { ledger, clock }, memory, run }: PulledCycle): Promise<void> {
  if (isPreview(run)) return;
  for (const request of await ledger.requests.pending(memory.id)) {
    if (request.kind !== "retry-entry") continue;
    const calls = await ledger.toolCalls.unsettled(memory.id);
    const stuck = calls.filter((call) => call.subject === request.tag && isStuck(call));
    await ledger.commit([
      ...stuck.map(({ project, purpose, subject }): ToolCallChange => {
        const message = "a person wants it tried once more";
        return {
          kind: "end-call",
          project,
          purpose,
          subject,
          at: clock.now(),
          state: "PREPARED",
          message,
          isAnew: true,
        };
      }),
      { kind: "end-request", request: request.id },
    ]);
  }
}

async function lookForDraft(cycle: PulledCycle, { subject: tag }: ToolCall, list: ToolList): Promise<Looked> {
  const known = entryOf(cycle, tag);
  if (known === undefined) return { kind: "unsure", why: "the title that was sent is not known any more" };
  const { title, shown, there } = known;
  const { taken, titles } = await otherEntries(cycle, tag, title);
  const others = new Set([...taken, ...(there ?? [])]);
  const found = findEntry(list.records, title, [shown], others);
  const entry = ownEntry(found, there);
  if (entry !== undefined) {
    const record = (own: PulledCycle) => rememberEntry(own, { tag, there: undefined });
    return { kind: "made", id: entry.id, url: entry.url, message: "found by its title", record };
  }
  if (found.kind === "alike") return { kind: "unsure", why: sayAlike(title, found.entries) };
  if (!list.isComplete) return { kind: "unsure", why: notWhole };
  const isOther = (one: ToolRecord) => others.has(one.id) || titles.some((its) => isCalled(one, its));
  // Where no whole list was seen before the call, nobody knows which are new.
  const fresh = there && list.records.find((one) => !isOther(one));
  if (fresh !== undefined) return { kind: "unsure", why: sayRenamed(title, fresh) };
  return { kind: "absent", message: `no entry is called "${title}", and none is new: it was not made` };
}

/** A draft that has changed counts as having got the text that was sent: an approval of the one before is over. */
async function lookForText(cycle: PulledCycle, { subject: tag }: ToolCall, list: ToolList): Promise<Looked> {
  const draft = lastText(await cycle.world.ledger.toolCalls.list(cycle.memory.id), tag);
  const found = list.records.find(({ id }) => id === draft?.result);
  if (found === undefined && !list.isComplete) return { kind: "unsure", why: notWhole };
  if (found === undefined) return { kind: "absent", message: "the draft is not there any more" };
  if (entryOf(cycle, tag)?.shown === printEntry(found))
    return { kind: "absent", message: "the draft is as it was: it was not changed" };
  return { kind: "made", id: found.id, url: found.url, message: "the draft has another text now" };
}

async function lookForPublished(
  { world, memory }: PulledCycle,
  { subject }: ToolCall,
  list: ToolList,
): Promise<Looked> {
  const key = { project: memory.id, purpose: "changelogCreate", subject } as const;
  const draft = await world.ledger.toolCalls.find(key);
  const found = list.records.find(({ id }) => id === draft?.result);
  if (found?.isPublished === true)
    return { kind: "made", id: found.id, url: found.url, message: "the list shows it published" };
  if (found?.isPublished === false)
    return { kind: "absent", message: "it is still a draft: approve it anew", isOver: true };
  return { kind: "unsure", why: "the list does not tell whether it is published" };
}

function sayRenamed(title: string, { title: its = "" }: ToolRecord): string {
  return `no entry is called "${title}", and "${its}" is new: that may be it, under another title. Called as before, it is recognised`;
}

const noList = "`board.mcp.tools` names no `changelogList`, so it can't be looked up";
const notWhole = "the list of entries is not whole";
