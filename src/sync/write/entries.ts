import type { ToolList, ToolRecord, ToolWriting } from "../../board/tools.ts";
import type { ToolCall } from "../../ledger/journal.ts";
import { findEntry, plainEntry } from "../../plan/changelog/look.ts";
import { hashText } from "../../plan/ground/hash.ts";
import { type PulledCycle, projectNow } from "../ground/cycle-state.ts";
import { type AskEntries, type EntryWork, nameEntry, takenEntries } from "../ground/entries.ts";
import { noteError } from "../ground/report.ts";
import type { Outcome } from "../ground/verdict.ts";
import { type ReleaseLook, rememberChangelog, rememberEntry } from "../read/pull-releases.ts";
import { callTool, hashArguments, showsOther, type ToolRequest } from "./call.ts";

/**
 * Makes and changes drafts, and publishes what a person let go. Before anything is made or changed the list of entries is asked
 * for: what is there already is not made again, and what is published, or was edited by people, is not changed.
 *
 * @throws RemoteError
 */
export async function writeEntries(
  cycle: PulledCycle,
  works: readonly EntryWork[],
  look: ReleaseLook | undefined,
  ask: AskEntries,
): Promise<void> {
  let isAllDone = true;
  for (const work of works) {
    const outcome = work.verdict.kind === "go" ? await writeEntry(cycle, work, ask) : work.verdict;
    sayOutcome(cycle, work, outcome);
    const isOver = outcome.kind === "done" || outcome.kind === "unneeded" || outcome.kind === "refuse";
    if (isOver || (outcome.kind === "failed" && work.kind === "publish")) await endRequests(cycle, work);
    if (work.kind !== "publish" && outcome.kind !== "done" && outcome.kind !== "unneeded") isAllDone = false;
  }
  if (look === undefined || !isAllDone || (await hasOpenText(cycle))) return;
  if (projectNow(cycle).changelog?.etag !== look.etag) await rememberChangelog(cycle, { etag: look.etag });
}

/** Whether a call is open that may ask for its release once more. */
async function hasOpenText({ world, memory }: PulledCycle): Promise<boolean> {
  const calls = await world.ledger.toolCalls.list(memory.id);
  return calls.some(({ purpose, state }) => {
    return purpose !== "changelogPublish" && purpose !== "feedbackCreate" && state !== "DONE";
  });
}

async function endRequests({ world }: PulledCycle, { requests }: EntryWork): Promise<void> {
  await world.ledger.commit(requests.map((request) => ({ kind: "end-request", request })));
}

function sayOutcome(cycle: PulledCycle, { kind, tag, posts }: EntryWork, outcome: Outcome): void {
  const { world, project, tally } = cycle;
  if (outcome.kind === "done") {
    tally.entryWrites += 1;
    world.log.info({ project: project.key, tag, posts }, done[kind]);
  } else if (outcome.kind === "refuse")
    noteError(tally, {
      code: "board.entry-refused",
      message: `${nameEntry(tag)} is not published: ${outcome.why}.`,
    });
  else if (outcome.kind !== "unneeded" && outcome.kind !== "failed")
    world.log.info({ project: project.key, tag, reason: outcome.why }, "An entry of the changelog waits");
}

const done = {
  create: "A draft of the changelog was made",
  update: "A draft of the changelog was changed",
  publish: "An entry of the changelog was published",
} as const;

function writeEntry(cycle: PulledCycle, work: EntryWork, ask: AskEntries): Promise<Outcome> {
  switch (work.kind) {
    case "create":
      return createDraft(cycle, work, ask);
    case "update":
      return updateDraft(cycle, work, ask);
    case "publish":
      return publishDraft(cycle, work, ask);
  }
}

async function createDraft(cycle: PulledCycle, work: EntryWork, ask: AskEntries): Promise<Outcome> {
  const { tag, entry, print, posts } = work;
  const templates = hashArguments(cycle.settings.changelog?.args.create ?? {});
  if (projectNow(cycle).changelog?.publishing === templates) return refuse(cycle, tag, publishesAtOnce);
  const list = await ask();
  const calls = await cycle.world.ledger.toolCalls.list(cycle.memory.id);
  const found = list && findEntry(list.records, entry.title, takenEntries(calls, tag));
  if (found?.kind === "several")
    return refuse(cycle, tag, `several entries are called "${entry.title}": nobody knows which is its own`);
  const isAgain = calls.some(
    (call) => call.purpose === "changelogCreate" && call.subject === tag && call.attempts > 0,
  );
  if (isAgain && found?.kind !== "found" && list?.isComplete !== true)
    return refuse(cycle, tag, "it can't be told whether it is there already");
  await rememberEntry(cycle, { tag, print, title: entry.title, posts, shown: undefined });
  if (found?.kind === "found") return takeThere(cycle, work, "changelogCreate", found.entry);
  const whyDoubted = async (record: ToolRecord) =>
    isOther(cycle, { calls, list }, work, record) ? showsOther : undefined;
  return call(cycle, { ...work, whyDoubted }, "changelogCreate", async (own, record) => {
    await rememberEntry(own, { tag, shown: shownBy(record) });
    if (record?.isPublished !== true) return;
    await rememberChangelog(own, { publishing: templates });
    await refuse(cycle, tag, publishesAtOnce);
  });
}

/**
 * Whether an answer shows another entry than the one that was to be made: one that was there before, or that is called otherwise. Boards
 * change titles; only where the list before the call was whole, an entry that it lacked is new, whatever it is called.
 */
