import type { Absence, Issue, IssueRef, RepositoryId, RepositoryName } from "../../../model/issue.ts";
import type { PostId } from "../../../model/post.ts";
import type { Absences, AbsentLink } from "../../rows.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Asked, Plain, Store } from "../store.ts";
import type { IssueStore } from "./issue-store.ts";
import { type IssuePlace, placeOfIssue } from "./place.ts";

interface AbsenceColumns {
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
): Plain<Absences> & Carrying<"set-absence" | "follow-transfer" | "retire-issues" | "mark-repository"> {
  const columns = "kind, since, to_repository, to_number, to_name";
  const select = store.prepare<[IssuePlace], AbsenceColumns>(
    `SELECT ${columns} FROM absences WHERE repository = @repository AND number = @number`,
  );
  // Few are absent at any time, and each of them is looked up among the links.
  const selectOfRepository = store.prepare<[number], { number: number } & AbsenceColumns>(`
    SELECT number, ${columns} FROM absences WHERE repository = ?
      AND EXISTS (SELECT 1 FROM links WHERE links.repository = absences.repository AND links.number = absences.number)
    ORDER BY number`);
  const selectOfProject = store.prepare<
    [number],
    { post: PostId; repository: RepositoryId; number: number } & AbsenceColumns
  >(`
    SELECT posts.id AS post, absences.repository AS repository, absences.number AS number, ${columns} FROM absences
    CROSS JOIN links ON links.repository = absences.repository AND links.number = absences.number
    JOIN posts ON posts.number = links.post
    WHERE links.project = ? ORDER BY posts.id, position`);
  // Without the hint SQLite would look at every post of the project, due or not.
  const selectSuspects = store.prepare<[number], { repository: RepositoryId; number: number }>(`
    SELECT DISTINCT links.repository AS repository, links.number AS number FROM posts INDEXED BY posts_due
    CROSS JOIN links ON links.project = posts.project AND links.post = posts.number
    CROSS JOIN markers ON markers.post = posts.number
    JOIN issues AS here ON here.repository = links.repository AND here.number = links.number
    JOIN issues AS there ON there.repository = markers.repository AND there.number = markers.number
    WHERE posts.project = ? AND due_at IS NOT NULL
      AND here.created_at = there.created_at
      AND NOT EXISTS (SELECT 1 FROM links AS known WHERE known.project = posts.project AND known.post = posts.number
        AND known.repository = markers.repository AND known.number = markers.number)`);
  const insert = store.prepare<[IssuePlace & AbsenceColumns]>(`
    INSERT INTO absences (repository, number, ${columns})
    VALUES (@repository, @number, @kind, @since, @to_repository, @to_number, @to_name)
    ON CONFLICT (repository, number) DO UPDATE SET kind = excluded.kind, since = excluded.since,
      to_repository = excluded.to_repository, to_number = excluded.to_number, to_name = excluded.to_name`);
  const remove = store.prepare<[IssuePlace]>(
    "DELETE FROM absences WHERE repository = @repository AND number = @number",
  );
  const links = createLinkMover(store);
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
    "UPDATE posts SET due_at = 0 WHERE number IN (SELECT post FROM links WHERE repository = ?)",
  );
  function* known(issue: IssueRef): Asked<Absence | undefined> {
    const found = yield* select.get(placeOfIssue(issue));
    return found && toAbsence(found);
  }
  const write = (issue: IssueRef, absence: Absence): Asked<void> =>
    insert.run({ ...placeOfIssue(issue), ...fromAbsence(absence) });
  return {
    of: known,
    *ofRepository(repositoryId) {
      return (yield* selectOfRepository.all(repositoryId)).map(({ number, ...found }) => ({
        issue: { repositoryId, number },
        absence: toAbsence(found),
      }));
    },
    ofProject: (project) =>
      numbers.ofProject(project, [], function* (of) {
        return (yield* selectOfProject.all(of)).map(
          ({ post, repository: repositoryId, number, ...absent }): AbsentLink => ({
            post,
            issue: { repositoryId, number },
            absence: toAbsence(absent),
          }),
        );
      }),
    suspects: (project) =>
      numbers.ofProject(project, [], function* (of): Asked<readonly IssueRef[]> {
        const found = yield* selectSuspects.all(of);
        return found.map(({ repository: repositoryId, number }) => ({ repositoryId, number }));
      }),
    linkedRepositories: (project) =>
      numbers.ofProject(project, [], function* (of): Asked<readonly RepositoryId[]> {
        return (yield* selectRepositories.all({ project: of })).map(({ repository }) => repository);
      }),
    changes: {
      *"set-absence"({ issue, absence }) {
        const before = yield* known(issue);
        if (absence === undefined) yield* remove.run(placeOfIssue(issue));
        else yield* write(issue, absence);
        yield* issues.setGone(issue, absence !== undefined && isGoneKind(absence.kind));
        if (before?.kind !== absence?.kind) yield* issues.markRows(issue);
      },
      *"follow-transfer"({ from, to, moved }) {
        yield* links.move(from, to);
        yield* issues.setGone(from, false);
        yield* write(from, moved);
        yield* remove.run(placeOfIssue(to));
        yield* issues.store(to);
        yield* issues.markRows(to);
      },
      *"retire-issues"(of) {
        yield* links.retire(...(yield* numbers.place(of)));
      },
      "mark-repository": ({ repository }) => markRepository.run(repository),
    },
  };
}

