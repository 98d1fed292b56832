import type { AlikePost } from "../../../model/post.ts";
import type { Imports, KnownImport } from "../../pulls.ts";
import { decodeIssue, decodePost, encodePost } from "../columns/facts.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import { issueColumns, named, projectOf } from "../statements.ts";
import type { Plain } from "../store.ts";

type AlikeColumns = Pick<AlikePost, "post" | "listedSince" | "isTaken"> & { readonly facts: string };

/** Issues that may become posts. */
export function createImports(on: Queries) {
  const { run, has, get, all, upsert, numbers } = on;
  return {
    known: (project) => all<KnownImport>`
      SELECT posts.id AS post, imports.repository AS "issue.repositoryId", imports.number AS "issue.number",
        coalesce(title, '') AS title, coalesce(url, '') AS url, updated_at, imports.reason AS reason,
        unlinked_at IS NOT NULL AS is_discarded,
        EXISTS (SELECT 1 FROM notes WHERE notes.post = posts.number AND kind = 'parked') AS is_parked
      FROM imports JOIN posts ON posts.number = imports.post JOIN post_facts ON post_facts.post = imports.post
      WHERE imports.project = ${projectOf(project)} ORDER BY imports.repository, imports.number`,
    *validator(project, repository, by) {
      const found = yield* get<{ etag?: string }>`
        SELECT etag FROM import_lists WHERE project = ${projectOf(project)} AND repository = ${repository} AND labels = ${by}`;
      return found?.etag;
    },
    *elsewhere(project, repository) {
      const found = yield* all<{ facts: string }>`
        SELECT facts FROM links JOIN issues ON issues.repository = links.repository AND issues.number = links.number
        WHERE links.project = ${projectOf(project)} AND links.repository <> ${repository} AND origin = 'imported' AND facts IS NOT NULL
        ORDER BY links.repository, links.number`;
      return found.map(({ facts }) => decodeIssue(facts));
    },
    *alike(project, { texts, titles, listedSince }) {
      // What names the issue counts also where a list lacks it: that is no deletion.
      // A repository that is called as a person, say, is in the texts of many: only the first few of these are told.
      const found = yield* all<AlikeColumns>`
        SELECT posts.id AS post, facts, coalesce(listed_since, 0) AS listed_since, unlinked_at IS NOT NULL
          OR EXISTS (SELECT 1 FROM links WHERE links.project = posts.project AND links.post = posts.number) AS is_taken
        FROM posts JOIN post_facts ON post_facts.post = posts.number
        WHERE posts.project = ${projectOf(project)} AND hash IS NOT NULL AND (
          missing = 0 AND (coalesce(listed_since, 0) >= ${listedSince ?? Number.MAX_SAFE_INTEGER}
            OR lower(title) IN (SELECT wanted.value FROM EACH TEXT ${titles.map(fold)} AS wanted))
          OR EXISTS (SELECT 1 FROM EACH TEXT ${texts.map(toPattern)} AS wanted
            WHERE lower(facts) LIKE wanted.value ESCAPE '!'))
        ORDER BY posts.id LIMIT ${mostAlike}`;
      return found.map(toAlike);
    },
    changes: {
      *"store-import"({ issue, title, updatedAt, reason, url, ...of }) {
        const [project, post] = yield* numbers.place(of);
        yield* run`UPDATE posts SET due_at = NULL WHERE number = ${post} AND hash IS NULL`;
        const facts = encodePost({ id: of.post, values: { title, url } });
        yield* upsert("post_facts", ["post"], { post, title, url, facts });
        const line = { post, project, ...issueColumns(issue), updatedAt, reason };
        yield* upsert("imports", ["post"], line);
      },
      *"drop-import"(of) {
        const [, post] = yield* numbers.place(of);
        if (!(yield* has`SELECT 1 AS one FROM imports WHERE post = ${post}`)) return;
        for (const table of ["notes", "post_facts", "imports"].map(named))
          yield* run`DELETE FROM ${table} WHERE post = ${post}`;
        yield* run`UPDATE posts SET unlinked_at = NULL, paused_at = NULL, due_at = NULL WHERE number = ${post}`;
      },
      *"note-import-list"({ project: id, repository, by: labels, etag }) {
        const project = yield* numbers.project(id);
        yield* upsert("import_lists", ["project", "repository"], { project, repository, labels, etag });
      },
    },
  } satisfies Plain<Imports> & Carrying;
}

/** More posts than this that may be what an issue has become tell nobody which of them is. */
const mostAlike = 500;

/** Both engines know the case of ASCII alone. */
function fold(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A text as it stands in JSON, anywhere in it, as a pattern of SQL. */
function toPattern(text: string): string {
  const inJson = JSON.stringify(fold(text)).slice(1, -1);
  return `%${inJson.replaceAll(/[!%_]/g, "!$&")}%`;
}

function toAlike({ facts, ...found }: AlikeColumns): AlikePost {
  const { title, description, createdAt } = decodePost(facts).values;
  return {
    ...found,
    title: String(title ?? ""),
    text: String(description ?? ""),
    createdAt: typeof createdAt === "string" ? createdAt : undefined,
  };
}
