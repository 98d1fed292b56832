import type { IntentKind, WholePause } from "../../../model/link.ts";
import type { ProjectId } from "../../../model/post.ts";
import type { IntentId } from "../../journal.ts";
import type { Sent, SentOf } from "../../ledger.ts";
import type { Rows } from "../../rows.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { type RequestColumns, readRequest } from "../journal/requests.ts";
import { markedDue } from "../schema.ts";
import type { Asked, Plain, Query, Store } from "../store.ts";

/** In `pauses.project`: the pause of all projects. */
const allProjects = 0;

/** The pause of all projects, and then of the one with a number. */
export function prepareWholePauses(store: Store): Query<[project: number], WholePause> {
  return store.prepare(
    `SELECT CASE project WHEN ${allProjects} THEN 'all' ELSE 'project' END AS "of", since FROM pauses
     WHERE project IN (${allProjects}, ?) ORDER BY project`,
  );
}

/** Reads what is seen right after the commit of a write that leaves: of an intent of a kind also which it is. */
export interface SentReader {
  sent(of: SentOf, kind: IntentKind | undefined): Asked<Sent>;
}

/** Pauses of posts, of whole projects, and of all. */
export function createPauses(
  store: Store,
  numbers: Numbers,
): Plain<Pick<Rows, "wholePauses">> &
  Carrying<"pause" | "resume" | "pause-whole" | "resume-whole"> &
  SentReader {
  const selectWhole = prepareWholePauses(store);
  const selectPaused = store.prepare<[{ project: number; post: string | null }], { at: number }>(
    "SELECT paused_at AS at FROM posts WHERE project = @project AND id = @post AND paused_at IS NOT NULL",
  );
  const selectId = store.prepare<
    [{ project: number; post: string | null; kind: string | null }],
    { id: IntentId }
  >(`
    SELECT intents.id AS id FROM intents JOIN posts ON posts.number = intents.post
    WHERE intents.project = @project AND posts.project = @project AND posts.id = @post AND kind = @kind
      AND ended_at IS NULL`);
  const pause = store.prepare<[number, number]>(
    `UPDATE posts SET paused_at = coalesce(paused_at, ?), ${markedDue} WHERE number = ?`,
  );
  const resume = store.prepare<[number, number]>(`
    UPDATE posts SET paused_at = NULL, ${markedDue} WHERE number = ?
      AND EXISTS (SELECT 1 FROM requests WHERE requests.id = ?)`);
  const insert = store.prepare<[number, number]>(
    "INSERT INTO pauses (project, since) VALUES (?, ?) ON CONFLICT (project) DO NOTHING",
  );
  const remove = store.prepare<[{ project: number; request: number | null }]>(`
    DELETE FROM pauses WHERE project = @project
      AND (@request IS NULL OR EXISTS (SELECT 1 FROM requests WHERE requests.id = @request))`);
  const selectRequests = store.prepare<[{ project: number }], RequestColumns>(
    `SELECT id, at, request FROM requests WHERE @project = ${allProjects} OR project = @project`,
  );
  const dropRequest = store.prepare<[number]>("DELETE FROM requests WHERE id = ?");
  const markDue = store.prepare<[{ project: number; kinds: string }]>(`
    UPDATE posts SET ${markedDue} WHERE number IN (
      SELECT notes.post FROM EACH TEXT @kinds AS wanted
      CROSS JOIN board_projects ON @project = ${allProjects} OR board_projects.number = @project
      CROSS JOIN notes ON notes.project = board_projects.number AND notes.kind = wanted.value)`);
  const numberOf = function* (project: ProjectId | undefined): Asked<number> {
    return project === undefined ? allProjects : yield* numbers.project(project);
  };
  return {
    *wholePauses(project) {
      return yield* selectWhole.all(
        project === undefined ? allProjects : yield* numbers.findProject(project),
      );
    },
    *sent({ project: id, post }, kind) {
      const project = yield* numbers.findProject(id);
      const of = { project, post: post ?? null };
      const [own, [whole], intent] = yield* store.together([
        selectPaused.get(of),
        selectWhole.all(project),
        selectId.get({ ...of, kind: kind ?? null }),
      ]);
      return {
        intent: intent?.id,
        ...(own && { pausedAt: own.at }),
        ...(whole && { wholePause: whole }),
      };
    },
    changes: {
      *pause({ at, ...of }) {
        const [project, post] = yield* numbers.place(of);
        yield* pause.run(at, post);
        for (const { id, request } of yield* selectRequests.all({ project })) {
          const found = readRequest(request);
          const isResume = found.kind === "resume" || found.kind === "resume-discard";
          if (isResume && found.posts.includes(of.post)) yield* dropRequest.run(id);
        }
      },
      *resume({ request, ...of }) {
        yield* resume.run((yield* numbers.place(of))[1], request);
      },
      *"pause-whole"({ project: id, at }) {
        const project = yield* numberOf(id);
        yield* insert.run(project, at);
        for (const { id: request, request: asked } of yield* selectRequests.all({ project }))
          if (readRequest(asked).kind === "resume-project") yield* dropRequest.run(request);
        yield* markDue.run({ project, kinds: '["settling", "waiting"]' });
      },
      *"resume-whole"({ project: id, request }) {
        const project = yield* numberOf(id);
        yield* remove.run({ project, request: request ?? null });
        yield* markDue.run({ project, kinds: '["paused"]' });
      },
    },
  };
}
