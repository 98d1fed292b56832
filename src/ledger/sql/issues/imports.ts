import type { IssueRef } from "../../../model/issue.ts";
import type { AlikePost } from "../../../model/post.ts";
import type { Imports, KnownImport } from "../../pulls.ts";
import type { Carrying } from "../columns/changes.ts";
import { decodeIssue, decodePost, encodePost } from "../columns/facts.ts";
import type { Numbers } from "../columns/numbers.ts";
import { upsert } from "../schema.ts";
import { type Columns, fromColumns, type Plain, type Store } from "../store.ts";

type AlikeColumns = Columns<Pick<AlikePost, "post" | "listedSince" | "isTaken">> & { readonly facts: string };

/** Issues that may become posts. */
export function createImports(
  store: Store,
  numbers: Numbers,
): Plain<Imports> & Carrying<"store-import" | "drop-import" | "note-import-list"> {
  const selectKnown = store.prepare<[number], Columns<KnownImport>>(`
    SELECT posts.id AS post, imports.repository AS "issue.repositoryId", imports.number AS "issue.number",
      coalesce(title, '') AS title, coalesce(url, '') AS url, updated_at AS "updatedAt", imports.reason AS reason,
      unlinked_at IS NOT NULL AS "isDiscarded",
      EXISTS (SELECT 1 FROM notes WHERE notes.post = posts.number AND kind = 'parked') AS "isParked"
    FROM imports JOIN posts ON posts.number = imports.post JOIN post_facts ON post_facts.post = imports.post
    WHERE imports.project = ? ORDER BY imports.repository, imports.number`);
  const selectList = store.prepare<[number, number, string], { etag: string }>(
    "SELECT etag FROM import_lists WHERE project = ? AND repository = ? AND labels = ?",
  );
  const selectElsewhere = store.prepare<[number, number], { facts: string }>(`
    SELECT facts FROM links JOIN issues ON issues.repository = links.repository AND issues.number = links.number
    WHERE links.project = ? AND links.repository <> ? AND origin = 'imported' AND facts IS NOT NULL
    ORDER BY links.repository, links.number`);
  // What names the issue counts also where a list lacks it: that is no deletion.
  // A repository that is called as a person, say, is in the texts of many: only the first few of these are told.
  const selectAlike = store.prepare<
    [{ project: number; texts: string; titles: string; since: number }],
    AlikeColumns
  >(`
    SELECT posts.id AS post, facts, coalesce(listed_since, 0) AS "listedSince", unlinked_at IS NOT NULL
      OR EXISTS (SELECT 1 FROM links WHERE links.project = posts.project AND links.post = posts.number) AS "isTaken"
    FROM posts JOIN post_facts ON post_facts.post = posts.number
    WHERE posts.project = @project AND hash IS NOT NULL AND (
      missing = 0 AND (coalesce(listed_since, 0) >= @since
        OR lower(title) IN (SELECT wanted.value FROM EACH TEXT @titles AS wanted))
      OR EXISTS (SELECT 1 FROM EACH TEXT @texts AS wanted WHERE lower(facts) LIKE wanted.value ESCAPE '!'))
    ORDER BY posts.id LIMIT ${mostAlike}`);
  const writePost = store.prepare<[number]>(
    "UPDATE posts SET due_at = NULL WHERE number = ? AND hash IS NULL",
  );
  const writeFacts = store.prepare<[{ post: number; title: string; url: string; facts: string }]>(
    upsert("post_facts", ["post"], ["post", "title", "url", "facts"]),
  );
  const write = store.prepare<
    [IssueRef & { project: number; post: number; updatedAt: string; reason: string | undefined }]
  >(`
    INSERT INTO imports (post, project, repository, number, updated_at, reason)
    VALUES (@post, @project, @repositoryId, @number, @updatedAt, @reason)
    ON CONFLICT (post) DO UPDATE SET repository = excluded.repository, number = excluded.number,
      updated_at = excluded.updated_at, reason = excluded.reason`);
  const selectOwn = store.prepare<[number], { one: number }>("SELECT 1 AS one FROM imports WHERE post = ?");
  const drop = ["notes", "post_facts", "imports"].map((table) =>
    store.prepare<[number]>(`DELETE FROM ${table} WHERE post = ?`),
  );
  const forgetWishes = store.prepare<[number]>(
    "UPDATE posts SET unlinked_at = NULL, paused_at = NULL, due_at = NULL WHERE number = ?",
  );
  const writeList = store.prepare<
    [{ project: number; repository: number; labels: string; etag: string | undefined }]
  >(upsert("import_lists", ["project", "repository"]));
  return {
    *known(project) {
      return (yield* selectKnown.all(yield* numbers.findProject(project))).map(fromColumns);
    },
    *validator(project, repository, by) {
      const found = yield* selectList.get(yield* numbers.findProject(project), repository, by);
      return found?.etag ?? undefined;
    },
    *elsewhere(project, repository) {
      const found = yield* selectElsewhere.all(yield* numbers.findProject(project), repository);
      return found.map(({ facts }) => decodeIssue(facts));
    },
    *alike(project, { texts, titles, listedSince }) {
      const found = yield* selectAlike.all({
        project: yield* numbers.findProject(project),
        texts: JSON.stringify(texts.map(toPattern)),
        titles: JSON.stringify(titles.map(fold)),
        since: listedSince ?? Number.MAX_SAFE_INTEGER,
      });
      return found.map(toAlike);
    },
    changes: {
      *"store-import"({ issue, title, updatedAt, reason, url, ...of }) {
        const [project, post] = yield* numbers.place(of);
        yield* writePost.run(post);
        const facts = encodePost({ id: of.post, values: { title, url } });
        yield* writeFacts.run({ post, title, url, facts });
        yield* write.run({ ...issue, post, project, updatedAt, reason });
      },
      *"drop-import"(of) {
        const [, post] = yield* numbers.place(of);
        if ((yield* selectOwn.get(post)) === undefined) return;
        for (const statement of drop) yield* statement.run(post);
        yield* forgetWishes.run(post);
      },
      *"note-import-list"({ project, repository, by, etag }) {
        yield* writeList.run({ project: yield* numbers.project(project), repository, labels: by, etag });
      },
    },
  };
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
    ...fromColumns(found),
    title: String(title ?? ""),
    text: String(description ?? ""),
    createdAt: typeof createdAt === "string" ? createdAt : undefined,
  };
}
