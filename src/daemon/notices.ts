import { escapeControls } from "../escape.ts";
import type { SaidNotice } from "../ledger/memory.ts";
import type { WaitingRow } from "../ledger/rows.ts";
import { hourMs } from "../model/time.ts";
import type { ProjectReport, ReportedError } from "../sync/ground/reports.ts";
import type { EntryLine } from "../sync/tell/entries.ts";
import { describeState, isParked, type ProjectState } from "../sync/tell/project-state.ts";
import { describePlanned, groupWaiting } from "../sync/tell/waiting-lines.ts";
import { needWords } from "../sync/tell/words.ts";

/** Nobody hears of the same cause more often than this, whatever becomes of it meanwhile. */
const quietMs = hourMs;
/** A cause that stays as it is is said again after this: it still waits. */
const reminderMs = 24 * quietMs;
/** After this it doesn't matter any more what was said: a digest, which comes once a week at the least, is said by then. */
export const forgottenAfterMs = 15 * reminderMs;
/** So many posts are named for a cause; `boardsync status` has all. */
const maxNamed = 5;
/** The longest part of an id that is shown. */
const maxIdLength = 60;
/** The longest part of a line about what would be written. */
const maxLineLength = 200;
/** So many causes make a message; it says how many more there are. */
const maxLines = 20;

/** One thing that waits for a person: by which name, and in which words. Another sentence is news. */
export interface Cause {
  readonly cause: string;
  readonly sentence: string;
}

/**
 * What of a project's run a person should hear of. Ids, codes and numbers alone: what people have written stays where it is.
 *
 * @param waiting - everything that waits in the project.
 * @param entries - what waits of its changelog.
 */
export function findCauses(
  report: ProjectReport,
  waiting: readonly WaitingRow[],
  entries: readonly EntryLine[] = [],
): readonly Cause[] {
  const { project, held, parked, quarantined, hold, errors } = report;
  const refused = entries.filter(({ state }) => state === "refused" || state === "unsure");
  const tagged = { held: entries.filter(({ state }) => state === "held"), parked: refused, quarantined: [] };
  const idsOf = (kind: keyof typeof tagged): readonly string[] => [
    ...[...new Set(waiting.filter((row) => row.kind === kind).map(({ post }) => String(post)))].toSorted(),
    ...tagged[kind].map(({ tag }) => `changelog:${tag}`),
  ];
  const [entry] = refused.flatMap(({ command }) => (command === null ? [] : [clean(command, maxLineLength)]));
  const stopped = waiting.filter(({ kind }) => kind === "parked");
  const failures = errors.filter((error) => !isParked(error, stopped));
  const retry = stopped.length > 0 || entry === undefined ? "`boardsync retry POST`" : `\`${entry}\``;
  const waits = [
    ["held", held, "`boardsync status` shows why, and the ways out"],
    ["parked", parked, `\`boardsync status\` says why, ${retry} tries again`],
    ["quarantined", quarantined, "`boardsync release POST` ends it"],
  ] as const;
  return [
    ...waits
      .filter(([, count]) => count > 0)
      .map(([kind, count, next]): Cause => {
        const what =
          kind === "held" && hold !== undefined
            ? "the whole project needs you"
            : `${count} ${needWords[kind]}${nameIds(idsOf(kind))}`;
        const lines = describeLines(waiting.filter((row) => row.kind === kind));
        const sentence = `${clean(project)}: ${what}${lines}. Next: ${next}.`;
        return { cause: `${project}/${kind}`, sentence };
      }),
    ...[...Map.groupBy(failures, ({ code }) => code)].map(([code, same]) =>
      describeFailure(project, code, same),
    ),
  ];
}

