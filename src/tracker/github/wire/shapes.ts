import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import {
  type Issue,
  type IssueRecord,
  isSameRepository,
  type Named,
  type Repository,
  type RepositoryId,
  type RepositoryName,
} from "../../../model/issue.ts";
import type { NumberedRow, OddIssue } from "../../tracker.ts";

/**
 * What GitHub's answers look like, as far as we look at them. What GitHub may leave out or add is tolerated (a deleted author, a
 * new reason, a label as plain text); a field that decisions rest on and that has the wrong kind is not.
 */

/** A positive integer; Octokit gives a BigInt beyond 2^53, which is no number that GitHub counts with today. */
export const positiveInteger = z.int().positive();

/** ISO 8601 in UTC. */
export const time = z.iso.datetime();

/** A text that counts where it is one. */
export const word = z.string().optional().catch(undefined);

/** An account, of which the login is all that counts. */
export const account = z.object({ login: z.string() });

/** A repository's name. */
export const repositoryName = z.string().refine(isRepositoryName);

/** What an answer may hold or leave out. */
export const some = z.unknown().optional();

/** What GitHub calls the author of something who may write to its repository, or to its organisation. */
export const insiders: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/** A milestone. */
export const milestoneShape = z.object({
  number: positiveInteger,
  title: z.string(),
  state: z.enum(["open", "closed"]),
});

const plainType = z.object({ node_id: some, name: z.string() });
const plainLabel = z.union([z.object({ node_id: some, name: z.string().nullish() }), z.string()]);

/** An issue type. */
export const typeShape = plainType.transform(({ node_id, name }) => named(node_id, name));

/** A label is plain text or an object; one without a name is none. */
export const labelShape = plainLabel.transform(toLabel);

/** What a pull request shows in a list, too. */
const rowShape = z.object({ number: positiveInteger, created_at: time, updated_at: time });

// Lists have them by the hundred: a transform for each part would double what a row costs (4.2 in the place of 2.2 µs; by hand 2.1).
const issueShape = z.object({
  ...rowShape.shape,
  repository_url: z.string(),
  node_id: z.string(),
  state: z.enum(["open", "closed"]),
  state_reason: z.string().nullish(),
  closed_at: time.nullish().catch(null),
  closed_by: account.nullish().catch(null),
  labels: z.array(plainLabel),
  assignees: z.array(account).nullish(),
  milestone: milestoneShape.nullish(),
  type: plainType.nullish(),
  locked: some,
  user: account.nullish(),
  title: z.string(),
  body: z.string().nullish(),
});

/** What of an issue still counts when the rest of it can't be read. */
const oddShape = z.object({
  number: z.union([z.number(), z.string().regex(/^\d{1,15}$/)]).catch(0),
  url: z.string().catch(""),
  user: some,
  body: z
    .string()
    .nullish()
    .transform((body): string | undefined => body ?? "")
    .catch(undefined),
});

const listShape = z.array(z.unknown());

/** Whether it is a JSON object; arrays are none. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * What a shape makes of a value.
 *
 * @param what - names the value in the error; in front of the field where it is only a part of what one looks for.
 * @throws RemoteError `unreadable`, naming the field.
 */
export function readShape<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  what: string,
): z.output<Shape> {
  const found = shape.safeParse(value);
  if (found.success) return found.data;
  const path = (found.error.issues[0]?.path ?? []).filter((step) => typeof step === "string");
  throw complain(path.join(".") || what);
}

/** How an answer names a repository: by name nearly always, by id in some redirected ones. */
export type RepositoryMark = RepositoryName | RepositoryId;

/** Whether an answer's repository is the one that was asked for, without asking further. Names ignore case. */
export function isMarkOf(mark: RepositoryMark, { id, name }: Pick<Repository, "id" | "name">): boolean {
  return typeof mark === "number" ? mark === id : isSameRepository(mark, name);
}

/** A row of an issue list: an issue with its repository, or a pull request, of which only the times count. */
export interface IssueRow extends NumberedRow {
  /** What an issue's JSON says, before anyone has checked that its repository is the right one. */
  readonly content?: {
    readonly mark: RepositoryMark;
    /** The issue, of the repository that the mark was found to mean. */
    recordIn(repositoryId: RepositoryId): IssueRecord;
  };
}

/** Reads one issue or pull request. @throws RemoteError `unreadable`, naming the field. */
export function readIssueRow(value: unknown): IssueRow {
  if (isObject(value) && isObject(value["pull_request"])) {
    const row = readShape(rowShape, value, "issue");
    return { number: row.number, createdAt: row.created_at, updatedAt: row.updated_at };
  }
  const row = readShape(issueShape, value, "issue");
  const { number, created_at: createdAt, updated_at: updatedAt } = row;
  const recordIn = (repositoryId: RepositoryId): IssueRecord => ({
    issue: {
      repositoryId,
      number,
      nodeId: row.node_id,
      state: row.state,
      stateReason: row.state_reason ?? null,
      ...(row.state === "closed" &&
        row.closed_at && { closed: { at: row.closed_at, by: row.closed_by?.login ?? null } }),
      ...namesAndIds(row.labels.flatMap(toLabel)),
      assignees: (row.assignees ?? []).map(({ login }) => login),
      milestone: row.milestone ?? null,
      ...typeFacts(row.type ? named(row.type.node_id, row.type.name) : undefined),
      locked: row.locked === true,
      createdAt,
      updatedAt,
    },
    author: row.user?.login ?? null,
    title: row.title,
    body: row.body ?? "",
  });
  return { number, createdAt, updatedAt, content: { mark: readMark(row.repository_url), recordIn } };
}

