import type { PostId } from "../../../model/post.ts";
import type { KnownPull, Lookup } from "../../lookup.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Plain } from "../file/plain.ts";
import type { Store } from "../file/store.ts";
import { createNamesakes } from "./namesakes.ts";

/** How much longer or shorter an id may be that somebody has mistyped. */
const slack = 2;

/** What a person asks for by name. */
export function createLookup(store: Store, numbers: Numbers): Plain<Lookup> {
  const selectPull = store.prepare<[number], KnownPull>(`
    SELECT run, began_at AS beganAt, kind FROM pulls
    WHERE project = ? AND kind IN ('complete', 'usable') ORDER BY number DESC LIMIT 1`);
  const selectShared = store.prepare<[number, string], { url: string }>(`
    SELECT facts ->> '$.url' AS url FROM posts JOIN post_facts ON post_facts.post = posts.number
    WHERE project = ? AND facts ->> '$.url' IN (SELECT value FROM json_each(?)) GROUP BY 1 HAVING count(*) > 1`);
  const selectBeginning = store.prepare<[{ project: number; text: string; limit: number }], { id: PostId }>(`
    SELECT id FROM posts WHERE project = @project AND id > @text AND id < @text || char(0x10ffff) AND hash IS NOT NULL
    ORDER BY id LIMIT @limit`);
  const selectAlike = store.prepare<
    [{ project: number; least: number; most: number; limit: number }],
    { id: PostId }
  >(`
    SELECT id FROM posts WHERE project = @project AND hash IS NOT NULL AND length(id) BETWEEN @least AND @most
    ORDER BY id LIMIT @limit`);
  const namesakes = createNamesakes(store);
  return {
    namesakes(project, posts) {
      const number = numbers.findProject(project);
      return number === undefined ? [] : namesakes(number, posts);
    },
    sharedPages(project, urls) {
      const number = numbers.findProject(project);
      if (number === undefined || urls.length === 0) return new Set();
      return new Set(selectShared.all(number, JSON.stringify(urls)).map(({ url }) => url));
    },
    lastPull(project) {
      const number = numbers.findProject(project);
      return number === undefined ? undefined : selectPull.get(number);
    },
    postsLike(project, text, limit) {
      const number = numbers.findProject(project);
      if (number === undefined) return [];
      const beginning = selectBeginning.all({ project: number, text, limit });
      const [least, most] = [text.length - slack, text.length + slack];
      const alike = selectAlike.all({ project: number, least, most, limit });
      return [...new Set([...beginning, ...alike].map(({ id }) => id))];
    },
  };
}
