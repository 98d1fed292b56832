import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import type { IssueRef } from "../../../model/issue.ts";
import type { IssueAnswer, IssueComment } from "../../tracker.ts";
import type { Access } from "../wire/access.ts";
import { isGitHubError, quoteAnswer } from "../wire/answers.ts";
import { at } from "../wire/client.ts";
import type { Page } from "../wire/pages.ts";
import { requireOk } from "../wire/reader.ts";
import { authorOf, isMarkOf, readIssueRow, readShape, some } from "../wire/shapes.ts";

/**
 * Reads one issue by its repository's id, so that a rename is not seen at all. A transferred issue comes by a redirect,
 * or, where something in between has followed that, as a 200 with another number or repository.
 */
export async function readIssue(access: Access, issue: IssueRef): Promise<IssueAnswer> {
  try {
    return await askIssue(access, issue);
  } catch (error) {
    // Also where a redirect leads to a place that is not for us: no other issue goes without because of that.
    if (error instanceof RemoteError && error.concerns === "asked") return { kind: "refused", error };
    throw error;
  }
}

async function askIssue({ read, quote, names, find }: Access, issue: IssueRef): Promise<IssueAnswer> {
  const { repositoryId: id, number } = issue;
  const request = {
    endpoint: at("GET /repositories/{repository_id}/issues/{issue_number}"),
    parameters: { repository_id: id, issue_number: number },
    subject: `issue ${number} of the repository with the id ${id}`,
  };
  const answer = await read(request);
  if (isGitHubError(answer)) {
    if (answer.status === 404) return { kind: "missing" };
    // 410 also stands for switched-off issues and for a retired version of the API: only the words tell.
    if (answer.status === 410 && /\bdeleted\b/i.test(quoteAnswer(answer, quote))) return { kind: "gone" };
  }
  const row = readIssueRow(requireOk(answer, request, quote).data);
  const { content } = row;
  // A pull request under this number is not the issue that was linked.
  if (content === undefined) return { kind: "missing" };
  const { mark, recordIn } = content;
  const isSameNumber = row.number === number;
  const isIt = !answer.isRedirected && isSameNumber && isMarkOf(mark, { id, name: names.get(id) ?? "" });
  if (isIt) return { kind: "found", record: recordIn(id) };
  const repository = await find(mark);
  const record = recordIn(repository.id);
  return isSameNumber && repository.id === id
    ? { kind: "found", record }
    : { kind: "moved", record, to: repository.name };
}

/** A page of comments. */
const commentsShape = z.array(
  z
    .object({ user: some, body: z.string().nullish() })
    .transform(({ user, body }): IssueComment => ({ author: authorOf(user), body: body ?? "" })),
);

/** All comments of an issue, in GitHub's order: by ascending id. */
export async function* listComments(
  access: Access,
  issue: IssueRef,
): AsyncGenerator<readonly IssueComment[]> {
  for await (const page of readPagesOf(access, issue, "comments"))
    yield readShape(commentsShape, page.data, "comments");
}

/** Pages of a list that an issue has. By id like the issue itself, so that a rename is not seen at all. */
export function readPagesOf(
  { pages }: Access,
  { repositoryId, number }: IssueRef,
  what: "comments" | "events",
): AsyncIterable<Page> {
  const name = `the repository with the id ${repositoryId}`;
  return pages.all({
    list: what === "events" ? "issue events" : `comments of issue ${number}`,
    endpoint: at(`GET /repositories/{repository_id}/issues/{issue_number}/${what}`),
    parameters: { repository_id: repositoryId, issue_number: number },
    subject: `the ${what} of issue ${number} of ${name}`,
    repository: { id: repositoryId, name },
  });
}