/** A page of an issue list, with the rows of it that can't be read. */
export interface IssueRows {
  readonly rows: readonly IssueRow[];
  readonly odd: readonly OddIssue[];
}

/** A page of so many rows, none of which can be read, is no list of issues. */
const leastPage = 10;

/**
 * Reads a page of an issue list, row by row: what is odd about a stranger's issue concerns that issue alone.
 *
 * @throws RemoteError `unreadable` where it is no list, or where a row can't even be named.
 */
export function readIssueRows(value: unknown, repositoryId: RepositoryId): IssueRows {
  const rows: IssueRow[] = [];
  const odd: OddIssue[] = [];
  for (const row of readShape(listShape, value, "issues")) {
    try {
      rows.push(readIssueRow(row));
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      odd.push(readOddRow(row, repositoryId, error));
    }
  }
  const [first] = odd;
  if (first !== undefined && rows.length === 0 && odd.length >= leastPage) throw first.error;
  return { rows, odd };
}

function readOddRow(row: unknown, repositoryId: RepositoryId, error: RemoteError): OddIssue {
  const { data } = oddShape.safeParse(row);
  const named = Number(/\/issues\/(\d{1,15})$/.exec(data?.url ?? "")?.[1]);
  const number = [Number(data?.number), named].find((one) => positiveInteger.safeParse(one).success);
  if (data === undefined || number === undefined) throw error;
  const issue = { repositoryId, number };
  return { issue, author: authorOf(data.user) ?? null, body: data.body, error };
}

function toLabel(label: z.output<typeof plainLabel>): readonly Named[] {
  if (typeof label === "string") return [{ name: label }];
  return typeof label.name === "string" ? [named(label.node_id, label.name)] : [];
}

/** The facts that an issue's labels are. */
export function namesAndIds(labels: readonly Named[]): Pick<Issue, "labels" | "labelIds"> {
  const names = labels.map(({ name }) => name);
  const isKnown = labels.some(({ id }) => id !== undefined);
  return { labels: names, ...(isKnown && { labelIds: labels.map(({ id = "" }) => id) }) };
}

/** The facts that an issue's type is. */
export function typeFacts(type: Named | undefined): Pick<Issue, "type" | "typeId"> {
  return { type: type?.name ?? null, ...(type?.id !== undefined && { typeId: type.id }) };
}

/** An id is what tells a label or a type from another one of its name; GraphQL calls it `id`, REST `node_id`. */
export function named(id: unknown, name: string): Named {
  return { ...(typeof id === "string" && id !== "" && { id }), name };
}

/** The login of an account: null for a deleted one; undefined where it can't be read, which must not hide the rest. */
export function authorOf(user: unknown): string | null | undefined {
  const { success, data } = account.nullish().safeParse(user);
  return success ? (data?.login ?? null) : undefined;
}

/**
 * Reads a list row by row, and leaves out what can't be read: it hides no other row.
 *
 * @throws RemoteError `unreadable` where it is no list, or no row of it can be read.
 */
export function readEach<Shape extends z.ZodType>(
  value: unknown,
  what: string,
  shape: Shape,
): readonly z.output<Shape>[] {
  const rows = readShape(listShape, value, what);
  const found = rows.map((row) => shape.safeParse(row)).filter(({ success }) => success);
  if (rows.length > 0 && found.length === 0) readShape(shape, rows[0], what);
  return found.map(({ data }) => data as z.output<Shape>);
}

function readMark(url: string): RepositoryMark {
  const name = /\/repos\/([^/?#]+\/[^/?#]+)$/.exec(url)?.[1];
  if (name !== undefined && isRepositoryName(name)) return name;
  const id = Number(/\/repositories\/(\d{1,15})$/.exec(url)?.[1] ?? 0);
  if (id === 0) throw complain("repository_url");
  return id;
}

/** The error for a field of the wrong kind. */
export function complain(what: string): RemoteError {
  return new RemoteError(
    "tracker",
    "unreadable",
    `GitHub's answer can't be read: \`${what}\` is missing or of the wrong kind.`,
  );
}

/** `owner/name`, each one a path segment that can mean nothing else. */
export function isRepositoryName(name: RepositoryName): boolean {
  return /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(name) && !/^\.+\/|\/\.+$/.test(name);
}

/** `owner` and `repo`, as GitHub's routes call them, of what is a repository's name. */
export function splitName(name: RepositoryName): { owner: string; repo: string } {
  const slash = name.indexOf("/");
  return { owner: name.slice(0, slash), repo: name.slice(slash + 1) };
}