/** What would be written, and how many voters would be notified: of each by its id where few wait, else of those that are alike. */
function describeLines(rows: readonly WaitingRow[]): string {
  const lines = groupWaiting(rows, false).flatMap(({ lines: alike, shown, isGroup, notified }) => {
    const [first] = shown;
    if (!isGroup || first === undefined) return shown.flatMap(describeRow);
    return [`${alike.length} alike, such as ${clean(first.post)}${notified === "" ? "" : `; ${notified}`}`];
  });
  if (lines.length === 0) return "";
  const more = lines.length > maxNamed ? "\n   …" : "";
  const shown = lines.slice(0, maxNamed).map((line) => `\n   ${line}`);
  return `${shown.join("")}${more}`;
}

function describeRow({ post, planned }: WaitingRow): readonly string[] {
  return planned === undefined
    ? []
    : [`${clean(post)}: ${clean(describePlanned(planned, false), maxLineLength)}`];
}

function describeFailure(project: string, code: string, errors: readonly ReportedError[]): Cause {
  const places = errors.flatMap(({ post, issue }) => post ?? issue ?? []).toSorted();
  const advice = errors.find((error) => error.advice !== undefined)?.advice;
  const next = advice ?? "`boardsync status` says more.";
  return {
    cause: `${project}/failed/${code}`,
    sentence: `${clean(project)}: ${errors.length} failed with ${clean(code)}${nameIds(places)}. Next: ${next}`,
  };
}

function nameIds(ids: readonly string[]): string {
  if (ids.length === 0) return "";
  const more = ids.length > maxNamed ? ", …" : "";
  const shown = ids.slice(0, maxNamed).map((id) => clean(id));
  return ` (${shown.join(", ")}${more})`;
}

/** The causes of which people should hear now: news, but not within the hour, and once a day what hasn't changed. */
export function pickNews(
  causes: readonly Cause[],
  said: readonly SaidNotice[],
  now: number,
): readonly Cause[] {
  const known = new Map(said.map((notice) => [notice.cause, notice]));
  return causes.filter(({ cause, sentence }) => {
    const last = known.get(cause);
    if (last === undefined) return true;
    const ageMs = now - last.at;
    // One that lies ahead was said before the clock was set back.
    return ageMs < 0 || ageMs >= reminderMs || (ageMs >= quietMs && sentence !== last.state);
  });
}

/**
 * What was said of these projects and is over by now. When it comes back it is news, but still not within the hour: what comes
 * and goes all the time calls nobody every minute.
 *
 * @param causes - all that these projects have now.
 */
export function findOver(
  said: readonly SaidNotice[],
  causes: readonly Cause[],
  projects: readonly string[],
): readonly SaidNotice[] {
  const present = new Set(causes.map(({ cause }) => cause));
  const isOver = ({ cause, state }: SaidNotice): boolean =>
    state !== "" && !present.has(cause) && projects.some((project) => cause.startsWith(`${project}/`));
  return said.filter(isOver).map((notice) => ({ ...notice, state: "" }));
}

/** A message in Slack's way. @param ends - how the projects of the run stand. */
export function composeMessage(
  causes: readonly Cause[],
  ends: readonly { readonly project: string; readonly state: ProjectState }[],
): string {
  const lines = causes.slice(0, maxLines).map(({ sentence }) => `• ${sentence}`);
  const more = causes.length - lines.length;
  const end = more > 0 ? [`… and ${more} more: \`boardsync status\` has them all.`] : [];
  const states = ends
    .filter(({ state }) => state.kind !== "in-sync")
    .slice(0, maxLines)
    .map(({ project, state }) => `*boardsync* ${clean(project)}: ${describeState(state)}.`);
  return [...states, ...lines, ...end].join("\n");
}

/** Ids come from outside, too: nothing in them may command Slack, call people, or pass for another line. */
export function clean(id: string, maxLength: number = maxIdLength): string {
  const short = id.length > maxLength ? `${id.slice(0, maxLength).toWellFormed()}…` : id;
  return escapeControls(short.replaceAll(/\s/g, " "))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[`*~|[\]]|(?<![a-z0-9])_|_(?![a-z0-9])/gi, "'")
    .replaceAll("@", "@\u200b");
}
