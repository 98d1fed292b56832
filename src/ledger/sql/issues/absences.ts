import type { Absence, IssueRef, RepositoryId } from "../../../model/issue.ts";
import type { Absences, AbsentIssue, AbsentLink } from "../../rows.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { markedDue, ofIssue, upsert } from "../schema.ts";
import { type Asked, type Columns, fromColumns, type Plain, type Store } from "../store.ts";
import type { IssueStore } from "./issue-store.ts";

/** What became of linked issues that are not where they were, and of their links. */
export function createAbsences(
  store: Store,
  numbers: Numbers,
  issues: IssueStore,
): Plain<Absences> & Carrying<"set-absence" | "follow-transfer" | "mark-repository"> {
  const columns = `absences.repository AS "issue.repositoryId", absences.number AS "issue.number",
    kind AS "absence.kind", since AS "absence.since", to_repository AS "absence.to.repositoryId",
    to_number AS "absence.to.number", to_name AS "absence.name"`;
  const select = store.prepare<[IssueRef], Columns<AbsentIssue>>(
    `SELECT ${columns} FROM absences WHERE ${ofIssue}`,
  );
  // Few are absent at any time, and each of them is looked up among the links.
  const isLinked =
    "EXISTS (SELECT 1 FROM links WHERE links.repository = absences.repository AND links.number = absences.number)";
  const isFollowed = `EXISTS (SELECT 1 FROM signals
    WHERE canonical_repository = absences.repository AND canonical_number = absences.number)`;
  const ofRepository = (which: string) =>
    store.prepare<[number], Columns<AbsentIssue>>(
      `SELECT ${columns} FROM absences WHERE repository = ? AND (${which}) ORDER BY absences.number`,
    );
  const selectOfRepository = ofRepository(isLinked);
  const selectWithFollowed = ofRepository(`${isLinked} OR ${isFollowed}`);
  const selectOfProject = store.prepare<[number], Columns<AbsentLink>>(`
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
  const write = store.prepare<[ReturnType<typeof fromAbsence>]>(upsert("absences", ["repository", "number"]));
  const remove = store.prepare<[IssueRef]>(`DELETE FROM absences WHERE ${ofIssue}`);
  // A post that is linked to both places already keeps the one link that it has there; what was read of an issue goes along.
  const moves = [
    ["links", "there.project = links.project AND there.post = links.post"],
    ["markers", "there.post = markers.post"],
    ["signals", "there.number > 0"],
    ["issue_bases", "there.post = issue_bases.post AND there.field = issue_bases.field"],
  ]
    .flatMap(([table, isSame]) => [
      `UPDATE ${table} SET repository = @toRepository, number = @toNumber
       WHERE ${ofIssue} AND NOT EXISTS (SELECT 1 FROM ${table} AS there
         WHERE there.repository = @toRepository AND there.number = @toNumber AND ${isSame})`,
      `DELETE FROM ${table} WHERE ${ofIssue}`,
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
    return found && fromColumns(found).absence;
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
      return (yield* select.all(repositoryId)).map(fromColumns);
    },
    *ofProject(project) {
      return (yield* selectOfProject.all(yield* numbers.findProject(project))).map(fromColumns);
    },
    *suspects(project) {
      return yield* selectSuspects.all(yield* numbers.findProject(project));
    },
    *linkedRepositories(id) {
      const project = yield* numbers.findProject(id);
      return (yield* selectRepositories.all({ project })).map(({ repository }) => repository);
    },
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

function fromAbsence({ repositoryId: repository, number }: IssueRef, absence: Absence) {
  const { kind, since } = absence;
  const { to, name } = absence.kind === "moved" ? absence : {};
  return {
    ...{ repository, number, kind, since },
    ...{ to_repository: to?.repositoryId, to_number: to?.number, to_name: name },
  };
}
