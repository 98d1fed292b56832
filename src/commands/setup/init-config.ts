import { showWay } from "../../model/page.ts";
import type { PostField } from "../../model/post.ts";
import { type ShownList, showCategory } from "../../story/posts.ts";
import { oneLine } from "../print/text.ts";

/** What a config is written from. */
export interface InitAnswers {
  /** Of the board's API. */
  readonly url: string;
  /** Of GitHub's API; undefined for that of github.com. */
  readonly github: string | undefined;
  readonly projects: readonly InitProject[];
  /** Lines that name tools of the board's MCP server; none where it has no such server. */
  readonly tools: readonly string[];
  /** Whether the JSON Schema lies beside the file. */
  readonly hasSchema: boolean;
  /** The day on which it is written, as `2026-01-31`. */
  readonly today: string;
}

/** One project, as the board showed it. */
export interface InitProject {
  /** Its slug, or its id without one. */
  readonly project: string;
  readonly repo: string;
  /** The first page of its posts: enough to see which statuses are in use, and which fields there are. */
  readonly shown: Pick<ShownList, "pages" | "seen" | "statuses" | "categories" | "asked">;
}

/** What the posts of all projects show together: the words of a board are the same in all of them. */
interface OnBoard {
  readonly statuses: readonly string[];
  readonly fields: ReadonlySet<PostField>;
  readonly meanings: Meanings;
}

/** A commented config. It holds no secret, names only fields that the board shows, and each project has a `select`. */
export function composeConfig({ url, github, projects, tools, hasSchema, today }: InitAnswers): string {
  const all = projects.map(({ shown }) => shown);
  const statuses = [...new Set(all.flatMap((shown) => [...shown.statuses.keys()]))];
  const fields = new Set(all.flatMap(({ seen }) => [...seen]));
  const onBoard = { statuses, fields, meanings: matchStatuses(statuses) };
  const way = all.find(({ asked }) => asked?.way !== undefined)?.asked?.way;
  return `${hasSchema ? "# yaml-language-server: $schema=./boardsync.schema.json\n#\n" : ""}\
# Written by \`boardsync init\`. Secrets are never in this file: BOARD_API_KEY and GITHUB_TOKEN come from the environment,
# or from a file .env in the working directory. \`boardsync check\` looks at everything that stands here.

board:
  url: ${scalar(url)}
${way === undefined ? "" : `  # The list shows no sign of further pages; asking the board has found them.\n  ${showWay(way)}\n`}\
${composeTools(tools)}\
${github === undefined ? "" : `\ntracker:\n  url: ${scalar(github)}\n`}
# A change of an issue must stay this long before the voters of a post are notified.
settle: 10m

# More than this needs you: \`boardsync approve\` lets it go. Raise it when you trust what you see.
guard:
  issues: 50 # issues opened or changed in one run
  statuses: 25 # posts whose voters are notified, in any 60 minutes

projects:
${projects.map((project) => composeProject(project, onBoard, today)).join("\n")}`;
}

/** As a comment: no tool is called before a person has said yes to it. */
function composeTools(tools: readonly string[]): string {
  if (tools.length === 0) return "";
  const lines = tools.map((line) => `  #     ${line}\n`).join("");
  return `  # The board's MCP server has tools that may serve these purposes. None is called before its line stands here.
  # mcp:
  #   tools:
${lines}`;
}

/** More than these are no help in a comment. */
const most = 20;

function composeProject({ project, repo, shown }: InitProject, onBoard: OnBoard, today: string): string {
  const statuses = onBoard.statuses.slice(0, most).map(scalar).join(", ");
  // A category is named by its id, which nobody can guess.
  const categories = shown.categories.slice(0, most).map(showCategory).join(", ");
  // An empty list does not tell which fields its posts will have.
  const seen = (shown.pages[0] ?? 0) > 0 ? shown.seen : onBoard.fields;
  return `  - project: ${scalar(project)}
    repo: ${scalar(repo)}
    writes: all # \`issues\` never touches the board; \`none\` only looks and says what it would do

    # Which posts become issues; every condition must hold.\
${statuses && ` Statuses in use on the board: ${statuses}.`}\
${categories && `\n    # Categories in use, for \`select.categories\` and \`route\`: ${oneLine(categories)}.`}
    select: ${selectOf(seen, onBoard.meanings, today)}

    issue:
      labels: [feedback]
${rulesOf(onBoard)}`;
}

/** What is certain to be small: posts that are planned already, else those that come from now on, else those with votes. */
function selectOf(seen: ReadonlySet<PostField>, meanings: Meanings, today: string): string {
  const statuses = [meanings.planned, meanings.inProgress].filter((status) => status !== undefined);
  // A condition on a field that no post of the project shows would select nothing.
  if (statuses.length > 0 && seen.has("status")) return `{ statuses: [${statuses.map(scalar).join(", ")}] }`;
  const later = "name `statuses` when you know them";
  if (seen.has("createdAt")) return `{ createdAfter: ${today} } # only new posts; ${later}`;
  if (seen.has("votes")) return `{ minVotes: 10 } # ${later}`;
  return `{ archived: false } # every post that is not archived; ${later}`;
}

