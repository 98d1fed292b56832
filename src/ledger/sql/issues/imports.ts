import type { Issue, IssueRef } from "../../../model/issue.ts";
import type { PostId } from "../../../model/post.ts";
import type { AlikePost, AlikeWish, Imports, KnownImport } from "../../pulls.ts";
import type { Carrying } from "../columns/changes.ts";
import { decodeIssue, decodePost, encodePost } from "../columns/facts.ts";
import type { Numbers } from "../columns/numbers.ts";
import { upsert } from "../schema.ts";
import { type Asked, type Columns, fromColumns, type Plain, type Store } from "../store.ts";

/** What stands in columns as it is. */
type Plainly = Pick<KnownImport, "post" | "updatedAt" | "reason">;

interface ImportColumns extends Columns<Plainly>, IssueRef {
  readonly title: string | null;
  readonly url: string | null;
  readonly is_discarded: number;
  readonly is_parked: number;
}

interface AlikeColumns {
  post: PostId;
  facts: string;
  listed_since: number | null;
  is_taken: number;
}

/** Issues that may become posts. */
export function createImports(
  store: Store,
  numbers: Numbers,
): Plain<Imports> & Carrying<"store-import" | "drop-import" | "note-import-list"> {
  const selectKnown = store.prepare<[number], ImportColumns>(`
    SELECT posts.id AS post, imports.repository AS "repositoryId", imports.number AS number, title, url, updated_at AS "updatedAt",
      imports.reason AS reason, CASE WHEN unlinked_at IS NULL THEN 0 ELSE 1 END AS is_discarded,
      CASE WHEN EXISTS (SELECT 1 FROM notes WHERE notes.post = posts.number AND kind = 'parked') THEN 1 ELSE 0 END AS is_parked
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
    SELECT posts.id AS post, facts, listed_since,
      CASE WHEN unlinked_at IS NOT NULL OR EXISTS (SELECT 1 FROM links
        WHERE links.project = posts.project AND links.post = posts.number) THEN 1 ELSE 0 END AS is_taken
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
    known: (project) =>
      numbers.ofProject(project, [], function* (number): Asked<readonly KnownImport[]> {
        return (yield* selectKnown.all(number)).map(
          ({ repositoryId, number: issue, title, url, is_discarded, is_parked, ...found }) => ({
            ...fromColumns<Plainly>(found),
            issue: { repositoryId, number: issue },
            title: title ?? "",
            url: url ?? "",
            isDiscarded: is_discarded === 1,
            isParked: is_parked === 1,
          }),
        );
      }),
    validator: (project, repository, by) =>
      numbers.ofProject(project, undefined, function* (number): Asked<string | undefined> {
        return (yield* selectList.get(number, repository, by))?.etag ?? undefined;
      }),
    elsewhere: (project, repository) =>
      numbers.ofProject(project, [], function* (number): Asked<readonly Issue[]> {
        return (yield* selectElsewhere.all(number, repository)).map(({ facts }) => decodeIssue(facts));
      }),
    alike: (project, { texts, titles, listedSince }: AlikeWish) =>
      numbers.ofProject(project, [], function* (number): Asked<readonly AlikePost[]> {
        const found = yield* selectAlike.all({
          project: number,
          texts: JSON.stringify(texts.map(toPattern)),
          titles: JSON.stringify(titles.map(fold)),
          since: listedSince ?? Number.MAX_SAFE_INTEGER,
        });
        return found.map(toAlike);
      }),
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

function toAlike({ post, facts, listed_since, is_taken }: AlikeColumns): AlikePost {
  const { title, description, createdAt } = decodePost(facts).values;
  return {
    post,
    title: String(title ?? ""),
    text: String(description ?? ""),
    createdAt: typeof createdAt === "string" ? createdAt : undefined,
    listedSince: listed_since ?? 0,
    isTaken: is_taken === 1,
  };
}