function isOther(
  cycle: PulledCycle,
  there: { readonly calls: readonly ToolCall[]; readonly list: ToolList | undefined },
  { tag, entry }: EntryWork,
  { id, title }: ToolRecord,
): boolean {
  const { calls, list } = there;
  const isThere = list?.records.some((one) => one.id === id) === true;
  if (isThere || takenEntries(calls, tag).has(id)) return true;
  if (title === undefined || isCalled(title, entry.title)) return false;
  const others = projectNow(cycle).changelog?.entries.filter((one) => one.tag !== tag) ?? [];
  return list?.isComplete !== true || others.some((one) => isCalled(title, one.title));
}

function isCalled(title: string, wanted: string): boolean {
  return plainEntry({ title }) === plainEntry({ title: wanted });
}

const publishesAtOnce =
  "the tool has published what it made at once. It is not called any more until its `args` are others: they must ask for a draft";

async function refuse({ tally }: PulledCycle, tag: string, why: string): Promise<Outcome> {
  noteError(tally, { code: "board.entry", message: `${nameEntry(tag)}: ${why}.` });
  return { kind: "failed", why };
}

function shownBy(record: ToolRecord | undefined): string | undefined {
  return record?.text === undefined ? undefined : hashText(plainEntry(record));
}

/** The entry is there already: it is the release's own, as if our call had made it. */
async function takeThere(
  { world, memory, run }: PulledCycle,
  { tag, args, reason }: EntryWork,
  purpose: ToolWriting,
  { id, url }: Pick<ToolRecord, "id" | "url">,
): Promise<Outcome> {
  const key = { project: memory.id, purpose, subject: tag };
  const at = world.clock.now();
  const message = "it was there already";
  // What a process that died has called may be known by now, or be in doubt still.
  const known = (await world.ledger.toolCalls.find(key))?.state;
  if (known === "DONE" && purpose !== "changelogUpdate") return { kind: "unneeded" };
  const isOpen = known === "SENT" || known === "UNKNOWN";
  const hash = hashArguments(args);
  const there = { ...key, at, message, result: id, url };
  await world.ledger.commit([
    isOpen
      ? { kind: "end-call", ...there, state: "DONE" }
      : { kind: "take-call", ...there, run: run.number, hash, reason },
  ]);
  return { kind: "unneeded" };
}

function call(
  cycle: PulledCycle,
  { tag, args, reason, entry, requests, id, whyDoubted }: EntryWork & Pick<ToolRequest, "whyDoubted">,
  purpose: ToolWriting,
  record?: (own: PulledCycle, record: ToolRecord | undefined) => Promise<void>,
): Promise<Outcome> {
  return callTool(cycle, {
    ...{ purpose, subject: tag, args, reason, name: nameEntry(tag), isApproved: requests.length > 0 },
    tell: { fields: [{ field: "title", value: entry.title }], issue: undefined },
    ...{ id: purpose === "changelogCreate" ? undefined : id, ...(whyDoubted && { whyDoubted }) },
    ...(record && { record }),
  });
}

/** A draft that people have edited, or that may be published, stays as it is: that is said once for each edit of the release. */
async function updateDraft(cycle: PulledCycle, work: EntryWork, ask: AskEntries): Promise<Outcome> {
  const { tag, entry, print, posts, id } = work;
  const list = await ask();
  const found = list?.records.find((one) => one.id === id);
  const known = projectNow(cycle).changelog?.entries.find((one) => one.tag === tag);
  const why = whyNotChanged(cycle, found, known);
  if (found?.isPublished === true) await rememberEntry(cycle, { tag, print });
  if (found?.isPublished === true) return { kind: "unneeded" };
  if (found !== undefined && plainEntry(found) === plainEntry({ title: entry.title, text: entry.body })) {
    // An update whose answer was lost.
    await rememberEntry(cycle, { tag, print, title: entry.title, posts, shown: hashText(plainEntry(found)) });
    return takeThere(cycle, work, "changelogUpdate", found);
  }
  if (why !== undefined) {
    await rememberEntry(cycle, { tag, print });
    return refuse(cycle, tag, `the release was edited, and its draft stays as it was: ${why}`);
  }
  const outcome = await call(cycle, work, "changelogUpdate", async (own, record) => {
    const shown = record?.id === id ? shownBy(record) : undefined;
    await rememberEntry(own, { tag, print, title: entry.title, posts, shown });
  });
  return outcome;
}

function whyNotChanged(
  { world }: PulledCycle,
  found: ToolRecord | undefined,
  known: { readonly title: string; readonly shown?: string | undefined } | undefined,
): string | undefined {
  if (world.tools?.purposes.has("changelogUpdate") !== true)
    return "`board.mcp.tools` names no `changelogUpdate`";
  if (found === undefined) return "the list of entries does not show it";
  if (found.isPublished === undefined) return "the list does not tell whether it is still a draft";
  const isAsSent = plainEntry({ title: found.title ?? "" }) === plainEntry({ title: known?.title ?? "" });
  const isEdited = known?.shown === undefined ? !isAsSent : known.shown !== hashText(plainEntry(found));
  return isEdited ? "people have edited it on the board" : undefined;
}

async function publishDraft(cycle: PulledCycle, work: EntryWork, ask: AskEntries): Promise<Outcome> {
  const list = await ask();
  const found = list?.records.find(({ id }) => id === work.id);
  if (found?.isPublished === true) return takeThere(cycle, work, "changelogPublish", found);
  if (list?.isComplete === true && found === undefined)
    return { kind: "refuse", cause: "something-else", why: "the board does not list the draft any more" };
  // Some tools want a word more before they publish, and answer what they would do.
  const whyDoubted = async ({ id, isPublished }: ToolRecord) =>
    id === work.id && isPublished === false ? "the answer shows a draft" : undefined;
  return call(cycle, { ...work, whyDoubted }, "changelogPublish");
}
