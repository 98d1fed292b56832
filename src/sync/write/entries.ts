import type { ToolList } from "../../board/tools.ts";
import { RemoteError } from "../../errors.ts";
import type { ToolRecord } from "../../model/post.ts";
import { findEntry, isCalled, ownEntry, printEntry } from "../../plan/changelog/look.ts";
import { type PulledCycle, projectNow } from "../ground/cycle-state.ts";
import {
  type AskEntries,
  type EntryWork,
  entryOf,
  nameEntry,
  type OtherEntries,
  otherEntries,
  purposes,
  sayAlike,
  textOf,
} from "../ground/entries.ts";
import { noteError } from "../ground/report.ts";
import type { Outcome } from "../ground/verdict.ts";
import { type ReleaseLook, rememberChangelog, rememberEntry } from "../read/releases.ts";
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
    const { kind, verdict } = work;
    const outcome = verdict.kind === "go" ? await writers[kind]({ cycle, work, ask }) : verdict;
    sayOutcome(cycle, work, outcome);
    const isOver = outcome.kind === "done" || outcome.kind === "unneeded" || outcome.kind === "refuse";
    if (isOver || (outcome.kind === "failed" && kind === "publish"))
      await cycle.world.ledger.commit(work.requests.map((request) => ({ kind: "end-request", request })));
    if (kind !== "publish" && outcome.kind !== "done" && outcome.kind !== "unneeded") isAllDone = false;
  }
  if (look === undefined || !isAllDone || (await hasOpenText(cycle))) return;
  const { etag, etagBy } = look;
  const known = projectNow(cycle).changelog;
  if (known?.etag !== etag || known?.etagBy !== etagBy) await rememberChangelog(cycle, { etag, etagBy });
}

