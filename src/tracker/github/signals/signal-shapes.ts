import { RemoteError } from "../../../errors.ts";
import {
  beyondReach,
  type Issue,
  type LinkedPullRequest,
  type Named,
  type Readable,
  type Signals,
} from "../../../model/issue.ts";
import type { DuplicateTarget, ProjectField, SignalAnswer, SignalWish } from "../../tracker.ts";
import {
  asCount,
  asList,
  asObject,
  asOneOf,
  asText,
  asTime,
  complain,
  isObject,
  isRepositoryName,
  named,
  namesAndIds,
  readLogin,
  typeFacts,
} from "../wire/shapes.ts";
import type { SignalPart } from "./queries.ts";
import type { QueryError } from "./querying.ts";

/** A row of an answer about issues, with what concerns it. */
export interface NodeShown {
  readonly nodeId: string;
  readonly node: unknown;
  /** The errors whose path leads into this row. */
  readonly errors: readonly QueryError[];
  /** What makes the whole answer doubtful. */
  readonly general: string | undefined;
  readonly wish: SignalWish;
  /** Why a part was not asked for. */
  readonly refused: ReadonlyMap<SignalPart, string>;
  /** Whether the server has no issue types at all. */
  readonly isTypeless: boolean;
  readonly fields: readonly (ProjectField & { readonly fault: string | undefined })[];
}

/** A merged pull request: where it was merged, and as what. */
export interface Merge {
  readonly repository: string;
  readonly commit: string;
  readonly mergedAt: string;
}

/** What a row was found to show. */
export interface Shown {
  readonly answer: SignalAnswer;
  /** The merges that `isReleased` is still to be made of; undefined where that was not wished for. */
  readonly merges: Readable<readonly Merge[]> | undefined;
}

/** Reads a row. It never throws: what can't be read is unknown, and what is unknown is never a no. */
export function readNode(shown: NodeShown): Shown {
  const { nodeId, wish } = shown;
  if (isGone(shown)) return { answer: { nodeId, signals: {}, fault: "missing" }, merges: undefined };
  const signals: Signals = {
    ...(wish.pullRequests && { pullRequests: readPart(shown, "pullRequests", readPullRequests) }),
    ...(wish.subIssues && { subIssues: readPart(shown, "subIssues", readSubIssues) }),
    ...(wish.projects.length > 0 && { projectStatus: readStatuses(shown) }),
  };
  const issue = wish.facts ? readFacts(shown) : undefined;
  const answer: SignalAnswer = {
    nodeId,
    signals,
    ...(wish.duplicates && { duplicateOf: readPart(shown, "duplicates", readDuplicate) }),
    ...(wish.editors === true && { editors: readPart(shown, "editors", readEditors) }),
    ...(issue !== undefined && { issue }),
  };
  return { answer, merges: wish.released ? readPart(shown, "released", readMerges) : undefined };
}

type Node = Readonly<Record<string, unknown>>;

function known<T>(value: T): Readable<T> {
  return { kind: "known", value };
}

function unknown(message: string): Readable<never> {
  return { kind: "unknown", message };
}

/** Not found, or another thing under this id: an issue that was made a discussion loses its id. */
function isGone({ node, errors, general }: NodeShown): boolean {
  if (isObject(node)) return typeof node["__typename"] === "string" && node["__typename"] !== "Issue";
  if (node !== null || general !== undefined) return false;
  return errors.every(({ type }) => type === "NOT_FOUND");
}

/** One part of a row, unless something speaks against it: a refusal, an error in it, a shape that is none. */
function readPart<T>(
  shown: NodeShown,
  part: SignalPart,
  read: (value: unknown, node: Node) => Readable<T>,
): Readable<T> {
  const { node, errors, general, refused } = shown;
  const reason = refused.get(part) ?? general;
  if (reason !== undefined) return unknown(reason);
  const fault = errors.find(({ path }) => path.length < 3 || (path[2] === part && part !== "projects"));
  if (fault !== undefined) return unknown(`GitHub did not show it: ${fault.message}`);
  try {
    return read(asObject(node, "issue")[part], asObject(node, "issue"));
  } catch (error) {
    if (error instanceof RemoteError) return unknown(error.message);
    throw error;
  }
}

/** GitHub's largest. */
const pageSize = 100;

/** The rows of a connection, all of them. @throws RemoteError `unreadable` when some are hidden or beyond the page */
function readAll(value: unknown, what: string): readonly unknown[] {
  const connection = asObject(value, what);
  const nodes = asList(connection["nodes"], what);
  const { totalCount } = connection;
  if (typeof totalCount !== "number" || !Number.isSafeInteger(totalCount)) throw complain(what);
  if (totalCount > nodes.length || nodes.includes(null)) {
    const count = nodes.filter((node) => node !== null).length;
    if (count >= pageSize)
      throw new RemoteError("tracker", "unreadable", `There are ${totalCount} ${what}, ${beyondReach}.`);
    throw new RemoteError("tracker", "unreadable", `GitHub showed ${count} of ${totalCount} ${what}.`);
  }
  return nodes;
}

