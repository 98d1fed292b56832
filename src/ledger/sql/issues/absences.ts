import type { Absence, IssueRef, RepositoryId } from "../../../model/issue.ts";
import type { Absences, AbsentIssue, AbsentLink } from "../../rows.ts";
import type { Carrying } from "../columns/numbers.ts";
import { issueColumns, markedDue, named, ofIssue, projectOf, type Statements, sql } from "../statements.ts";
import type { Asked, Plain } from "../store.ts";
import type { IssueStore } from "./issue-store.ts";

/** A post that is linked to both places already keeps the one link that it has there; what was read of an issue goes along. */
const goingAlong = [
  { table: named("links"), isSame: sql`there.project = links.project AND there.post = links.post` },
  { table: named("markers"), isSame: sql`there.post = markers.post` },
  { table: named("signals"), isSame: sql`there.number > 0` },
  {
    table: named("issue_bases"),
    isSame: sql`there.post = issue_bases.post AND there.field = issue_bases.field`,
  },
];

/** A duplicate is of it. */
const orFollowed = sql`OR EXISTS (SELECT 1 FROM signals
  WHERE canonical_repository = absences.repository AND canonical_number = absences.number)`;

/** What became of linked issues that are not where they were, and of their links. */
export function createAbsences(on: Statements, issues: IssueStore) {
  const { run, get, all, upsert } = on;
  const columns = sql`absences.repository AS "issue.repositoryId", absences.number AS "issue.number",
    kind AS "absence.kind", since AS "absence.since", to_repository AS "absence.to.repositoryId",
    to_number AS "absence.to.number", to_name AS "absence.name"`;
  function* known(issue: IssueRef): Asked<Absence | undefined> {
    return (yield* get<AbsentIssue>`SELECT ${columns} FROM absences WHERE ${ofIssue(issue)}`)?.absence;
  }
  /** Whether it is gone stands in its own row, too. */
  function* put(issue: IssueRef, absence: Absence | undefined): Asked<void> {
    if (absence === undefined) yield* run`DELETE FROM absences WHERE ${ofIssue(issue)}`;
    else {
      const { to, name: toName } = absence.kind === "moved" ? absence : {};
      const moved = { toRepository: to?.repositoryId, toNumber: to?.number, toName };
      const { kind, since } = absence;
      const line = { ...issueColumns(issue), kind, since, ...moved };
      yield* upsert("absences", ["repository", "number"], line);
    }
    yield* issues.setGone(issue, absence?.kind === "deleted" || absence?.kind === "lost");
  }
  return {
    of: known,
    // Few are absent at any time, and each of them is looked up among the links.
    ofRepository: (repository, scope) => all<AbsentIssue>`
      SELECT ${columns} FROM absences WHERE repository = ${repository} AND (
        EXISTS (SELECT 1 FROM links WHERE links.repository = absences.repository AND links.number = absences.number)
        ${scope === undefined ? sql`` : orFollowed}) ORDER BY absences.number`,
    ofProject: (project) => all<AbsentLink>`
      SELECT posts.id AS post, ${columns} FROM absences
      CROSS JOIN links ON links.repository = absences.repository AND links.number = absences.number
      JOIN posts ON posts.number = links.post
      WHERE links.project = ${projectOf(project)} ORDER BY posts.id, position`,
    // Without the hint SQLite would look at every post of the project, due or not.
    suspects: (project) => all<IssueRef>`
      SELECT DISTINCT links.repository AS repository_id, links.number AS number FROM posts INDEXED BY posts_due
      CROSS JOIN links ON links.project = posts.project AND links.post = posts.number
      CROSS JOIN markers ON markers.post = posts.number
      JOIN issues AS here ON here.repository = links.repository AND here.number = links.number
      JOIN issues AS there ON there.repository = markers.repository AND there.number = markers.number
      WHERE posts.project = ${projectOf(project)} AND due_at IS NOT NULL
        AND here.created_at = there.created_at
        AND NOT EXISTS (SELECT 1 FROM links AS known WHERE known.project = posts.project AND known.post = posts.number
          AND known.repository = markers.repository AND known.number = markers.number)`,
    *linkedRepositories(id) {
      const project = projectOf(id);
      // One step a repository, however many links there are.
      const found = yield* all<{ repository: RepositoryId }>`
        WITH RECURSIVE linked (repository) AS (
          SELECT min(repository) FROM links WHERE project = ${project}
          UNION ALL
          SELECT (SELECT min(repository) FROM links WHERE project = ${project} AND repository > linked.repository)
          FROM linked WHERE linked.repository IS NOT NULL
        )
        SELECT repository FROM linked WHERE repository IS NOT NULL`;
      return found.map(({ repository }) => repository);
    },
    changes: {
      *"set-absence"({ issue, absence }) {
        const before = yield* known(issue);
        yield* put(issue, absence);
        if (before?.kind !== absence?.kind) yield* issues.markRows(issue);
      },
      *"follow-transfer"({ from, to, moved }) {
        const { repositoryId, number } = to;
        for (const { table, isSame } of goingAlong) {
          yield* run`
            UPDATE ${table} SET repository = ${repositoryId}, number = ${number}
            WHERE ${ofIssue(from)} AND NOT EXISTS (SELECT 1 FROM ${table} AS there
              WHERE there.repository = ${repositoryId} AND there.number = ${number} AND ${isSame})`;
          yield* run`DELETE FROM ${table} WHERE ${ofIssue(from)}`;
        }
        yield* put(from, moved);
        yield* put(to, undefined);
        yield* issues.store(to);
        yield* issues.markRows(to);
      },
      "mark-repository": ({ repository }) =>
        run`UPDATE posts SET ${markedDue} WHERE number IN (SELECT post FROM links WHERE repository = ${repository})`,
    },
  } satisfies Plain<Absences> & Carrying;
}