/** Whether a call is open that may ask for its release once more. */
async function hasOpenText({ world, memory }: PulledCycle): Promise<boolean> {
  const calls = await world.ledger.toolCalls.list(memory.id);
  return calls.some(({ purpose, state }) => {
    return purpose !== "changelogPublish" && purpose !== "feedbackCreate" && state !== "DONE";
  });
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

/** What is to be done to one entry. */
interface Writing {
  readonly cycle: PulledCycle;
  readonly work: EntryWork;
  readonly ask: AskEntries;
}

const writers = { create: createDraft, update: updateDraft, publish: publishDraft } as const;

async function createDraft(writing: Writing): Promise<Outcome> {
  const { cycle, work, ask } = writing;
  const { tag, entry } = work;
  const { title } = entry;
  if (projectNow(cycle).changelog?.publishing === hashArguments(cycle.settings.changelog?.args.create ?? {}))
    return refuse(cycle, tag, publishesAtOnce);
  const list = await ask();
  const others = await otherEntries(cycle, tag, title);
  if (list !== undefined && others.rival !== undefined) {
    // An entry that is there may be the one of that other release.
    const why = `${nameEntry(others.rival.subject)} has the same title, and nobody knows yet what became of it`;
    return others.rival.isUnsure ? refuse(cycle, tag, why) : { kind: "wait", cause: "in-doubt", why };
  }
  const key = { project: cycle.memory.id, purpose: "changelogCreate", subject: tag } as const;
  const last = await cycle.world.ledger.toolCalls.find(key);
  const known = entryOf(cycle, tag);
  // What was never called for can only be there already as a draft of this very text.
  const earlier = last?.sentAt !== undefined && known?.title === title ? known : undefined;
  const records = list?.records.filter(({ isPublished }) => earlier !== undefined || isPublished !== true);
  const shown = printSent(entry);
  const taken = new Set([...others.taken, ...(earlier?.there ?? [])]);
  const found = records && findEntry(records, title, [shown, earlier?.shown], taken);
  const own = ownEntry(found, earlier?.there);
  if (own !== undefined) {
    // Made by an earlier call, of an earlier text, it is changed as after any other edit.
    if (printEntry(own) === shown) await rememberEntry(cycle, { ...textOf(work), shown });
    return takeThere(writing, own);
  }
  if (found?.kind === "alike") return refuse(cycle, tag, sayAlike(title, found.entries));
  if ((last?.attempts ?? 0) > 0 && list?.isComplete !== true)
    return refuse(cycle, tag, "it can't be told whether it is there already");
  return makeDraft(writing, list, others);
}

async function makeDraft(
  writing: Writing,
  list: ToolList | undefined,
  others: OtherEntries,
): Promise<Outcome> {
  const { cycle, work, ask } = writing;
  const { tag, entry } = work;
  const before = list?.isComplete === true ? list.records.map(({ id }) => id) : undefined;
  const sent = printSent(entry);
  await rememberEntry(cycle, { ...textOf(work), shown: sent, there: before });
  const whyDoubted = async (record: ToolRecord) =>
    isOther(list, others, entry.title, record) ? showsOther : undefined;
  const findMade = async () => {
    const now = await askAnew(ask);
    const there = new Set([...others.taken, ...(list?.records ?? []).map(({ id }) => id)]);
    return now && ownEntry(findEntry(now.records, entry.title, [sent], there), before);
  };
  return call(writing, { whyDoubted, findMade }, async (own, record) => {
    await rememberEntry(own, { tag, shown: shownBy(record) ?? sent, there: undefined });
    if (record?.isPublished !== true) return;
    const publishing = hashArguments(cycle.settings.changelog?.args.create ?? {});
    await rememberChangelog(own, { publishing });
    refuse(cycle, tag, publishesAtOnce);
  });
}

/** The list as it is after a call whose answer shows nothing; undefined where it can't be read. */
async function askAnew(ask: AskEntries): Promise<ToolList | undefined> {
  try {
    return await ask(true);
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

/**
 * Whether an answer shows another entry than the one that was to be made: one that was there before, or that is called otherwise. Boards
 * change titles; only where the list before the call was whole, an entry that it lacked is new, whatever it is called.
 */
function isOther(
  list: ToolList | undefined,
  { taken, titles }: OtherEntries,
  wanted: string,
  { id, title }: ToolRecord,
): boolean {
  const isThere = list?.records.some((one) => one.id === id) === true;
  if (isThere || taken.has(id)) return true;
  if (title === undefined || isCalled({ title }, wanted)) return false;
  return list?.isComplete !== true || titles.some((one) => isCalled({ title }, one));
}

const publishesAtOnce =
  "the tool has published what it made at once. It is not called any more until its `args` are others: they must ask for a draft";

function refuse({ tally }: PulledCycle, tag: string, why: string): Outcome {
  noteError(tally, { code: "board.entry", message: `${nameEntry(tag)}: ${why}.` });
  return { kind: "failed", why };
}

function shownBy(record: ToolRecord | undefined): string | undefined {
  return record?.text === undefined ? undefined : printEntry(record);
}

function printSent({ title, body }: EntryWork["entry"]): string {
  return printEntry({ title, text: body });
}

/** The entry is there already: it is the release's own, as if our call had made it. */
async function takeThere(
  { cycle: { world, memory, run }, work: { kind, tag, args, reason } }: Writing,
  { id, url }: ToolRecord,
): Promise<Outcome> {
  const key = { project: memory.id, purpose: purposes[kind], subject: tag };
  // What a process that died has called may be known by now, or be in doubt still.
  const known = (await world.ledger.toolCalls.find(key))?.state;
  if (known === "DONE" && kind !== "update") return { kind: "unneeded" };
  const isOpen = known === "SENT" || known === "UNKNOWN";
  const there = { ...key, at: world.clock.now(), message: "it was there already", result: id, url };
  await world.ledger.commit([
    isOpen
      ? { kind: "end-call", ...there, state: "DONE" }
      : { kind: "take-call", ...there, run: run.number, hash: hashArguments(args), reason },
  ]);
  return { kind: "unneeded" };
}

async function call(
  { cycle, work: { kind, tag, args, reason, entry, requests, id } }: Writing,
  answered: Pick<ToolRequest, "whyDoubted" | "findMade">,
  record?: ToolRequest["record"],
): Promise<Outcome> {
  const { outcome } = await callTool(cycle, {
    purpose: purposes[kind],
    subject: tag,
    args,
    reason,
    name: nameEntry(tag),
    tell: { fields: [{ field: "title", value: entry.title }], issue: undefined },
    isApproved: requests.length > 0,
    id: kind === "create" ? undefined : id,
    ...answered,
    record,
  });
  return outcome;
}

/** A draft that people have edited, or that may be published, stays as it is: that is said once for each edit of the release. */
async function updateDraft(writing: Writing): Promise<Outcome> {
  const { cycle, work, ask } = writing;
  const { tag, entry, print, id } = work;
  const found = (await ask())?.records.find((one) => one.id === id);
  const sent = printSent(entry);
  const isChanged = (one: ToolRecord): boolean => one.id === id && printEntry(one) === sent;
  if (found !== undefined && found.isPublished !== true && isChanged(found)) {
    // An update whose answer was lost.
    await rememberEntry(cycle, { ...textOf(work), shown: sent });
    return takeThere(writing, found);
  }
  const why = whyNotChanged(cycle, found, entryOf(cycle, tag)?.shown);
  if (found?.isPublished === true || why !== undefined) {
    await rememberEntry(cycle, { tag, print });
    if (found?.isPublished === true) return { kind: "unneeded" };
    return refuse(cycle, tag, `the release was edited, and its draft stays as it was: ${why}`);
  }
  const findMade = async () => (await askAnew(ask))?.records.find(isChanged);
  const whyDoubted = async (record: ToolRecord) =>
    record.id === id || (await findMade()) !== undefined ? undefined : showsOther;
  return call(writing, { whyDoubted, findMade }, async (own, record) => {
    const shown = (record?.id === id ? shownBy(record) : undefined) ?? sent;
    await rememberEntry(own, { ...textOf(work), shown });
  });
}

function whyNotChanged(
  { world }: PulledCycle,
  found: ToolRecord | undefined,
  shown: string | undefined,
): string | undefined {
  if (world.tools?.purposes.has("changelogUpdate") !== true)
    return "`board.mcp.tools` names no `changelogUpdate`";
  if (found === undefined) return "the list of entries does not show it";
  if (found.isPublished === undefined) return "the list does not tell whether it is still a draft";
  if (shown === printEntry(found)) return undefined;
  return found.text === undefined ? "the list does not show its text" : "people have edited it on the board";
}

async function publishDraft(writing: Writing): Promise<Outcome> {
  const { work, ask } = writing;
  const list = await ask();
  const found = list?.records.find(({ id }) => id === work.id);
  if (found?.isPublished === true) return takeThere(writing, found);
  if (list?.isComplete === true && found === undefined)
    return { kind: "refuse", cause: "something-else", why: "the board does not list the draft any more" };
  const findMade = async () =>
    (await askAnew(ask))?.records.find(({ id, isPublished }) => id === work.id && isPublished === true);
  // Some tools want a word more before they publish, and answer what they would do.
  const whyDoubted = async ({ id, isPublished }: ToolRecord) => {
    if (id !== work.id) return (await findMade()) === undefined ? showsOther : undefined;
    return isPublished === false ? "the answer shows a draft" : undefined;
  };
  return call(writing, { whyDoubted, findMade });
}