const pullRequestStates = { OPEN: "open", CLOSED: "closed", MERGED: "merged" } as const;
const issueStates = { OPEN: "open", CLOSED: "closed" } as const;

/** What GitHub calls the author of something who may write to its repository, or to its organisation. */
const insiders: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

function isInside({ authorAssociation }: Node): boolean {
  return insiders.has(asText(authorAssociation, "authorAssociation"));
}

function readPullRequests(value: unknown): Readable<readonly LinkedPullRequest[]> {
  const rows = readAll(value, "linked pull requests").map((row) => {
    const pullRequest = asObject(row, "pullRequest");
    const { isDraft } = pullRequest;
    if (typeof isDraft !== "boolean") throw complain("isDraft");
    return {
      repository: readRepositoryName(pullRequest["repository"]),
      number: asCount(pullRequest["number"], "number"),
      state: asName(pullRequest["state"], pullRequestStates),
      isDraft,
      ...(!isInside(pullRequest) && { isOutside: true as const }),
    };
  });
  return known(rows);
}

function readMerges(value: unknown): Readable<readonly Merge[]> {
  const merged = readAll(value, "linked pull requests")
    .map((row) => asObject(row, "pullRequest"))
    .filter((row) => asName(row["state"], pullRequestStates) === "merged");
  const merges = merged.map((row) => ({
    repository: readRepositoryName(row["repository"]),
    commit: asCommit(asObject(row["mergeCommit"], "mergeCommit")["oid"]),
    mergedAt: asTime(row["mergedAt"], "mergedAt"),
  }));
  return known(merges);
}

function readSubIssues(value: unknown): Readable<{ readonly total: number; readonly closed: number }> {
  const states = readAll(value, "sub-issues").map((row) =>
    asName(asObject(row, "subIssue")["state"], issueStates),
  );
  return known({ total: states.length, closed: states.filter((state) => state === "closed").length });
}

function readEditors(value: unknown): Readable<readonly (string | null)[]> {
  const editors = readAll(value, "edits").map((row) => {
    const { editor } = asObject(row, "edit");
    return editor === null ? null : readLogin(editor);
  });
  return known([...new Set(editors)]);
}

/**
 * The event is in the timelines of both issues, and an issue may be marked as a duplicate of several: what was marked last
 * and not unmarked since counts.
 */
function readDuplicate(value: unknown, node: Node): Readable<DuplicateTarget | "hidden" | null> {
  const timeline = asObject(value, "timelineItems");
  const own = asText(node["id"], "id");
  const unmarked = new Set<string>();
  for (const row of asList(timeline["nodes"], "timelineItems").toReversed()) {
    const event = asObject(row, "timelineItem");
    const target = isObject(event["canonical"]) ? event["canonical"] : undefined;
    if (target !== undefined && target["id"] === own) continue;
    if (asText(asObject(event["duplicate"], "duplicate")["id"], "duplicate.id") !== own) continue;
    if (target === undefined) return known("hidden");
    const id = asText(target["id"], "canonical.id");
    if (event["__typename"] === "UnmarkedAsDuplicateEvent") unmarked.add(id);
    else if (!unmarked.has(id)) return known(readTarget(target));
  }
  const isWhole = asObject(timeline["pageInfo"], "pageInfo")["hasPreviousPage"] === false;
  return isWhole
    ? known(null)
    : unknown("it was marked as a duplicate, and unmarked again, too often to be read");
}

function readTarget(target: Node): DuplicateTarget | null {
  if (asOneOf(target["__typename"], ["Issue", "PullRequest"], "canonical") === "PullRequest") return null;
  const repository = asObject(target["repository"], "repository");
  const { author } = target;
  return {
    author: author === null ? null : readLogin(author),
    ...(!isInside(target) && { isOutside: true as const }),
    nodeId: asText(target["id"], "canonical.id"),
    issue: {
      repositoryId: asCount(repository["databaseId"], "databaseId"),
      number: asCount(target["number"], "number"),
    },
    repository: readRepositoryName(repository),
  };
}

function readStatuses(shown: NodeShown): Record<string, Readable<string | null>> {
  const statuses = shown.fields.map((field, index): [string, Readable<string | null>] => [
    field.key,
    field.fault === undefined
      ? readPart(shown, "projects", (value) => readStatus(shown, value, { field, alias: `field${index}` }))
      : unknown(shown.refused.get("projects") ?? field.fault),
  ]);
  return Object.fromEntries(statuses);
}

