import type { IssueRef } from "../../../model/issue.ts";
import type { PostId, ProjectId } from "../../../model/post.ts";
import type { Namesake } from "../../rows.ts";
import { decodePost } from "../columns/facts.ts";
import type { Asked, Store } from "../store.ts";

interface Columns {
  post: PostId;
  here: string;
  listed_since: number | null;
  there_since: number | null;
  project: ProjectId;
  there: string | null;
  is_gone: number;
  pulled_at: number | null;
  linked: string | null;
  marked: string | null;
  is_under_way: number;
}

/** Posts of one id in several projects; looked up by the index of project and id, project by project. */
export function createNamesakes(
  store: Store,
): (project: number, posts: readonly PostId[] | undefined) => Asked<readonly Namesake[]> {
  const selectDue = store.prepare<[{ project: number }], Columns>(
    selectFrom("posts AS here INDEXED BY posts_due", "here.due_at IS NOT NULL"),
  );
  const selectNamed = store.prepare<[{ project: number; posts: string }], Columns>(
    selectFrom("EACH TEXT @posts AS named CROSS JOIN posts AS here ON here.id = named.value", "true"),
  );
  return function* (project, posts) {
    const found = yield* posts === undefined
      ? selectDue.all({ project })
      : selectNamed.all({ project, posts: JSON.stringify(posts) });
    return found.map(toNamesake);
  };
}

/** Of a post without a list that showed it, a list that was whole is one that lacked it. */
function selectFrom(posts: string, which: string): string {
  const linked = "links WHERE links.project = there.project AND links.post = there.number";
  const marked = `markers WHERE markers.post = there.number AND NOT EXISTS (SELECT 1 FROM ended_links AS ended
    WHERE ended.post = markers.post AND ended.repository = markers.repository AND ended.number = markers.number)`;
  const underWay = `EXISTS (SELECT 1 FROM intents INDEXED BY intents_open WHERE intents.project = there.project
    AND intents.post = there.number AND kind <> 'patch-post' AND ended_at IS NULL)`;
  return `
    SELECT here.id AS post, own.facts AS here, here.listed_since AS listed_since,
      there.listed_since AS there_since, board_projects.id AS project,
      facts.facts AS there, there.hash IS NULL OR there.missing = 2 OR (there.missing = 1 AND there.missing_run IS NOT NULL)
        AS is_gone,
      (SELECT max(began_at) FROM pulls WHERE pulls.project = there.project AND kind = 'complete') AS pulled_at,
      (SELECT string_agg(${place}, ',') FROM ${linked}) AS linked,
      (SELECT string_agg(${place}, ',') FROM ${marked}) AS marked,
      ${underWay} AS is_under_way
    FROM ${posts} JOIN post_facts AS own ON own.post = here.number
    CROSS JOIN board_projects ON board_projects.number <> @project
    CROSS JOIN posts AS there ON there.project = board_projects.number AND there.id = here.id
    LEFT JOIN post_facts AS facts ON facts.post = there.number
    WHERE ${which} AND here.project = @project AND here.hash IS NOT NULL AND here.missing = 0 AND here.unlinked_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM links WHERE links.project = here.project AND links.post = here.number)
      AND NOT EXISTS (SELECT 1 FROM intents INDEXED BY intents_open WHERE intents.project = here.project
        AND intents.post = here.number AND ended_at IS NULL AND state IN ('SENT', 'UNKNOWN'))
      AND (EXISTS (SELECT 1 FROM ${linked}) OR EXISTS (SELECT 1 FROM ${marked}) OR ${underWay}
        OR there.unlinked_at IS NOT NULL OR there.paused_at IS NOT NULL)
    ORDER BY here.id, board_projects.number`;
}

const place = "repository || '#' || number";

function readPlaces(places: string | null): readonly IssueRef[] {
  return (places?.split(",") ?? []).map((one) => {
    const [repositoryId, number] = one.split("#").map(Number);
    return { repositoryId: repositoryId ?? 0, number: number ?? 0 };
  });
}

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
