import type { IssueRef } from "../../../model/issue.ts";
import type { PostId } from "../../../model/post.ts";
import type { NewOtherMark, OtherMark, Pulls } from "../../pulls.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import { issueColumns, ofIssue, projectOf } from "../statements.ts";
import type { Asked, Plain } from "../store.ts";

interface KnownMark extends Pick<NewOtherMark, "board" | "address"> {
  project: number;
  post: PostId;
  seenAt: number;
  acceptedAt?: number;
}

/** Marks of another board address, on issues of ours. */
export function createOtherMarks(on: Queries) {
  const { run, all, upsert, numbers } = on;
  const forget = (issue: IssueRef) => run`DELETE FROM other_marks WHERE ${ofIssue(issue)}`;
  function* put({ issue, board, address, project: id, posts }: NewOtherMark, at: number): Asked<void> {
    const before = yield* all<KnownMark>`
      SELECT project, post, board, address, seen_at, accepted_at FROM other_marks WHERE ${ofIssue(issue)}`;
    const project = yield* numbers.project(id);
    const isSame = (post: PostId): boolean =>
      before.some(
        (one) =>
          one.post === post && one.project === project && one.board === board && one.address === address,
      );
    if (before.length === posts.length && posts.every(isSame)) return;
    yield* forget(issue);
    for (const post of posts) {
      const old = before.find((one) => one.post === post && one.board === board);
      yield* upsert("other_marks", ["project", "post", "repository", "number"], {
        project,
        post,
        ...issueColumns(issue),
        board,
        address,
        seenAt: old?.seenAt ?? at,
        // Earlier versions noted here what a person has accepted.
        acceptedAt: old?.acceptedAt,
      });
    }
  }
  return {
    otherMarks: (project) => all<OtherMark>`
      SELECT repository AS "issue.repositoryId", number AS "issue.number", post, board, address, seen_at AS since
      FROM other_marks AS mark
      WHERE project = ${projectOf(project)} AND NOT EXISTS (SELECT 1 FROM other_marks AS accepted
        WHERE accepted.project = mark.project AND accepted.board = mark.board AND accepted.accepted_at IS NOT NULL)
      ORDER BY post, repository, number`,
    changes: {
      *"store-other-marks"({ issues, marks, at }) {
        const marked = new Set(marks.map(({ issue }) => `${issue.repositoryId}#${issue.number}`));
        for (const issue of issues)
          if (!marked.has(`${issue.repositoryId}#${issue.number}`)) yield* forget(issue);
        for (const mark of marks) yield* put(mark, at);
      },
      *"accept-other-marks"({ project: id, boards, at }) {
        const project = yield* numbers.project(id);
        // A row of no issue: marks come and go, and what a person has said of their board stays.
        yield* run`
          INSERT INTO other_marks (project, post, repository, number, board, seen_at, accepted_at)
          SELECT ${project}, one.value, 0, 0, one.value, ${at}, ${at} FROM EACH TEXT ${boards} AS one WHERE true
          ON CONFLICT DO NOTHING`;
      },
    },
  } satisfies Partial<Plain<Pulls>> & Carrying;
}
