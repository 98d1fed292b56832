import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import type { Issue, LinkedPullRequest, Readable, Signals, Unreadable } from "../../../model/issue.ts";
import type { DuplicateTarget, ProjectField, SignalAnswer, SignalWish } from "../../tracker.ts";
import {
  account,
  complain,
  insiders,
  isObject,
  named,
  namesAndIds,
  positiveInteger,
  readShape,
  repositoryName,
  time,
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
  readonly isTypeHidden: boolean;
  readonly fields: readonly ShownField[];
}

/** A field of a project: as what it is answered, and what is wrong with it. */
interface ShownField extends ProjectField {
  readonly alias: string;
  readonly fault: string | undefined;
}

/** A merged pull request: where it was merged, and as what. */
export interface Merge {
  readonly repository: string;
  readonly commit: string;
  readonly mergedAt: string;
}

/** What a row was found to show. */
export interface ShownSignals extends SignalAnswer {
  /** The merges that `isReleased` is still to be made of; absent where that was not wished for. */
  readonly merges?: Readable<readonly Merge[]>;
}

/** Reads a row. It never throws: what can't be read is unknown, and what is unknown is never a no. */
export function readNode(shown: NodeShown): ShownSignals {
  const { nodeId, wish } = shown;
  if (isGone(shown)) return { nodeId, signals: {}, fault: "missing" };
  const signals: Signals = {
    ...(wish.pullRequests && { pullRequests: readKnown(shown, "pullRequests", pullRequestsShape) }),
    ...(wish.subIssues && { subIssues: readKnown(shown, "subIssues", subIssuesShape) }),
    ...(wish.projects.length > 0 && { projectStatus: readStatuses(shown) }),
  };
  const issue = wish.facts ? readFacts(shown) : undefined;
  return {
    nodeId,
    signals,
    ...(wish.duplicates && { duplicateOf: readPart(shown, "duplicates", readDuplicate) }),
    ...(wish.editors === true && { editors: readKnown(shown, "editors", editorsShape) }),
    ...(issue !== undefined && { issue }),
    ...(wish.released && { merges: readKnown(shown, "released", mergesShape) }),
  };
}

/** A fact that could be read. */
export function known<T>(value: T): Readable<T> {
  return { kind: "known", value };
}

/** One that could not, and why. */
export function unknown(message: string): Unreadable {
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
  { node, errors, general, refused }: NodeShown,
  part: SignalPart,
  read: (value: unknown, node: unknown) => Readable<T>,
): Readable<T> {
  const reason = refused.get(part) ?? general;
  if (reason !== undefined) return unknown(reason);
  const fault = errors.find(({ path }) => path.length < 3 || (path[2] === part && part !== "projects"));
  if (fault !== undefined) return unknown(`GitHub did not show it: ${fault.message}`);
  try {
    return read(isObject(node) ? node[part] : undefined, node);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return { ...unknown(error.message), ...(error.detail === "large" && { isTooLarge: true }) };
  }
}

function readKnown<T>(shown: NodeShown, part: SignalPart, shape: z.ZodType<T>): Readable<T> {
  return readPart(shown, part, (value) => known(readShape(shape, value, part)));
}

/** GitHub's largest. */
const pageSize = 100;

/** The rows of a connection, all of them; throws a RemoteError `unreadable` when some are hidden or beyond the page. */
function connection<Row extends z.ZodType>(row: Row, what: string) {
  return z
    .object({ totalCount: z.int(), nodes: z.array(row.nullable()) })
    .transform(({ totalCount, nodes }) => {
      const rows = nodes.filter((node) => node !== null);
      if (totalCount <= nodes.length && rows.length === nodes.length) return rows;
      if (rows.length >= pageSize) {
        const message = `There are ${totalCount} ${what}, more than one answer shows.`;
        throw new RemoteError("tracker", "unreadable", message, { detail: "large" });
      }
      const message = `GitHub showed ${rows.length} of ${totalCount} ${what}.`;
      throw new RemoteError("tracker", "unreadable", message);
    });
}

