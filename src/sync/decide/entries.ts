import type { ToolCall } from "../../ledger/journal.ts";
import type { PersonRequest } from "../../ledger/orders.ts";
import type { Release } from "../../model/release.ts";
import { dayMs } from "../../model/time.ts";
import {
  callOf,
  decideEntries as decideWishes,
  type EntryWish,
  mayBePublished,
  nameRelease,
  publishAt,
} from "../../plan/changelog/decide.ts";
import { entryArguments, renderEntry } from "../../plan/changelog/entry.ts";
import { printRelease } from "../../plan/changelog/releases.ts";
import { hashText } from "../../plan/ground/hash.ts";
import { canonical } from "../../plan/ground/identity.ts";
import type { ChangelogSettings } from "../../plan/ground/settings.ts";
import { TemplateError } from "../../plan/text/template.ts";
import { type PulledCycle, projectNow } from "../ground/cycle-state.ts";
import { type EntryWork, entryOf, lastText, nameEntry, purposes } from "../ground/entries.ts";
import { isPreview, shownEntry } from "../ground/order.ts";
import { noteError } from "../ground/report.ts";
import type { Verdict } from "../ground/verdict.ts";
import { type ReleaseLook, readShipped, rememberEntry, wantedReleases } from "../read/releases.ts";
import { endOthers, judgeEntries, noteHeld, whyStopped } from "./judge-entries.ts";

/** What it hangs on in this run. */
interface Deciding {
  readonly cycle: PulledCycle;
  readonly changelog: ChangelogSettings;
  readonly calls: readonly ToolCall[];
  readonly releases: readonly Release[];
}

/** Issues for which it can't be told yet whether a release ships them hold its draft up for so long. */
const doubtMs = dayMs;

/**
 * Decides what becomes of the changelog's entries: drafts of new releases, texts of edited ones, and what people have let go.
 *
 * @throws RemoteError, TemplateError
 */
export async function decideEntries(
  cycle: PulledCycle,
  look: ReleaseLook | undefined,
): Promise<readonly EntryWork[]> {
  const { changelog } = cycle.settings;
  const known = projectNow(cycle).changelog;
  if (changelog === undefined || known === undefined) return [];
  const { ledger } = cycle.world;
  const calls = await ledger.toolCalls.list(cycle.memory.id);
  const deciding = { cycle, changelog, calls, releases: look?.releases ?? [] };
  const shown = shownEntry(cycle.run);
  if (shown !== undefined) {
    const named = look?.releases.find(({ tag }) => tag === shown.tag);
    const release = shown.tag === undefined ? wantedReleases(look?.releases ?? [], changelog)[0] : named;
    return release ? [await workOf(deciding, { kind: "create", tag: release.tag, release })] : [];
  }
  if (look !== undefined) await noteListed(cycle, look.releases);
  const wishes =
    look === undefined ? [] : decideWishes({ wanted: changelog, releases: look.releases, ...known, calls });
  const works: EntryWork[] = [];
  for (const wish of wishes) {
    if (wish.kind === "gone") await sayGone(cycle, wish.tag);
    else works.push(await tryWork(deciding, wish));
  }
  const requests = await ledger.requests.pending(cycle.memory.id);
  const judged = await judgeEntries(cycle, works, requests);
  if (!isPreview(cycle.run)) await noteHeld(cycle, judged);
  if (!isPreview(cycle.run) && look !== undefined) await endOthers(cycle, judged, requests);
  const changing = judged.flatMap(({ kind, tag, verdict }) =>
    kind === "update" && verdict.kind !== "hold" ? [tag] : [],
  );
  return [...judged, ...(await publishesOf(deciding, requests, changing))];
}

/** A release that is there again may be published, and missed once more; one of a known tag that was made anew is known by its new id. */
async function noteListed(cycle: PulledCycle, releases: readonly Release[]): Promise<void> {
  if (isPreview(cycle.run)) return;
  for (const release of releases) {
    const entries = projectNow(cycle).changelog?.entries ?? [];
    const known = entryOf(cycle, nameRelease(release, { entries, releases }));
    if (known !== undefined && (known.release !== release.id || known.isGone === true))
      await rememberEntry(cycle, { tag: known.tag, release: release.id, isGone: false });
  }
}

/** Said once: nothing publishes such a draft, and nothing deletes it. */
async function sayGone(cycle: PulledCycle, tag: string): Promise<void> {
  const known = entryOf(cycle, tag);
  if (known?.isGone === true || isPreview(cycle.run)) return;
  const message = `${nameEntry(tag)}: its release is not published any more, and its draft is still on the board. Delete it there.`;
  noteError(cycle.tally, { code: "board.entry-gone", message });
  await rememberEntry(cycle, { tag, isGone: true });
}

type ReleaseWish = Extract<EntryWish, { readonly release: Release }>;

/** One whose template fails stops no other. */
async function tryWork(deciding: Deciding, wish: ReleaseWish): Promise<EntryWork> {
  try {
    return await workOf(deciding, wish);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { kind, tag, release } = wish;
    const why = `a template fails: ${error.message}`;
    noteError(deciding.cycle.tally, { code: "config.template", message: `${nameEntry(tag)}: ${why}.` });
    return {
      kind,
      tag,
      args: {},
      reason: "",
      entry: { title: release.name, body: "" },
      posts: 0,
      print: "",
      release: release.id,
      id: undefined,
      requests: [],
      verdict: { kind: "hold", cause: "undecided", why },
    };
  }
}

