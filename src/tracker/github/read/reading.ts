import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import type { IssueRef } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import type { IssueAnswer, IssueComment } from "../../tracker.ts";
import type { Access } from "../wire/access.ts";
import { isGitHubError, quoteAnswer } from "../wire/answers.ts";
import { at } from "../wire/client.ts";
import type { ListRequest, Page } from "../wire/pages.ts";
import { requireOk } from "../wire/reader.ts";
import {
  authorOf,
  completeRecord,
  type IssueRow,
  isMarkOf,
  readIssueRow,
  readShape,
  some,
} from "../wire/shapes.ts";

/**
 * Reads one issue by its repository's id, so that a rename is not seen at all. A transferred issue comes by a redirect,
 * or, where something in between has followed that, as a 200 with another number or repository.
 */
export async function readIssue(access: Access, issue: IssueRef, bounds: ReadBounds): Promise<IssueAnswer> {
  try {
    return await askIssue(access, issue, bounds);
  } catch (error) {
    // Also where a redirect leads to a place that is not for us: no other issue goes without because of that.
    if (error instanceof RemoteError && error.concerns === "asked") return { kind: "refused", error };
    throw error;
  }
}

async function askIssue(access: Access, issue: IssueRef, bounds: ReadBounds): Promise<IssueAnswer> {
  const request = {
    endpoint: at("GET /repositories/{repository_id}/issues/{issue_number}"),
    parameters: { repository_id: issue.repositoryId, issue_number: issue.number },
    subject: `issue ${issue.number} of the repository with the id ${issue.repositoryId}`,
  };
  const answer = await access.read(request, bounds);
  if (isGitHubError(answer)) {
    if (answer.status === 404) return { kind: "missing" };
    // 410 also stands for switched-off issues and for a retired version of the API: only the words tell.
    if (answer.status === 410 && /\bdeleted\b/i.test(quoteAnswer(answer, access.quote)))
      return { kind: "gone" };
  }
  const row = readIssueRow(requireOk(answer, request, access.quote).data);
  return locate(access, issue, row, answer.isRedirected, bounds);
}

async function locate(
  access: Access,
  asked: IssueRef,
  row: IssueRow,
  isRedirected: boolean,
  bounds: ReadBounds,
): Promise<IssueAnswer> {
  const { content } = row;
  // A pull request under this number is not the issue that was linked.
  if (content === undefined) return { kind: "missing" };
  const { mark } = content;
  const isSameNumber = row.number === asked.number;
  const known = { id: asked.repositoryId, name: access.names.get(asked.repositoryId) ?? "" };
  if (!isRedirected && isSameNumber && isMarkOf(mark, known)) {
    return { kind: "found", record: completeRecord(content, asked.repositoryId) };
  }
  const repository = await access.find(mark.kind === "id" ? mark.id : mark.name, bounds);
  const record = completeRecord(content, repository.id);
  return isSameNumber && repository.id === asked.repositoryId
    ? { kind: "found", record }
    : { kind: "moved", record, to: repository.name };
}

/** A page of comments. */
const commentsShape = z.array(
  z.object({ user: some, body: z.string().nullish() }).transform(
    ({ user, body }): IssueComment => ({
      author: authorOf(user),
      body: body ?? "",
    }),
  ),
);

/** All comments of an issue, in GitHub's order: by ascending id. */
export async function* listComments(
  access: Access,
  issue: IssueRef,
  bounds: ReadBounds,
): AsyncGenerator<readonly IssueComment[]> {
  for await (const page of readPagesOf(access, issue, "comments", bounds))
    yield readShape(commentsShape, page.data, "comments");
}

/** Pages of a list that an issue has. By id like the issue itself, so that a rename is not seen at all. */
export function readPagesOf(
  { pages }: Access,
  { repositoryId, number }: IssueRef,
  what: "comments" | "events",
  bounds: ReadBounds,
): AsyncIterable<Page> {
  const name = `the repository with the id ${repositoryId}`;
  const request: ListRequest = {
    list: what === "events" ? "issue events" : `comments of issue ${number}`,
    endpoint: at(`GET /repositories/{repository_id}/issues/{issue_number}/${what}`),
    parameters: { repository_id: repositoryId, issue_number: number },
    subject: `the ${what} of issue ${number} of ${name}`,
    repository: { id: repositoryId, name },
  };
  return pages.all(request, bounds);
}