/** Changes where links and marks lead to. */
function createLinkMover(store: Store) {
  // A post that is linked to both places already keeps the one link that it has there; what was read of an issue goes along.
  const moves = [
    ["links", "there.project = links.project AND there.post = links.post"],
    ["markers", "there.post = markers.post"],
    ["signals", "there.number > 0"],
    ["issue_bases", "there.post = issue_bases.post AND there.field = issue_bases.field"],
  ].map(([table, isSame]) => ({
    move: store.prepare<[IssuePlace & { toRepository: number; toNumber: number }]>(`
      UPDATE ${table} SET repository = @toRepository, number = @toNumber
      WHERE repository = @repository AND number = @number AND NOT EXISTS (SELECT 1 FROM ${table} AS there
        WHERE there.repository = @toRepository AND there.number = @toNumber AND ${isSame})`),
    rest: store.prepare<[IssuePlace]>(
      `DELETE FROM ${table} WHERE repository = @repository AND number = @number`,
    ),
  }));
  const selectLinks = store.prepare<[number, number], { repository: RepositoryId; number: number }>(
    "SELECT repository, number FROM links WHERE project = ? AND post = ? ORDER BY position",
  );
  const deleteLinks = store.prepare<[number, number]>("DELETE FROM links WHERE project = ? AND post = ?");
  const deleteMarker = store.prepare<[IssuePlace & { post: number }]>(
    "DELETE FROM markers WHERE post = @post AND repository = @repository AND number = @number",
  );
  const deleteBases = store.prepare<[number]>("DELETE FROM issue_bases WHERE post = ?");
  const markDue = store.prepare<[number]>("UPDATE posts SET due_at = 0 WHERE number = ?");
  return {
    *move(from: IssueRef, to: Issue): Asked<void> {
      const place = placeOfIssue(from);
      for (const { move, rest } of moves) {
        yield* move.run({ ...place, toRepository: to.repositoryId, toNumber: to.number });
        yield* rest.run(place);
      }
    },
    *retire(project: number, post: number): Asked<void> {
      for (const place of yield* selectLinks.all(project, post)) yield* deleteMarker.run({ ...place, post });
      yield* deleteLinks.run(project, post);
      yield* deleteBases.run(post);
      yield* markDue.run(post);
    },
  };
}

function isGoneKind(kind: Absence["kind"]): boolean {
  return kind === "deleted" || kind === "lost";
}

function fromAbsence(absence: Absence): AbsenceColumns {
  const { kind, since } = absence;
  if (kind !== "moved") return { kind, since, to_repository: null, to_number: null, to_name: null };
  const { to, name } = absence;
  return { kind, since, to_repository: to.repositoryId, to_number: to.number, to_name: name };
}

function toAbsence({ kind, since, to_repository, to_number, to_name }: AbsenceColumns): Absence {
  return kind === "moved"
    ? { kind, since, to: { repositoryId: to_repository ?? 0, number: to_number ?? 0 }, name: to_name ?? "" }
    : { kind, since };
}