/** From the most advanced to the least; only fields that the board shows, and words that it uses. */
function rulesOf({ meanings, fields }: OnBoard): string {
  const wanted: readonly [when: string, set: Readonly<Partial<Record<PostField, string>>>][] = [
    ["state: closed, reason: completed", { ...statusOf(meanings.completed), roadmapColumn: "COMPLETED" }],
    ["state: closed, reason: [not_planned, duplicate]", { ...statusOf(meanings.closed), onRoadmap: "false" }],
    ["state: open, assigned: true", { ...statusOf(meanings.inProgress), roadmapColumn: "IN_PROGRESS" }],
    ["state: open, milestone: any", { ...statusOf(meanings.planned), roadmapColumn: "PLANNED" }],
  ];
  const rules = wanted.flatMap(([when, set]) => {
    const values = Object.entries(set).filter(([field]) => fields.has(field as PostField));
    const shown = values.map(([field, value]) => `${field}: ${value}`).join(", ");
    return shown === "" ? [] : [`      - when: { ${when} }\n        set: { ${shown} }\n`];
  });
  if (rules.length === 0) return "";
  const unnamed = fields.has("status")
    ? meaningNames.filter(([meaning]) => meanings[meaning] === undefined)
    : [];
  const isQuiet = unnamed.length === meaningNames.length;
  const lacking =
    unnamed.length === 0
      ? ""
      : `    # No status in use on the board is known to mean ${unnamed.map(([, said]) => said).join(", ")}. So ${isQuiet ? "no rule sets" : "not every rule sets"} \`status\`:
    # add \`status: …\` to \`set\` with the board's own word, or voters are not notified.
`;
  return `
    # What an issue makes of its post, from the most advanced rule to the least: each field takes its value from the
    # first rule that matches and names it. A change of \`status\` notifies the voters of a post.
${lacking}    rules:
${rules.join("")}
    # When no matching rule names a field any more (an issue reopened, nobody assigned): put back what was there before.
    whenNoRule: restore
`;
}

/** What a status may mean, as a person says it. */
const meaningNames: readonly (readonly [meaning: keyof Meanings, said: string])[] = [
  ["completed", "completed"],
  ["closed", "declined"],
  ["inProgress", "in progress"],
  ["planned", "planned"],
];

function statusOf(status: string | undefined): { readonly status?: string } {
  return status === undefined ? {} : { status: scalar(status) };
}

/** Words of the board are quoted where YAML could take them for anything else. */
function scalar(text: string): string {
  const isPlain =
    /^[A-Za-z](?:[\w./-]|:(?=[\w/]))*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

/** What a status of a board may mean for an issue. */
type Meaning = "planned" | "inProgress" | "completed" | "closed";

/** For each meaning the board's own word, where one of those in use has it. */
export type Meanings = Readonly<Partial<Record<Meaning, string>>>;

/** Common words, folded: without case, blanks, `-` and `_`; the plainest first, which wins where a board has several. */
const words: Readonly<Record<Meaning, string>> = {
  planned: "planned scheduled accepted approved upcoming next todo onroadmap backlog",
  inProgress: "inprogress started indevelopment doing building underway working workinprogress wip active",
  completed: "completed complete done shipped released live launched delivered implemented finished resolved",
  closed: "closed declined rejected notplanned wontdo wontfix cancelled canceled dismissed discarded",
};

/** Matches the statuses that a board uses to what GitHub knows of an issue; what has no common word is left alone. */
export function matchStatuses(statuses: readonly string[]): Meanings {
  const found = Object.entries(words).map(([meaning, known]) => {
    const word = known.split(" ").find((one) => statuses.some((status) => fold(status) === one));
    return [meaning, statuses.find((status) => fold(status) === word)] as const;
  });
  return Object.fromEntries(found.filter(([, status]) => status !== undefined));
}

function fold(status: string): string {
  return status.toLowerCase().replaceAll(/[\s_'’-]+/g, "");
}