async function workOf(
  { cycle, changelog, calls, releases }: Deciding,
  { kind, tag, release }: ReleaseWish,
): Promise<EntryWork> {
  const { posts, doubt } = await readShipped(cycle, { release, releases, wanted: changelog });
  const entry = renderEntry(changelog, release, posts);
  const id = lastText(calls, tag)?.result;
  const args = entryArguments(
    changelog.args[kind] ?? {},
    { entry, release, project: cycle.memory.id, ...(kind === "update" && { id: id ?? "" }) },
    `board.mcp.tools.${purposes[kind]}.args`,
  );
  const last = callOf(calls, purposes[kind], tag);
  const isFresh = cycle.world.clock.now() - Date.parse(release.publishedAt) < doubtMs;
  const verdict: Verdict =
    last?.state === "REJECTED" && last.hash === hashText(canonical(args))
      ? { kind: "hold", cause: "refused", why: `the board refused it: ${last.message}` }
      : doubt !== undefined && isFresh
        ? { kind: "wait", cause: "undecided", why: `it can't be told yet whether it ships ${doubt}` }
        : { kind: "go" };
  const reason = kind === "create" ? `${tag} was published` : `the release ${tag} was edited`;
  const made = { kind, tag, args, reason, entry, posts: posts.length, print: printRelease(release) };
  return { ...made, release: release.id, id, verdict, requests: [] };
}

/**
 * What people have let go: this very text, and one entry a day, unless they said so twice.
 *
 * @param changing - tags whose drafts get another text in this run.
 */
async function publishesOf(
  { cycle, changelog, calls }: Deciding,
  pending: readonly PersonRequest[],
  changing: readonly string[],
): Promise<readonly EntryWork[]> {
  const asked = Map.groupBy(
    pending.filter((request) => request.kind === "publish"),
    ({ tag }) => tag,
  );
  const stop = asked.size === 0 ? undefined : await whyStopped(cycle);
  const now = cycle.world.clock.now();
  const works: EntryWork[] = [];
  let goesNow: number | undefined;
  for (const [tag, requests] of asked) {
    const text = lastText(calls, tag);
    const known = entryOf(cycle, tag);
    const named = requests.filter(({ hash }) => hash === text?.hash);
    const id = text?.result;
    const entry = { title: known?.title ?? tag, body: "" };
    const args = publishArguments(cycle, changelog, { tag, entry, id: id ?? "" });
    const isFailed = typeof args === "string";
    const why = isFailed ? args : whyNotPublished(changelog, named.length > 0, known?.isGone, id);
    const publishedAt = calls.flatMap(({ purpose, subject, state, sentAt = 0 }) =>
      purpose === "changelogPublish" && subject !== tag && mayBePublished(state) ? [sentAt] : [],
    );
    const lastAt = goesNow ?? Math.max(...publishedAt);
    // Two people who were shown the same have let it go once.
    const times = named.some(({ isSecond }) => isSecond) ? 2 : 1;
    const verdict: Verdict =
      why !== undefined
        ? { kind: "refuse", cause: "something-else", why }
        : (stop ?? whileChanging(calls, tag, changing) ?? turnOf(publishAt(lastAt, times, now)));
    if (verdict.kind === "go") goesNow = now;
    works.push({
      kind: "publish",
      tag,
      reason: "a person let it go",
      entry,
      posts: known?.posts ?? 0,
      print: known?.print ?? "",
      release: known?.release,
      id,
      args: isFailed ? {} : args,
      verdict,
      requests: requests.map(({ id: request }) => request),
    });
  }
  return works;
}

/** As words: why there are none. */
function publishArguments(
  { memory }: PulledCycle,
  { args }: ChangelogSettings,
  { tag, ...about }: { tag: string; entry: EntryWork["entry"]; id: string },
): EntryWork["args"] | string {
  try {
    const named = { ...about, release: { tag, url: "" }, project: memory.id };
    return entryArguments(args.publish ?? {}, named, "board.mcp.tools.changelogPublish.args");
  } catch (error) {
    if (error instanceof TemplateError) return `a template fails: ${error.message}`;
    throw error;
  }
}

/** While its text changes, or may have changed, nobody can say that it is the one that was let go. */
function whileChanging(
  calls: readonly ToolCall[],
  tag: string,
  changing: readonly string[],
): Verdict | undefined {
  const state = callOf(calls, "changelogUpdate", tag)?.state;
  if (state !== "SENT" && state !== "UNKNOWN" && !changing.includes(tag)) return undefined;
  return { kind: "wait", cause: "in-doubt", why: "its release was edited, and its text changes first" };
}

function turnOf(at: number | undefined): Verdict {
  if (at === undefined) return { kind: "go" };
  const time = new Date(at).toISOString();
  const why = `another entry was published less than a day before: it follows at ${time}, or when it is approved once more`;
  return { kind: "wait", cause: "turn", why };
}

function whyNotPublished(
  { publish, args }: ChangelogSettings,
  isShown: boolean,
  isGone: boolean | undefined,
  id: string | undefined,
): string | undefined {
  if (publish !== "approve") return "`changelog.publish` does not allow it";
  if (args.publish === undefined) return "`board.mcp.tools` names no `changelogPublish`";
  if (isGone) return "its release is not published any more";
  if (!isShown) return "its text is another one since it was approved, or may be: look at it once more";
  return id === undefined ? "the board has not told the entry's id" : undefined;
}
