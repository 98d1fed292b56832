import type { Absence, IssueRef, RepositoryId, RepositoryName } from "../../../model/issue.ts";
import type { PostId } from "../../../model/post.ts";
import type { Absences, AbsentLink } from "../../rows.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { markedDue, upsert } from "../schema.ts";
import type { Asked, Plain, Store } from "../store.ts";
import type { IssueStore } from "./issue-store.ts";

interface AbsenceColumns {
  repository: RepositoryId;
  number: number;
  kind: Absence["kind"];
  since: number;
  to_repository: RepositoryId | null;
  to_number: number | null;
  to_name: RepositoryName | null;
}

/** What became of linked issues that are not where they were, and of their links. */
export function createAbsences(
  store: Store,
  numbers: Numbers,
  issues: IssueStore,
): Plain<Absences> & Carrying<"set-absence" | "follow-transfer" | "mark-repository"> {
  const columns = `absences.repository AS repository, absences.number AS number, kind, since, to_repository, to_number,
    to_name`;
  const select = store.prepare<[IssueRef], AbsenceColumns>(
    `SELECT ${columns} FROM absences WHERE repository = @repositoryId AND number = @number`,
  );
  // Few are absent at any time, and each of them is looked up among the links.
  const isLinked =
    "EXISTS (SELECT 1 FROM links WHERE links.repository = absences.repository AND links.number = absences.number)";
  const isFollowed = `EXISTS (SELECT 1 FROM signals
    WHERE canonical_repository = absences.repository AND canonical_number = absences.number)`;
  const ofRepository = (which: string) =>
    store.prepare<[number], AbsenceColumns>(
      `SELECT ${columns} FROM absences WHERE repository = ? AND (${which}) ORDER BY number`,
    );
  const selectOfRepository = ofRepository(isLinked);
  const selectWithFollowed = ofRepository(`${isLinked} OR ${isFollowed}`);
  const selectOfProject = store.prepare<[number], { post: PostId } & AbsenceColumns>(`
    SELECT posts.id AS post, ${columns} FROM absences
    CROSS JOIN links ON links.repository = absences.repository AND links.number = absences.number
    JOIN posts ON posts.number = links.post
    WHERE links.project = ? ORDER BY posts.id, position`);
  // Without the hint SQLite would look at every post of the project, due or not.
  const selectSuspects = store.prepare<[number], IssueRef>(`
    SELECT DISTINCT links.repository AS "repositoryId", links.number AS number FROM posts INDEXED BY posts_due
    CROSS JOIN links ON links.project = posts.project AND links.post = posts.number
    CROSS JOIN markers ON markers.post = posts.number
    JOIN issues AS here ON here.repository = links.repository AND here.number = links.number
    JOIN issues AS there ON there.repository = markers.repository AND there.number = markers.number
    WHERE posts.project = ? AND due_at IS NOT NULL
      AND here.created_at = there.created_at
      AND NOT EXISTS (SELECT 1 FROM links AS known WHERE known.project = posts.project AND known.post = posts.number
        AND known.repository = markers.repository AND known.number = markers.number)`);
  const write = store.prepare<[AbsenceColumns]>(upsert("absences", ["repository", "number"]));
  const remove = store.prepare<[IssueRef]>(
    "DELETE FROM absences WHERE repository = @repositoryId AND number = @number",
  );
  // A post that is linked to both places already keeps the one link that it has there; what was read of an issue goes along.
  const moves = [
    ["links", "there.project = links.project AND there.post = links.post"],
    ["markers", "there.post = markers.post"],
    ["signals", "there.number > 0"],
    ["issue_bases", "there.post = issue_bases.post AND there.field = issue_bases.field"],
  ]
    .flatMap(([table, isSame]) => [
      `UPDATE ${table} SET repository = @toRepository, number = @toNumber
       WHERE repository = @repositoryId AND number = @number AND NOT EXISTS (SELECT 1 FROM ${table} AS there
         WHERE there.repository = @toRepository AND there.number = @toNumber AND ${isSame})`,
      `DELETE FROM ${table} WHERE repository = @repositoryId AND number = @number`,
    ])
    .map((sql) => store.prepare<[IssueRef & { toRepository: number; toNumber: number }]>(sql));
  // One step a repository, however many links there are.
  const selectRepositories = store.prepare<[{ project: number }], { repository: RepositoryId }>(`
    WITH RECURSIVE linked (repository) AS (
      SELECT min(repository) FROM links WHERE project = @project
      UNION ALL
      SELECT (SELECT min(repository) FROM links WHERE project = @project AND repository > linked.repository)
      FROM linked WHERE linked.repository IS NOT NULL
    )
    SELECT repository FROM linked WHERE repository IS NOT NULL`);
  const markRepository = store.prepare<[number]>(
    `UPDATE posts SET ${markedDue} WHERE number IN (SELECT post FROM links WHERE repository = ?)`,
  );
  function* known(issue: IssueRef): Asked<Absence | undefined> {
    const found = yield* select.get(issue);
    return found && toAbsence(found).absence;
  }
  /** Whether it is gone stands in its own row, too. */
  function* put(issue: IssueRef, absence: Absence | undefined): Asked<void> {
    if (absence === undefined) yield* remove.run(issue);
    else yield* write.run(fromAbsence(issue, absence));
    yield* issues.setGone(issue, absence?.kind === "deleted" || absence?.kind === "lost");
  }
  return {
    of: known,
    *ofRepository(repositoryId, scope) {
      const select = scope === undefined ? selectOfRepository : selectWithFollowed;
      return (yield* select.all(repositoryId)).map(toAbsence);
    },
    ofProject: (project) =>
      numbers.ofProject(project, [], function* (of) {
        return (yield* selectOfProject.all(of)).map(
          ({ post, ...absent }): AbsentLink => ({ post, ...toAbsence(absent) }),
        );
      }),
    suspects: (project) => numbers.ofProject(project, [], (of) => selectSuspects.all(of)),
    linkedRepositories: (project) =>
      numbers.ofProject(project, [], function* (of): Asked<readonly RepositoryId[]> {
        return (yield* selectRepositories.all({ project: of })).map(({ repository }) => repository);
      }),
    changes: {
      *"set-absence"({ issue, absence }) {
        const before = yield* known(issue);
        yield* put(issue, absence);
        if (before?.kind !== absence?.kind) yield* issues.markRows(issue);
      },
      *"follow-transfer"({ from, to, moved }) {
        for (const step of moves)
          yield* step.run({ ...from, toRepository: to.repositoryId, toNumber: to.number });
        yield* put(from, moved);
        yield* put(to, undefined);
        yield* issues.store(to);
        yield* issues.markRows(to);
      },
      "mark-repository": ({ repository }) => markRepository.run(repository),
    },
  };
}

function fromAbsence({ repositoryId: repository, number }: IssueRef, absence: Absence): AbsenceColumns {
  const { kind, since } = absence;
  const moved = absence.kind === "moved" ? absence : undefined;
  return {
    ...{ repository, number, kind, since },
    to_repository: moved?.to.repositoryId ?? null,
    to_number: moved?.to.number ?? null,
    to_name: moved?.name ?? null,
  };
}

function toAbsence({ repository: repositoryId, number, kind, since, ...found }: AbsenceColumns): {
  readonly issue: IssueRef;
  readonly absence: Absence;
} {
  const to = { repositoryId: found.to_repository ?? 0, number: found.to_number ?? 0 };
  return {
    issue: { repositoryId, number },
    absence: kind === "moved" ? { kind, since, to, name: found.to_name ?? "" } : { kind, since },
  };
}
