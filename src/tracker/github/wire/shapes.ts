import { RemoteError } from "../../../errors.ts";
import type {
  Issue,
  IssueRecord,
  Milestone,
  Named,
  Repository,
  RepositoryName,
} from "../../../model/issue.ts";
import { readInstant } from "../../../model/time.ts";
import type { IssueComment, OddIssue } from "../../tracker.ts";

/** A JSON object; arrays are none. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How an answer names a repository: by name nearly always, by id in some redirected ones. */
export type RepositoryMark =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "id"; readonly id: number };

/** A row of an issue list: an issue with its repository, or a pull request, of which only the times count. */
export interface IssueRow {
  readonly number: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly content: IssueContent | undefined;
}

/** What an issue's JSON says, before anyone has checked that its repository is the right one. */
export interface IssueContent {
  readonly mark: RepositoryMark;
  readonly facts: Omit<Issue, "repositoryId">;
  readonly author: string | null;
  readonly title: string;
  readonly body: string;
}

/** Completes an issue with the id of the repository that its mark was found to mean. */
export function completeRecord(content: IssueContent, repositoryId: number): IssueRecord {
  const { facts, author, title, body } = content;
  return { issue: { repositoryId, ...facts }, author, title, body };
}

/**
 * Reads one issue or pull request. What GitHub may leave out or add is tolerated (a deleted author, a new reason, a
 * label as plain text); a field that decisions rest on and that has the wrong kind is not.
 *
 * @throws RemoteError `unreadable`, naming the field.
 */
export function readIssueRow(value: unknown): IssueRow {
  const row = asObject(value, "issue");
  const number = asCount(row["number"], "number");
  const createdAt = asTime(row["created_at"], "created_at");
  const updatedAt = asTime(row["updated_at"], "updated_at");
  if (isObject(row["pull_request"])) return { number, createdAt, updatedAt, content: undefined };
  const content: IssueContent = {
    mark: readMark(row["repository_url"]),
    facts: {
      number,
      nodeId: asText(row["node_id"], "node_id"),
      state: asOneOf(row["state"], ["open", "closed"], "state"),
      stateReason: asTextOrNull(row["state_reason"], "state_reason"),
      ...namesAndIds(readLabels(row["labels"])),
      assignees: asList(row["assignees"] ?? [], "assignees").map((user) => readLogin(user, "assignees")),
      milestone: isMissing(row["milestone"]) ? null : readMilestone(row["milestone"]),
      ...typeFacts(isMissing(row["type"]) ? undefined : readType(row["type"])),
      locked: row["locked"] === true,
      createdAt,
      updatedAt,
    },
    author: isMissing(row["user"]) ? null : readLogin(row["user"], "user"),
    title: asText(row["title"], "title"),
    body: asTextOrNull(row["body"], "body") ?? "",
  };
  return { number, createdAt, updatedAt, content };
}

/** A row of an issue list that can't be read, and what of it can. */
export type OddRow = Omit<OddIssue, "issue"> & { readonly number: number };

/** A page of an issue list. */
export interface IssueRows {
  readonly rows: readonly IssueRow[];
  readonly odd: readonly OddRow[];
}

/** A page of so many rows, none of which can be read, is no list of issues. */
const leastPage = 10;

/**
 * Reads a page of an issue list, row by row: what is odd about a stranger's issue concerns that issue alone.
 *
 * @throws RemoteError `unreadable` where it is no list, or where a row can't even be named.
 */
export function readIssueRows(value: unknown): IssueRows {
  const rows: IssueRow[] = [];
  const odd: OddRow[] = [];
  for (const row of asList(value, "issues")) {
    try {
      rows.push(readIssueRow(row));
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      odd.push(readOddRow(row, error));
    }
  }
  const [first] = odd;
  if (first !== undefined && rows.length === 0 && odd.length >= leastPage) throw first.error;
  return { rows, odd };
}

function readOddRow(row: unknown, error: RemoteError): OddRow {
  if (!isObject(row)) throw error;
  const { number, url, user, body } = row;
  const named = typeof number === "string" && /^\d{1,15}$/.test(number) ? Number(number) : number;
  const found = Number(/\/issues\/(\d{1,15})$/.exec(String(url))?.[1]);
  const known = [named, found].find((one): one is number => Number.isSafeInteger(one) && Number(one) > 0);
  if (known === undefined) throw error;
  const login = isObject(user) ? user["login"] : undefined;
  return {
    number: known,
    author: typeof login === "string" ? login : null,
    body: isMissing(body) ? "" : typeof body === "string" ? body : undefined,
    error,
  };
}

