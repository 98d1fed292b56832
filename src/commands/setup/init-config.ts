import { type PagingWay, showWay } from "../../model/page.ts";
import type { PostField } from "../../model/post.ts";
import type { ShownCategory } from "../../story/check/categories.ts";
import type { Meanings } from "./init-statuses.ts";

/** What a config is written from. */
export interface InitAnswers {
  readonly url: string;
  /** Of GitHub's API; undefined for that of github.com. */
  readonly github: string | undefined;
  readonly projects: readonly InitProject[];
  readonly onBoard: OnBoard;
  /** How the list goes on, where asking the board has found that out. */
  readonly way: PagingWay | undefined;
  /** Whether the JSON Schema lies beside the file. */
  readonly hasSchema: boolean;
  /** The day on which it is written, as `2026-01-31`. */
  readonly today: string;
}

/** What the posts of all these projects show together. */
export interface OnBoard {
  /** In the board's own words, each once. */
  readonly statuses: readonly string[];
  readonly fields: ReadonlySet<PostField>;
  readonly meanings: Meanings;
}

/** One project, as the board showed it. */
export interface InitProject {
  /** Its slug, or its id without one. */
  readonly project: string;
  readonly repo: string;
  /** Those of its own posts. */
  readonly statuses: readonly string[];
  /** Those of its first posts, the most common first. */
  readonly categories: readonly ShownCategory[];
  /** Fields that its first posts show; where there are none, those that posts of the others show. */
  readonly seen: ReadonlySet<PostField>;
}

/** A commented config. It holds no secret, names only fields that the board shows, and each project has a `select`. */
export function composeConfig({
  url,
  github,
  projects,
  onBoard,
  way,
  hasSchema,
  today,
}: InitAnswers): string {
  const schema = hasSchema ? "# yaml-language-server: $schema=./boardsync.schema.json\n#\n" : "";
  return `${schema}# Written by \`boardsync init\`. Secrets are never in this file: BOARD_API_KEY and GITHUB_TOKEN come from the environment,
# or from a file .env in the working directory. \`boardsync check\` looks at everything that stands here.

board:
  url: ${scalar(url)}
${way === undefined ? "" : `  # The list shows no sign of further pages; asking the board has found them.\n  ${showWay(way)}\n`}${github === undefined ? "" : `\ntracker:\n  url: ${scalar(github)}\n`}
# A change of an issue must stay this long before the voters of a post hear of it.
settle: 10m

# More than this is held until \`boardsync approve\`. Raise it when you trust what you see.
guard:
  issues: 50 # issues opened or changed in one run
  statuses: 25 # posts whose voters are notified, in any 60 minutes

projects:
${projects.map((project) => composeProject(project, onBoard, today)).join("\n")}`;
}

/** More than these are no help in a comment. */
const mostStatuses = 20;

function composeProject(project: InitProject, onBoard: OnBoard, today: string): string {
  const statuses = onBoard.statuses.slice(0, mostStatuses).map(scalar).join(", ");
  return `  - project: ${scalar(project.project)}
    repo: ${scalar(project.repo)}
    writes: all # \`issues\` never touches the board; \`none\` only looks and says what it would do

    # Which posts become issues; every condition must hold.${statuses === "" ? "" : ` Statuses in use on the board: ${statuses}.`}${categoriesOf(project)}
    select: ${selectOf(project, onBoard, today)}

    issue:
      labels: [feedback]
${rulesOf(onBoard)}`;
}

/** A category is named by its id, which nobody can guess. */
function categoriesOf({ categories }: InitProject): string {
  if (categories.length === 0) return "";
  const names = categories
    .slice(0, mostStatuses)
    .map(({ id, name }) => (name === null ? scalar(id) : `${scalar(id)} (${scalar(name)})`));
  return `\n    # Categories in use, for \`select.categories\` and \`route\`: ${names.join(", ")}.`;
}

/** What is certain to be small: posts that are planned already, else those that come from now on, else those with votes. */
function selectOf({ seen }: InitProject, { meanings }: OnBoard, today: string): string {
  const statuses = [meanings.planned, meanings.inProgress].filter((status) => status !== undefined);
  // A condition on a field that no post of the project shows would select nothing.
  if (statuses.length > 0 && seen.has("status")) return `{ statuses: [${statuses.map(scalar).join(", ")}] }`;
  if (seen.has("createdAt"))
    return `{ createdAfter: ${today} } # only new posts; name \`statuses\` when you know them`;
  if (seen.has("votes")) return "{ minVotes: 10 } # name `statuses` when you know them";
  return "{ archived: false } # every post that is not archived; name `statuses` when you know them";
}

interface WantedRule {
  readonly when: string;
  readonly set: Readonly<Partial<Record<PostField, string | boolean>>>;
}

/** From the most advanced to the least; only fields that the board shows, and words that it uses. */
function rulesOf({ meanings, fields: shown }: OnBoard): string {
  const wanted: readonly WantedRule[] = [
    {
      when: "{ state: closed, reason: completed }",
      set: { ...statusOf(meanings.completed), roadmapColumn: "COMPLETED" },
    },
    {
      when: "{ state: closed, reason: [not_planned, duplicate] }",
      set: { ...statusOf(meanings.closed), onRoadmap: false },
    },
    {
      when: "{ state: open, assigned: true }",
      set: { ...statusOf(meanings.inProgress), roadmapColumn: "IN_PROGRESS" },
    },
    {
      when: "{ state: open, milestone: any }",
      set: { ...statusOf(meanings.planned), roadmapColumn: "PLANNED" },
    },
  ];
  const rules = wanted.flatMap(({ when, set }) => {
    const fields = Object.entries(set).filter(([field]) => [...shown].some((one) => one === field));
    const values = fields.map(
      ([field, value]) => `${field}: ${typeof value === "string" ? scalar(value) : value}`,
    );
    return values.length === 0 ? [] : [`      - when: ${when}\n        set: { ${values.join(", ")} }\n`];
  });
  if (rules.length === 0) return "";
  return `
    # What an issue makes of its post, from the most advanced rule to the least: each field takes its value from the
    # first rule that matches and names it. A change of \`status\` notifies the voters of a post.
    rules:
${rules.join("")}
    # When no matching rule names a field any more (an issue reopened, nobody assigned): put back what was there before.
    whenNoRule: restore
`;
}

function statusOf(status: string | undefined): WantedRule["set"] {
  return status === undefined ? {} : { status };
}

/** Words of the board are quoted where YAML could take them for anything else. */
function scalar(text: string): string {
  const isPlain =
    /^[A-Za-z](?:[\w./-]|:(?=[\w/]))*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
