import { isDeepStrictEqual } from "node:util";
import { type Concealed, showYaml } from "../../config/concealed.ts";
import type { SecretOrigin } from "../../config/secrets.ts";
import { escapeControls } from "../../escape.ts";
import type { BoardFacts, ListFacts } from "../../story/report/sides.ts";
import type { ProjectFacts, RunFacts, StateFacts, Tally } from "../../story/report/state.ts";
import { describeDistance, describeLength } from "../../sync/tell/times.ts";
import { describeBytes } from "../open/status-database.ts";
import type { Output } from "../print/terminal.ts";
import { count, oneLine } from "../print/text.ts";

/** What `report --json` prints. Nothing in it is private. */
export interface BugReport {
  readonly versions: {
    readonly boardsync: string;
    readonly node: string;
    readonly platform: string;
    readonly arch: string;
    readonly libc: string | null;
    readonly sqlite: string;
    /** Of the package `better-sqlite3`. */
    readonly driver: string;
    /** The schema of a state that this version knows. */
    readonly schema: number;
  };
  readonly config:
    | { readonly read: true; readonly settings: Concealed }
    | { readonly read: false; readonly problems: readonly string[] };
  readonly secrets: readonly SecretOrigin[];
  readonly board: BoardFacts;
  readonly tracker: { readonly access: string };
  readonly state: StateReport;
}

/** The state, as far as it can be read. */
export interface StateReport {
  readonly kind: "file" | "postgres";
  /** `ok`, why it was not read, or the code of what went wrong. */
  readonly access: string;
  /** Also of a state that this version can't read; null where it is not known. */
  readonly schema: number | null;
  readonly daemon: { readonly alive: boolean; readonly ageSeconds: number } | null;
  readonly replicas: number;
  readonly facts: StateFacts | null;
}

/** Prints a report as Markdown. */
export function printBugReport(out: Output, report: BugReport): void {
  const lines = [
    ...tellVersions(report),
    ...tellConfig(report.config),
    ...tellBoard(report.board),
    ...["", "### GitHub", "", tellAccess(report.tracker.access, "The account can be read.")],
    ...tellFacts(report.state.facts),
  ];
  for (const line of lines) out.write(`${line}\n`);
}

function tellVersions({ versions, secrets, state }: BugReport): readonly string[] {
  const { boardsync, node, platform, arch, libc, sqlite, driver } = versions;
  return [
    `### boardsync ${boardsync}`,
    "",
    `- Node.js ${node} on ${platform} ${arch}${libc === null ? "" : `, ${libc}`}; SQLite ${sqlite} (better-sqlite3 ${driver})`,
    `- State: ${tellState(state, versions.schema)}`,
    `- Daemon: ${tellDaemon(state)}`,
    `- Secrets: ${tellSecrets(secrets)}`,
  ].map(oneLine);
}

function tellState({ kind, access, schema, facts }: StateReport, known: number): string {
  const place = kind === "file" ? "a file" : "PostgreSQL";
  if (facts !== null) {
    const size = describeBytes(facts.bytes + facts.journalBytes);
    return `${place}, schema ${facts.schema}, ${size}, ${count(facts.links, "link")}`;
  }
  if (schema === null) return `${place}: ${access}`;
  return `${place} of ${schema > known ? "a newer" : "an older"} schema: ${schema}, and this version has ${known}`;
}

function tellDaemon({ daemon, replicas }: StateReport): string {
  if (daemon === null) return "none has run on this state";
  const age = describeDistance(-daemon.ageSeconds * 1000);
  const several = replicas > 1 ? `; ${replicas} replicas` : "";
  return `${daemon.alive ? "alive" : "not running"}, last sign of life ${age}${several}`;
}

const origins: Readonly<Record<SecretOrigin["from"], string>> = {
  variable: "set",
  file: "set by a file",
  both: "set twice",
  nowhere: "not set",
};

function tellSecrets(secrets: readonly SecretOrigin[]): string {
  const groups = Object.entries(origins).map(([from, words]) => {
    const names = secrets.filter((secret) => secret.from === from).map(({ name }) => name);
    return names.length === 0 ? "" : `${words}: ${names.join(", ")}`;
  });
  return groups.filter(Boolean).join("; ") || "not known";
}

function tellConfig(config: BugReport["config"]): readonly string[] {
  if (!config.read) {
    const problems = config.problems.map((problem) => `- ${oneLine(problem)}`);
    return ["", "### Config", "", "It can't be used:", "", ...problems];
  }
  const yaml = escapeControls(showYaml(config.settings)).trimEnd().split("\n");
  return ["", "### Config: what differs from the defaults", "", "```yaml", ...yaml, "```"];
}