/** @throws RemoteError `unreadable` */
export function readRepository(value: unknown): Repository {
  const repository = asObject(value, "repository");
  const permissions = repository["permissions"];
  const name = asText(repository["full_name"], "full_name");
  if (!isRepositoryName(name)) throw complain("full_name");
  return {
    id: asCount(repository["id"], "id"),
    name,
    hasIssues: repository["has_issues"] !== false,
    isArchived: repository["archived"] === true,
    // A repository that does not say is taken as public, so that nothing private is sent there by mistake.
    isPrivate: repository["private"] === true,
    canPush: isObject(permissions) && permissions["push"] === true,
  };
}

/** An issue type. @throws RemoteError `unreadable` */
export function readType(row: unknown): Named {
  const type = asObject(row, "type");
  return named(type["node_id"], asText(type["name"], "type"));
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

/** @throws RemoteError `unreadable` */
export function readMilestone(value: unknown): Milestone {
  const milestone = asObject(value, "milestone");
  return {
    number: asCount(milestone["number"], "milestone.number"),
    title: asText(milestone["title"], "milestone.title"),
    state: asOneOf(milestone["state"], ["open", "closed"], "milestone.state"),
  };
}

/** Labels; each is plain text or an object, and one without a name is left out. @throws RemoteError `unreadable` */
export function readLabels(value: unknown): readonly Named[] {
  return asList(value, "labels").flatMap((label) => {
    const name = isObject(label) ? (label["name"] ?? null) : label;
    if (label === null) throw complain("labels");
    return name === null ? [] : [named(isObject(label) && label["node_id"], asText(name, "labels"))];
  });
}

/** Reads a page of comments. @throws RemoteError `unreadable` */
export function readComments(value: unknown): readonly IssueComment[] {
  return asList(value, "comments").map((row) => {
    const comment = asObject(row, "comment");
    return {
      id: asCount(comment["id"], "comment.id"),
      author: readAuthor(comment["user"]),
      body: asTextOrNull(comment["body"], "comment.body") ?? "",
      createdAt: asTime(comment["created_at"], "comment.created_at"),
    };
  });
}

/** Of a comment; undefined where it can't be read, which must not hide the other comments. */
function readAuthor(user: unknown): string | null | undefined {
  if (isMissing(user)) return null;
  const login = isObject(user) ? user["login"] : undefined;
  return typeof login === "string" ? login : undefined;
}

/** @throws RemoteError `unreadable` */
export function readLogin(value: unknown, what = "login"): string {
  return asText(asObject(value, what)["login"], what);
}

/**
 * Reads a list row by row, and leaves out what can't be read: it hides no other row.
 *
 * @throws RemoteError `unreadable` where it is no list, or no row of it can be read.
 */
export function readEach<T>(
  value: unknown,
  what: string,
  read: (row: unknown) => readonly T[],
): readonly T[] {
  const rows = asList(value, what);
  const faults: RemoteError[] = [];
  const found = rows.flatMap((row) => {
    try {
      return read(row);
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      faults.push(error);
      return [];
    }
  });
  const [first] = faults;
  if (first !== undefined && faults.length === rows.length) throw first;
  return found;
}

/** @throws RemoteError `unreadable` */
export function asList(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw complain(what);
  return value;
}

function readMark(value: unknown): RepositoryMark {
  const url = asText(value, "repository_url");
  const name = /\/repos\/([^/?#]+\/[^/?#]+)$/.exec(url)?.[1];
  if (name !== undefined && isRepositoryName(name)) return { kind: "name", name };
  const id = Number(/\/repositories\/(\d{1,15})$/.exec(url)?.[1] ?? 0);
  if (id === 0) throw complain("repository_url");
  return { kind: "id", id };
}

function isMissing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** @throws RemoteError `unreadable` */
export function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw complain(what);
  return value;
}

/** @throws RemoteError `unreadable` */
export function asText(value: unknown, what: string): string {
  if (typeof value !== "string") throw complain(what);
  return value;
}

function asTextOrNull(value: unknown, what: string): string | null {
  return isMissing(value) ? null : asText(value, what);
}

/**
 * A positive integer; Octokit gives a BigInt beyond 2^53, which is no number that GitHub counts with today.
 *
 * @throws RemoteError `unreadable`
 */
export function asCount(value: unknown, what: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) throw complain(what);
  return value;
}

/** @throws RemoteError `unreadable` */
export function asTime(value: unknown, what: string): string {
  const time = asText(value, what);
  if (!/^\d{4}-\d\d-\d\dT[\d:.]{5,18}Z$/.test(time) || Number.isNaN(readInstant(time))) throw complain(what);
  return time;
}

/** @throws RemoteError `unreadable` */
export function asOneOf<T extends string>(value: unknown, allowed: readonly T[], what: string): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw complain(what);
  return found;
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