/** Our word for one of GraphQL's. */
function lowered<Name extends string>(names: readonly Name[]) {
  return z.enum(names).transform((name) => name.toLowerCase() as Lowercase<Name>);
}

function outside(authorAssociation: string): { readonly isOutside?: true } {
  return insiders.has(authorAssociation) ? {} : { isOutside: true };
}

const issueState = lowered(["OPEN", "CLOSED"]);
const repository = z.object({ nameWithOwner: repositoryName }).transform((found) => found.nameWithOwner);
const login = account.transform((found) => found.login);
const linked = "linked pull requests";

const pullRequestsShape: z.ZodType<readonly LinkedPullRequest[]> = connection(
  z
    .object({
      repository,
      number: positiveInteger,
      state: lowered(["OPEN", "CLOSED", "MERGED"]),
      isDraft: z.boolean(),
      authorAssociation: z.string(),
    })
    .transform(({ authorAssociation, ...rest }) => ({ ...rest, ...outside(authorAssociation) })),
  linked,
);

const mergesShape: z.ZodType<readonly Merge[]> = connection(
  z.discriminatedUnion("state", [
    z.object({ state: z.enum(["OPEN", "CLOSED"]) }),
    z.object({
      state: z.literal("MERGED"),
      repository,
      mergeCommit: z.object({ oid: z.string().regex(/^[0-9a-f]{40,64}$/) }),
      mergedAt: time,
    }),
  ]),
  linked,
).transform((rows) =>
  rows
    .filter((row) => row.state === "MERGED")
    .map(({ repository: name, mergeCommit, mergedAt }) => ({
      repository: name,
      commit: mergeCommit.oid,
      mergedAt,
    })),
);

const subIssuesShape = connection(z.object({ state: issueState }), "sub-issues").transform((rows) => ({
  total: rows.length,
  closed: rows.filter(({ state }) => state === "closed").length,
}));

const editorsShape = connection(z.object({ editor: login.nullable() }), "edits").transform((rows) => [
  ...new Set(rows.map(({ editor }) => editor)),
]);

const identified = z.object({ id: z.string() });

const timelineShape = z.object({
  pageInfo: z.object({ hasPreviousPage: z.unknown() }),
  nodes: z.array(z.unknown()),
});
const eventShape = z.object({
  __typename: z.string(),
  canonical: z.looseObject(identified.shape).nullable(),
  duplicate: identified.nullable(),
});

const targetShape: z.ZodType<DuplicateTarget | null> = z.discriminatedUnion("__typename", [
  z.object({ __typename: z.literal("PullRequest") }).transform(() => null),
  z
    .object({
      __typename: z.literal("Issue"),
      id: z.string(),
      number: positiveInteger,
      author: login.nullable(),
      authorAssociation: z.string(),
      repository: z.object({ nameWithOwner: repositoryName, databaseId: positiveInteger }),
    })
    .transform(({ id, number, author, authorAssociation, repository: { nameWithOwner, databaseId } }) => ({
      author,
      ...outside(authorAssociation),
      nodeId: id,
      issue: { repositoryId: databaseId, number },
      repository: nameWithOwner,
    })),
]);

/**
 * The event is in the timelines of both issues, and an issue may be marked as a duplicate of several: what was marked last
 * and not unmarked since counts.
 */
function readDuplicate(value: unknown, node: unknown): Readable<DuplicateTarget | "hidden" | null> {
  const { id: own } = readShape(identified, node, "id");
  const { nodes, pageInfo } = readShape(timelineShape, value, "timelineItems");
  const unmarked = new Set<string>();
  for (const row of nodes.toReversed()) {
    const { __typename: kind, canonical, duplicate } = readShape(eventShape, row, "timelineItem");
    if (canonical?.id === own) continue;
    if (duplicate === null) throw complain("duplicate");
    if (duplicate.id !== own) continue;
    if (canonical === null) return known("hidden");
    if (kind === "UnmarkedAsDuplicateEvent") unmarked.add(canonical.id);
    else if (!unmarked.has(canonical.id)) return known(readShape(targetShape, canonical, "canonical"));
  }
  return pageInfo.hasPreviousPage === false
    ? known(null)
    : unknown("it was marked as a duplicate, and unmarked again, too often to be read");
}