function tellAccess(access: string, ok: string): string {
  if (access === "ok") return ok;
  return access.startsWith("not ") ? `It was ${access}.` : `It could not be asked: \`${access}\`.`;
}

function tellBoard({ access, projects, lists }: BoardFacts): readonly string[] {
  const ok = `The key is accepted; it sees ${count(projects ?? 0, "project")}.`;
  return [
    "",
    "### Board",
    "",
    tellAccess(access, ok),
    ...lists.flatMap((list, index) => tellList(list, lists.slice(0, index))),
  ];
}

/** By how the look at a list ended; anything else is a code. */
const ends: Readonly<Record<string, string>> = {
  complete: "is complete",
  cut: "looks cut off",
  incomplete: "is incomplete",
  stopped: "was read for as many pages as a report needs",
};

/** @param before - what was told already: the lists of one board look alike. */
function tellList(list: ListFacts, before: readonly ListFacts[]): readonly string[] {
  const { project, end, posts, unusable, items, id, paging, found } = list;
  const bad = unusable === 0 ? "" : `, ${count(unusable, "record")} of no use`;
  const shape =
    items === null
      ? "no list was recognised"
      : `list at \`${items}\`, id \`${id ?? "?"}\`, paging: ${paging}${found === null ? "" : `; asking has found \`${found}\``}`;
  const statuses = list.statuses.map(({ status, posts: times }) => `${status} (${times})`).join(", ");
  const like = before.find((other) => isDeepStrictEqual(recordOf(other), recordOf(list)));
  return [
    "",
    `- ${oneLine(`${project}: the list ${ends[end] ?? `was ${list.pages.length > 0 ? "read in part" : "not read"} (\`${end}\`)`}; ${count(posts, "post")}${tellPages(list)}${bad}`)}`,
    ...[
      shape,
      `signs of paging: ${list.signs.join(", ") || "none"}; headers: ${asCode(list.headers)}; keys around the list: ${asCode(list.envelope)}`,
      ...(like === undefined ? tellRecord(list) : [`keys of a post: as in ${like.project}`]),
      `statuses: ${statuses || "none"}`,
    ].map((line) => `  - ${oneLine(line)}`),
  ];
}

function recordOf({ keys, furtherKeys, fields }: ListFacts): object {
  return { keys, furtherKeys, fields };
}

function tellRecord({ keys, furtherKeys, fields }: ListFacts): readonly string[] {
  if (keys.length === 0) return [];
  const more = furtherKeys === 0 ? "" : ` and ${furtherKeys} more`;
  const named = keys.map(({ name, types }) => `\`${name}\` ${types}`);
  return [`keys of a post: ${named.join(", ")}${more}`, `fields in use: ${fields.join(", ") || "none"}`];
}

function asCode(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ") || "none";
}

function tellPages({ pages, furtherPages }: ListFacts): string {
  if (pages.length === 0) return "";
  const more = furtherPages === 0 ? "" : ` and ${furtherPages} more`;
  return `, page by page ${pages.join(", ")}${more}`;
}

function tellFacts(facts: StateFacts | null): readonly string[] {
  if (facts === null) return [];
  const head = [
    "| run | when | took | result | opened | issues | posts | errors, and what was put off |",
    "|---|---|---|---|---|---|---|---|",
  ];
  return [
    ...["", "### Last runs", ""],
    ...(facts.runs.length === 0 ? ["None."] : [...head, ...facts.runs.map(tellRun)]),
    ...["", "### What waits", ""],
    ...(facts.projects.length === 0
      ? ["No project of the config has run."]
      : facts.projects.map(tellProject)),
  ];
}

function tellRun({ run, at, ageSeconds, durationMs, result, ...counts }: RunFacts): string {
  const said = tellTallies([...counts.errors, ...counts.putOff]);
  const when = `${describeDistance(-ageSeconds * 1000)} (${at})`;
  const cells = [
    run,
    when,
    describeLength(durationMs),
    result,
    counts.created,
    counts.issueWrites,
    counts.postWrites,
  ];
  return oneLine(`| ${cells.join(" | ")} | ${said} |`);
}

function tellProject(facts: ProjectFacts): string {
  const { project, posts, issues, skipped, paused, waits, intents, lastSuccess } = facts;
  return oneLine(
    `- ${project}: ${count(posts, "post")}, ${count(issues, "issue")}, ${skipped} skipped, ${paused} paused; waits: ${tellTallies(waits)}; open writes: ${tellTallies(intents)}; last success ${lastSuccess ?? "never"}`,
  );
}

function tellTallies(tallies: readonly Tally[]): string {
  return tallies.map(({ code, times }) => `${code} (${times})`).join(", ") || "none";
}