/** What the issue shows in one field: of its items the one of the field's project counts, whatever is wrong with the others. */
function readStatus(
  { errors }: NodeShown,
  value: unknown,
  { field, alias }: { field: ProjectField; alias: string },
): Readable<string | null> {
  const items = asList(asObject(value, "projectItems")["nodes"], "projectItems");
  const faults = errors.filter(({ path }) => path[2] === "projects");
  const index = items.findIndex(
    (item) => isObject(item) && isObject(item["project"]) && item["project"]["id"] === field.projectId,
  );
  if (index === -1) {
    const [fault] = faults;
    if (fault !== undefined) return unknown(`GitHub did not show it: ${fault.message}`);
    // A hidden item may be the one.
    const isHidden = readAll(value, "project items").some(
      (item) => !isObject(item) || item["type"] === "REDACTED" || !hasProject(item),
    );
    return isHidden ? unknown("it is in a project that the token can't see") : known(null);
  }
  const fault = faults.find(({ path }) => path[4] === index || path.length < 5);
  if (fault !== undefined) return unknown(`GitHub did not show it: ${fault.message}`);
  return readOption(asObject(items[index], "projectItem")[alias], field);
}

function hasProject(item: Node): boolean {
  return isObject(item["project"]) && typeof item["project"]["id"] === "string";
}

function readOption(value: unknown, field: ProjectField): Readable<string | null> {
  if (value === null) return known(null);
  const chosen = asObject(value, field.name);
  const owner = chosen["field"];
  if (!isObject(owner) || owner["id"] !== field.fieldId) {
    return unknown(`the project has another field that is called ${field.name}, too`);
  }
  const option = field.options.find(({ id }) => id === chosen["optionId"]);
  return known(option?.name ?? asText(chosen["name"], field.name));
}

/** The issue as a list would show it; undefined when something of it is not there to be read. */
function readFacts(shown: NodeShown): Issue | undefined {
  const parts: readonly (string | number | undefined)[] = [
    "pullRequests",
    "released",
    "subIssues",
    "duplicates",
    "projects",
    "editors",
  ];
  const isFaulty = shown.errors.some(({ path }) => !parts.includes(path[2]));
  const isTypeKnown = shown.isTypeless || !shown.refused.has("type");
  if (isFaulty || !isTypeKnown) return undefined;
  const issue = readPart(shown, "facts", (_, node) => known(readIssue(node)));
  return issue.kind === "known" ? issue.value : undefined;
}

function readIssue(node: Node): Issue {
  const { facts, milestone, stateReason, locked } = node;
  // Absent where the server has no types.
  const type = node["type"] ?? null;
  if (typeof locked !== "boolean") throw complain("locked");
  return {
    repositoryId: asCount(asObject(facts, "repository")["databaseId"], "databaseId"),
    number: asCount(node["number"], "number"),
    nodeId: asText(node["id"], "id"),
    state: asName(node["state"], issueStates),
    stateReason: stateReason === null ? null : asText(stateReason, "stateReason").toLowerCase(),
    ...namesAndIds(readAll(node["labels"], "labels").map((row) => readNamed(row, "label"))),
    assignees: readAll(node["assignees"], "assignees").map((row) => readLogin(row)),
    milestone: milestone === null ? null : readMilestone(asObject(milestone, "milestone")),
    ...typeFacts(type === null ? undefined : readNamed(type, "type")),
    locked,
    createdAt: asTime(node["createdAt"], "createdAt"),
    updatedAt: asTime(node["updatedAt"], "updatedAt"),
  };
}

function readNamed(value: unknown, what: string): Named {
  const { id, name } = asObject(value, what);
  return named(id, asText(name, what));
}

function readMilestone(milestone: Node): Issue["milestone"] {
  return {
    number: asCount(milestone["number"], "milestone.number"),
    title: asText(milestone["title"], "milestone.title"),
    state: asName(milestone["state"], issueStates),
  };
}

function readRepositoryName(value: unknown): string {
  const name = asText(asObject(value, "repository")["nameWithOwner"], "nameWithOwner");
  if (!isRepositoryName(name)) throw complain("nameWithOwner");
  return name;
}

function asCommit(value: unknown): string {
  const oid = asText(value, "oid");
  if (!/^[0-9a-f]{40,64}$/.test(oid)) throw complain("oid");
  return oid;
}

/** Our word for one of GraphQL's. */
function asName<T extends string>(value: unknown, names: Readonly<Record<string, T>>): T {
  const name = typeof value === "string" && Object.hasOwn(names, value) ? names[value] : undefined;
  if (name === undefined) throw complain("state");
  return name;
}
