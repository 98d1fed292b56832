import type { PostId, ProjectId } from "../../../model/post.ts";
import type { KnownPull, Lookup } from "../../rows.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Asked, Plain, Store } from "../store.ts";
import { createNamesakes } from "./namesakes.ts";

/** How much longer or shorter an id may be that somebody has mistyped. */
const slack = 2;

/** What a person asks for by name. */
export function createLookup(store: Store, numbers: Numbers): Plain<Lookup> {
  const selectPull = store.prepare<[number], KnownPull>(`
    SELECT run, began_at AS "beganAt", kind FROM pulls
    WHERE project = ? AND kind IN ('complete', 'usable') ORDER BY number DESC LIMIT 1`);
  const selectShared = store.prepare<[number, string], { url: string }>(`
    SELECT url FROM posts JOIN post_facts ON post_facts.post = posts.number
    WHERE project = ? AND url IN (SELECT one.value FROM EACH TEXT ? AS one) GROUP BY url HAVING count(*) > 1`);
  const selectBeginning = store.prepare<
    [{ project: number; text: string; end: string; limit: number }],
    { id: PostId }
  >(`
    SELECT id FROM posts WHERE project = @project AND id > @text AND id < @end AND hash IS NOT NULL
    ORDER BY id LIMIT @limit`);
  const selectAlike = store.prepare<
    [{ project: number; least: number; most: number; limit: number }],
    { id: PostId }
  >(`
    SELECT id FROM posts WHERE project = @project AND hash IS NOT NULL AND length(id) BETWEEN @least AND @most
    ORDER BY id LIMIT @limit`);
  const selectElsewhere = store.prepare<
    [{ post: PostId; projects: string }],
    { project: ProjectId; is_listed: number; pulled_at: number | null }
  >(`
    SELECT board_projects.id AS project,
      EXISTS (SELECT 1 FROM posts WHERE posts.project = board_projects.number AND posts.id = @post
        AND hash IS NOT NULL AND missing = 0) AS is_listed,
      (SELECT max(began_at) FROM pulls WHERE pulls.project = board_projects.number AND kind = 'complete') AS pulled_at
    FROM EACH TEXT @projects AS one CROSS JOIN board_projects ON board_projects.id = one.value`);
  const namesakes = createNamesakes(store);
  return {
    namesakes: (project, posts) => numbers.ofProject(project, [], (number) => namesakes(number, posts)),
    *elsewhere(post, projects) {
      const found = yield* selectElsewhere.all({ post, projects: JSON.stringify(projects) });
      return found.map(({ project, is_listed, pulled_at }) => ({
        project,
        isListed: is_listed === 1,
        pulledAt: pulled_at ?? undefined,
      }));
    },
    sharedPages: (project, urls) =>
      numbers.ofProject(project, new Set<string>(), function* (number): Asked<ReadonlySet<string>> {
        if (urls.length === 0) return new Set();
        return new Set((yield* selectShared.all(number, JSON.stringify(urls))).map(({ url }) => url));
      }),
    lastPull: (project) => numbers.ofProject(project, undefined, (number) => selectPull.get(number)),
    postsLike: (project, text, limit) =>
      numbers.ofProject(project, [], function* (number): Asked<readonly PostId[]> {
        const end = `${text}\u{10ffff}`;
        const beginning = yield* selectBeginning.all({ project: number, text, end, limit });
        const [least, most] = [text.length - slack, text.length + slack];
        const alike = yield* selectAlike.all({ project: number, least, most, limit });
        return [...new Set([...beginning, ...alike].map(({ id }) => id))];
      }),
  };
}
