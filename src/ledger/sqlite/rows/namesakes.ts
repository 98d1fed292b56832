import { z } from "zod";
import type { PostId, ProjectId } from "../../../model/post.ts";
import type { Namesake } from "../../lookup.ts";
import { stored } from "../../stored.ts";
import { decodePost } from "../columns/facts.ts";
import { refShape } from "../columns/shapes.ts";
import type { Store } from "../file/store.ts";

interface Columns {
  post: PostId;
  here: string;
  listed_since: number | null;
  there_since: number | null;
  project: ProjectId;
  there: string | null;
  is_gone: number;
  pulled_at: number | null;
  linked: string;
  marked: string;
  is_under_way: number;
}

/** Posts of one id in several projects; looked up by the index of project and id, project by project. */
export function createNamesakes(
  store: Store,
): (project: number, posts: readonly PostId[] | undefined) => readonly Namesake[] {
  const selectDue = store.prepare<[{ project: number }], Columns>(
    selectFrom("posts AS here INDEXED BY posts_due", "here.due_at IS NOT NULL"),
  );
  const selectNamed = store.prepare<[{ project: number; posts: string }], Columns>(
    selectFrom("json_each(@posts) AS named CROSS JOIN posts AS here", "here.id = named.value"),
  );
  return (project, posts) =>
    (posts === undefined
      ? selectDue.all({ project })
      : selectNamed.all({ project, posts: JSON.stringify(posts) })
    ).map(toNamesake);
}

/** Of a post without a list that showed it, a list that was whole is one that lacked it. */
function selectFrom(posts: string, which: string): string {
  return `
    SELECT here.id AS post, own.facts AS here, here.listed_since AS listed_since,
      there.listed_since AS there_since, board_projects.id AS project,
      facts.facts AS there, there.hash IS NULL OR there.missing = 2 OR (there.missing = 1 AND there.missing_run IS NOT NULL)
        AS is_gone,
      (SELECT max(began_at) FROM pulls WHERE pulls.project = there.project AND kind = 'complete') AS pulled_at,
      (SELECT json_group_array(${place}) FROM links WHERE links.project = there.project AND links.post = there.number)
        AS linked,
      (SELECT json_group_array(${place}) FROM markers WHERE markers.post = there.number AND ${isNotEnded}) AS marked,
      EXISTS (SELECT 1 FROM intents INDEXED BY intents_open WHERE intents.project = there.project
        AND intents.post = there.number AND kind <> 'patch-post' AND ended_at IS NULL) AS is_under_way
    FROM ${posts} JOIN post_facts AS own ON own.post = here.number
    CROSS JOIN board_projects CROSS JOIN posts AS there LEFT JOIN post_facts AS facts ON facts.post = there.number
    WHERE ${which} AND here.project = @project AND here.hash IS NOT NULL AND here.missing = 0 AND here.unlinked_at IS NULL
      AND board_projects.number <> @project AND there.project = board_projects.number AND there.id = here.id
      AND NOT EXISTS (SELECT 1 FROM links WHERE links.project = here.project AND links.post = here.number)
      AND NOT EXISTS (SELECT 1 FROM intents INDEXED BY intents_open WHERE intents.project = here.project
        AND intents.post = here.number AND ended_at IS NULL AND state IN ('SENT', 'UNKNOWN'))
      AND (linked <> '[]' OR marked <> '[]' OR is_under_way OR there.unlinked_at IS NOT NULL OR there.paused_at IS NOT NULL)
    ORDER BY here.id, board_projects.number`;
}

const place = "json_object('repositoryId', repository, 'number', number)";

const isNotEnded = `NOT EXISTS (SELECT 1 FROM ended_links AS ended WHERE ended.post = markers.post
  AND ended.repository = markers.repository AND ended.number = markers.number)`;

const readPlaces = stored("links.number", () => z.array(refShape()));

function toNamesake(found: Columns): Namesake {
  const issues = [...readPlaces(found.linked), ...readPlaces(found.marked)];
  return {
    post: found.post,
    here: decodePost(found.here),
    listedSince: found.listed_since ?? 0,
    since: Math.max(found.listed_since ?? 0, found.there_since ?? 0),
    project: found.project,
    there: found.there === null ? undefined : decodePost(found.there),
    isGone: found.is_gone === 1,
    pulledAt: found.pulled_at ?? undefined,
    issues,
    isUnderWay: found.is_under_way === 1,
  };
}
