import type { RepositoryId } from "../../../model/issue.ts";
import type { PostId, ProjectId } from "../../../model/post.ts";
import type { NewOtherMark, OtherMark } from "../../pulls.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Asked, Store } from "../store.ts";

interface Columns {
  post: PostId;
  repositoryId: RepositoryId;
  number: number;
  board: string;
  address: string | null;
  since: number;
}

/** Marks of another board address, on issues of ours. */
export interface OtherMarks extends Carrying<"store-other-marks" | "accept-other-marks"> {
  find(project: ProjectId): Asked<readonly OtherMark[]>;
}

export function createOtherMarks(store: Store, numbers: Numbers): OtherMarks {
  const known = store.prepare<
    [number, number],
    {
      project: number;
      post: string;
      board: string;
      address: string | null;
      seen_at: number;
      accepted_at: number | null;
    }
  >(
    "SELECT project, post, board, address, seen_at, accepted_at FROM other_marks WHERE repository = ? AND number = ?",
  );
  const forget = store.prepare<[number, number]>(
    "DELETE FROM other_marks WHERE repository = ? AND number = ?",
  );
  const insert = store.prepare<
    [
      {
        project: number;
        post: string;
        repository: number;
        number: number;
        board: string;
        address: string | null;
        at: number;
        accepted: number | null;
      },
    ]
  >(`
    INSERT INTO other_marks (project, post, repository, number, board, address, seen_at, accepted_at)
    VALUES (@project, @post, @repository, @number, @board, @address, @at, @accepted)
    ON CONFLICT (project, post, repository, number) DO UPDATE SET board = excluded.board,
      address = excluded.address, seen_at = excluded.seen_at, accepted_at = excluded.accepted_at`);
  const select = store.prepare<[number], Columns>(`
    SELECT post, repository AS "repositoryId", number, board, address, seen_at AS since FROM other_marks AS mark
    WHERE project = ? AND NOT EXISTS (SELECT 1 FROM other_marks AS accepted WHERE accepted.project = mark.project
      AND accepted.board = mark.board AND accepted.accepted_at IS NOT NULL)
    ORDER BY post, repository, number`);
  const accept = store.prepare<[{ project: number; boards: string; at: number }]>(`
    UPDATE other_marks SET accepted_at = @at
    WHERE project = @project AND board IN (SELECT one.value FROM EACH TEXT @boards AS one)`);
  function* put(
    { issue: { repositoryId, number }, board, address, project, posts }: NewOtherMark,
    at: number,
  ): Asked<void> {
    const before = yield* known.all(repositoryId, number);
    const projectNumber = yield* numbers.project(project);
    const isSame = (post: PostId): boolean =>
      before.some(
        (one) =>
          one.post === post &&
          one.project === projectNumber &&
          one.board === board &&
          one.address === (address ?? null),
      );
    if (before.length === posts.length && posts.every(isSame)) return;
    yield* forget.run(repositoryId, number);
    for (const post of posts) {
      const old = before.find((one) => one.post === post && one.board === board);
      yield* insert.run({
        project: projectNumber,
        post,
        repository: repositoryId,
        number,
        board,
        address: address ?? null,
        at: old?.seen_at ?? at,
        accepted: old?.accepted_at ?? null,
      });
    }
  }
  return {
    find: (project) =>
      numbers.ofProject(project, [], function* (of): Asked<readonly OtherMark[]> {
        return (yield* select.all(of)).map(({ repositoryId, number, address, ...mark }) => ({
          ...mark,
          issue: { repositoryId, number },
          address: address ?? undefined,
        }));
      }),
    changes: {
      *"store-other-marks"({ issues, marks, at }) {
        const marked = new Set(marks.map(({ issue }) => `${issue.repositoryId}#${issue.number}`));
        for (const { repositoryId, number } of issues) {
          if (marked.has(`${repositoryId}#${number}`)) continue;
          yield* forget.run(repositoryId, number);
        }
        for (const mark of marks) yield* put(mark, at);
      },
      *"accept-other-marks"({ project, boards, at }) {
        yield* accept.run({ project: yield* numbers.project(project), boards: JSON.stringify(boards), at });
      },
    },
  };
}
