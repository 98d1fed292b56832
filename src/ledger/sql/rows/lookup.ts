import type { IssueRef } from "../../../model/issue.ts";
import type { Namesake, PostId } from "../../../model/post.ts";
import type { Elsewhere, KnownPull, Lookup } from "../../rows.ts";
import { decodePost } from "../columns/facts.ts";
import { type Part, projectOf, type Statements, sql } from "../statements.ts";
import type { Plain } from "../store.ts";

/** How much longer or shorter an id may be that somebody has mistyped. */
const slack = 2;

/** `here` and `there` are JSON, `linked` and `marked` lists of issues. */
interface NamesakeColumns extends Omit<Namesake, "here" | "there" | "issues"> {
  readonly here: string;
  readonly there?: string;
  readonly linked?: string;
  readonly marked?: string;
}

/** What a person asks for by name. */
export function createLookup({ get, all }: Statements): Plain<Lookup> {
  return {
    *namesakes(id, posts) {
      const project = projectOf(id);
      // Posts of one id in several projects are looked up by the index of project and id, project by project.
      const which =
        posts === undefined
          ? namesakes(project, sql`posts AS here INDEXED BY posts_due`, sql`here.due_at IS NOT NULL`)
          : namesakes(
              project,
              sql`EACH TEXT ${posts} AS named CROSS JOIN posts AS here ON here.id = named.value`,
              sql`true`,
            );
      return (yield* all<NamesakeColumns>`${which}`).map(toNamesake);
    },
    *linkedPosts(project, posts) {
      const found = yield* all<{ id: PostId; facts: string }>`
        SELECT posts.id AS id, facts FROM EACH TEXT ${posts} AS named
        CROSS JOIN posts ON posts.project = ${projectOf(project)} AND posts.id = named.value
        JOIN post_facts ON post_facts.post = posts.number
        WHERE EXISTS (SELECT 1 FROM links WHERE links.project = posts.project AND links.post = posts.number)`;
      return new Map(found.map(({ id: post, facts }) => [post, decodePost(facts).values]));
    },
    elsewhere: (post, projects) => all<Elsewhere>`
      SELECT board_projects.id AS project,
        EXISTS (SELECT 1 FROM posts WHERE posts.project = board_projects.number AND posts.id = ${post}
          AND hash IS NOT NULL AND missing = 0) AS is_listed,
        (SELECT max(began_at) FROM pulls WHERE pulls.project = board_projects.number AND kind = 'complete') AS pulled_at
      FROM EACH TEXT ${projects} AS one CROSS JOIN board_projects ON board_projects.id = one.value`,
    *sharedPages(project, urls) {
      if (urls.length === 0) return new Set();
      const found = yield* all<{ url: string }>`
        SELECT url FROM posts JOIN post_facts ON post_facts.post = posts.number
        WHERE project = ${projectOf(project)} AND url IN (SELECT one.value FROM EACH TEXT ${urls} AS one)
        GROUP BY url HAVING count(*) > 1`;
      return new Set(found.map(({ url }) => url));
    },
    lastPull: (project) => get<KnownPull>`
      SELECT began_at, kind FROM pulls
      WHERE project = ${projectOf(project)} AND kind IN ('complete', 'usable') ORDER BY number DESC LIMIT 1`,
    *postsLike(id, text, limit) {
      const project = projectOf(id);
      const beginning = yield* all<{ id: PostId }>`
        SELECT id FROM posts WHERE project = ${project} AND id > ${text} AND id < ${`${text}\u{10ffff}`} AND hash IS NOT NULL
        ORDER BY id LIMIT ${limit}`;
      const alike = yield* all<{ id: PostId }>`
        SELECT id FROM posts WHERE project = ${project} AND hash IS NOT NULL
          AND length(id) BETWEEN ${text.length - slack} AND ${text.length + slack}
        ORDER BY id LIMIT ${limit}`;
      return [...new Set([...beginning, ...alike].map((one) => one.id))];
    },
  };
}

/** Of a post without a list that showed it, a list that was whole is one that lacked it. */
function namesakes(project: Part, posts: Part, which: Part): Part {
  const linked = sql`links WHERE links.project = there.project AND links.post = there.number`;
  const marked = sql`markers WHERE markers.post = there.number AND NOT EXISTS (SELECT 1 FROM ended_links AS ended
    WHERE ended.post = markers.post AND ended.repository = markers.repository AND ended.number = markers.number)`;
  const underWay = sql`EXISTS (SELECT 1 FROM intents INDEXED BY intents_open WHERE intents.project = there.project
    AND intents.post = there.number AND kind <> 'patch-post' AND ended_at IS NULL)`;
  return sql`
    SELECT here.id AS post, own.facts AS here, coalesce(here.listed_since, 0) AS listed_since,
      CASE WHEN there.listed_since > coalesce(here.listed_since, 0) THEN there.listed_since
        ELSE coalesce(here.listed_since, 0) END AS since, board_projects.id AS project,
      facts.facts AS there, there.hash IS NULL OR there.missing = 2 OR (there.missing = 1 AND there.missing_run IS NOT NULL)
        AS is_gone,
      (SELECT max(began_at) FROM pulls WHERE pulls.project = there.project AND kind = 'complete') AS pulled_at,
      (SELECT string_agg(${place}, ',') FROM ${linked}) AS linked,
      (SELECT string_agg(${place}, ',') FROM ${marked}) AS marked,
      ${underWay} AS is_under_way
    FROM ${posts} JOIN post_facts AS own ON own.post = here.number
    CROSS JOIN board_projects ON board_projects.number <> ${project}
    CROSS JOIN posts AS there ON there.project = board_projects.number AND there.id = here.id
    LEFT JOIN post_facts AS facts ON facts.post = there.number
    WHERE ${which} AND here.project = ${project} AND here.hash IS NOT NULL AND here.missing = 0 AND here.unlinked_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM links WHERE links.project = here.project AND links.post = here.number)
      AND NOT EXISTS (SELECT 1 FROM intents INDEXED BY intents_open WHERE intents.project = here.project
        AND intents.post = here.number AND ended_at IS NULL AND state IN ('SENT', 'UNKNOWN'))
      AND (EXISTS (SELECT 1 FROM ${linked}) OR EXISTS (SELECT 1 FROM ${marked}) OR ${underWay}
        OR there.unlinked_at IS NOT NULL OR there.paused_at IS NOT NULL OR EXISTS (SELECT 1 FROM notes
          WHERE notes.post = there.number AND notes.cause = 'unsure' AND notes.action = 'create-issue'))
    ORDER BY here.id, board_projects.number`;
}

const place = sql`repository || '#' || number`;

function readPlaces(places: string | undefined): readonly IssueRef[] {
  return (places?.split(",") ?? []).map((one) => {
    const [repositoryId, number] = one.split("#").map(Number);
    return { repositoryId: repositoryId ?? 0, number: number ?? 0 };
  });
}

function toNamesake({ here, there, linked, marked, ...found }: NamesakeColumns): Namesake {
  return {
    ...found,
    here: decodePost(here).values,
    there: there === undefined ? undefined : decodePost(there).values,
    issues: [...readPlaces(linked), ...readPlaces(marked)],
  };
}
