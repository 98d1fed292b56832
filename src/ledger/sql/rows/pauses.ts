import type { IntentKind, WholePause } from "../../../model/link.ts";
import type { ProjectId } from "../../../model/post.ts";
import type { IntentId } from "../../journal.ts";
import type { Sent, SentOf } from "../../ledger.ts";
import type { RequestId } from "../../orders.ts";
import type { Changes, Queries } from "../columns/numbers.ts";
import { type RequestColumns, readRequest } from "../journal/requests.ts";
import { markedDue, type Statements } from "../statements.ts";
import type { Asked } from "../store.ts";

/** In `pauses.project`: the pause of all projects. */
const allProjects = 0;

/** The pause of all projects, and then of the one with a number. */
export function selectWholePauses(on: Statements, project: number): Asked<WholePause[]> {
  return on.all`
    SELECT CASE project WHEN ${allProjects} THEN 'all' ELSE 'project' END AS "of", since FROM pauses
    WHERE project IN (${allProjects}, ${project}) ORDER BY project`;
}

/** Pauses of posts, of whole projects, and of all. */
export function createPauses(on: Queries) {
  const { run, get, all, numbers } = on;
  const askedOf = (project: number) => all<RequestColumns>`
    SELECT id, at, request FROM requests WHERE ${project} = ${allProjects} OR project = ${project}`;
  const dropRequest = (id: RequestId) => run`DELETE FROM requests WHERE id = ${id}`;
  /** Those of a project, or of all, with a note of one of these kinds. */
  const markDue = (project: number, kinds: readonly string[]) => run`
    UPDATE posts SET ${markedDue} WHERE number IN (
      SELECT notes.post FROM EACH TEXT ${kinds} AS wanted
      CROSS JOIN board_projects ON ${project} = ${allProjects} OR board_projects.number = ${project}
      CROSS JOIN notes ON notes.project = board_projects.number AND notes.kind = wanted.value)`;
  const numberOf = function* (project: ProjectId | undefined): Asked<number> {
    return project === undefined ? allProjects : yield* numbers.project(project);
  };
  return {
    *wholePauses(id: ProjectId | undefined) {
      const project = id === undefined ? allProjects : yield* numbers.findProject(id);
      return yield* selectWholePauses(on, project);
    },
    /** What is seen right after the commit of a write that leaves: of an intent of a kind also which it is. */
    *sent({ project: id, post }: SentOf, kind: IntentKind | undefined): Asked<Sent> {
      const project = yield* numbers.findProject(id);
      const [own, [whole], intent] = yield* on.together([
        get<{ at: number }>`
          SELECT paused_at AS at FROM posts WHERE project = ${project} AND id = ${post} AND paused_at IS NOT NULL`,
        selectWholePauses(on, project),
        get<{ id: IntentId }>`
          SELECT intents.id AS id FROM intents JOIN posts ON posts.number = intents.post
          WHERE intents.project = ${project} AND posts.project = ${project} AND posts.id = ${post} AND kind = ${kind}
            AND ended_at IS NULL`,
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
        yield* run`UPDATE posts SET paused_at = coalesce(paused_at, ${at}), ${markedDue} WHERE number = ${post}`;
        for (const { id, request } of yield* askedOf(project)) {
          const found = readRequest(request);
          const isResume = found.kind === "resume" || found.kind === "resume-discard";
          if (isResume && found.posts.includes(of.post)) yield* dropRequest(id);
        }
      },
      *resume({ request, ...of }) {
        const [, post] = yield* numbers.place(of);
        yield* run`
          UPDATE posts SET paused_at = NULL, ${markedDue} WHERE number = ${post}
            AND EXISTS (SELECT 1 FROM requests WHERE requests.id = ${request})`;
      },
      *"pause-whole"({ project: of, at: since }) {
        const project = yield* numberOf(of);
        yield* run`INSERT INTO pauses (project, since) VALUES (${project}, ${since}) ON CONFLICT (project) DO NOTHING`;
        for (const { id, request } of yield* askedOf(project))
          if (readRequest(request).kind === "resume-project") yield* dropRequest(id);
        yield* markDue(project, ["settling", "waiting"]);
      },
      *"resume-whole"({ project: of, request }) {
        const project = yield* numberOf(of);
        yield* run`
          DELETE FROM pauses WHERE project = ${project}
            AND (${request} IS NULL OR EXISTS (SELECT 1 FROM requests WHERE requests.id = ${request}))`;
        yield* markDue(project, ["paused"]);
      },
    } satisfies Partial<Changes>,
  };
}