function readStatuses(shown: NodeShown): Record<string, Readable<string | null>> {
  const statuses = shown.fields.map((field): [string, Readable<string | null>] => [
    field.key,
    field.fault === undefined
      ? readPart(shown, "projects", (value) => readStatus(shown, value, field))
      : unknown(shown.refused.get("projects") ?? field.fault),
  ]);
  return Object.fromEntries(statuses);
}

const itemsShape = z.object({ nodes: z.array(z.unknown()) });
const allItemsShape = connection(z.unknown(), "project items");
/** An item of a project that the token can see. */
const itemShape = z.looseObject({ project: identified });

/** What the issue shows in one field: of its items the one of the field's project counts, whatever is wrong with the others. */
function readStatus({ errors }: NodeShown, value: unknown, field: ShownField): Readable<string | null> {
  const { nodes } = readShape(itemsShape, value, "projectItems");
  const items = nodes.map((item) => itemShape.safeParse(item).data);
  const faults = errors.filter(({ path }) => path[2] === "projects");
  const index = items.findIndex((item) => item?.project.id === field.projectId);
  if (index === -1) {
    const [fault] = faults;
    if (fault !== undefined) return unknown(`GitHub did not show it: ${fault.message}`);
    readShape(allItemsShape, value, "projectItems");
    // A hidden item may be the one.
    const isHidden = items.some((item) => item === undefined || item["type"] === "REDACTED");
    return isHidden ? unknown("it is in a project that the token can't see") : known(null);
  }
  const fault = faults.find(({ path }) => path[4] === index || path.length < 5);
  if (fault !== undefined) return unknown(`GitHub did not show it: ${fault.message}`);
  return readOption(items[index]?.[field.alias], field);
}

const optionShape = z
  .object({ field: identified, optionId: z.unknown().optional(), name: z.string() })
  .nullable();

function readOption(value: unknown, field: ProjectField): Readable<string | null> {
  const chosen = readShape(optionShape, value, field.name);
  if (chosen === null) return known(null);
  if (chosen.field.id !== field.fieldId) {
    return unknown(`the project has another field that is called ${field.name}, too`);
  }
  return known(field.options.find(({ id }) => id === chosen.optionId)?.name ?? chosen.name);
}

/** The issue as a list would show it; undefined when something of it is not there to be read. */
function readFacts(shown: NodeShown): Issue | undefined {
  const others = ["pullRequests", "released", "subIssues", "duplicates", "projects", "editors"];
  const isFaulty = shown.errors.some(({ path }) => !others.includes(String(path[2])));
  if (isFaulty || shown.isTypeHidden) return undefined;
  const issue = readPart(shown, "facts", (_, node) => known(readShape(issueShape, node, "issue")));
  return issue.kind === "known" ? issue.value : undefined;
}

const namedShape = z
  .object({ id: z.unknown().optional(), name: z.string() })
  .transform(({ id, name }) => named(id, name));

const issueShape: z.ZodType<Issue> = z
  .object({
    facts: z.object({ databaseId: positiveInteger }),
    number: positiveInteger,
    id: z.string(),
    state: issueState,
    stateReason: z.string().toLowerCase().nullable(),
    labels: connection(namedShape, "labels").transform(namesAndIds),
    assignees: connection(login, "assignees"),
    milestone: z.object({ number: positiveInteger, title: z.string(), state: issueState }).nullable(),
    // Absent where the server has no types.
    type: namedShape.nullish().transform((type) => typeFacts(type ?? undefined)),
    locked: z.boolean(),
    createdAt: time,
    updatedAt: time,
  })
  .transform(({ facts, id, labels, type, ...rest }) => {
    return { ...rest, repositoryId: facts.databaseId, nodeId: id, ...labels, ...type };
  });
