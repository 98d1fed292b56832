import type { IssueRef } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import type { IssueComment } from "../../tracker.ts";
import type { Pages } from "../wire/pages.ts";
import { readComments } from "../wire/shapes.ts";

/** All comments of an issue, in GitHub's order: by ascending id. */
export async function* listComments(
  pages: Pages,
  issue: IssueRef,
  bounds: ReadBounds,
): AsyncGenerator<readonly IssueComment[]> {
  const { repositoryId, number } = issue;
  const request = {
    // By id like the issue itself, so that a rename is not seen at all.
    route: "GET /repositories/{repository_id}/issues/{issue_number}/comments",
    parameters: { repository_id: repositoryId, issue_number: number, per_page: 100 },
    subject: `the comments of issue ${number} of the repository with the id ${repositoryId}`,
  };
  const repository = { id: repositoryId, name: `the repository with the id ${repositoryId}` };
  for await (const page of pages(request, repository, bounds)) yield readComments(page.data);
}
