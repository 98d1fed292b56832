import type { PlannedChange } from "../../src/model/link.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { parseMarker } from "../../src/plan/text/marker.ts";
import type { State } from "./state.ts";
import type { Check, Violate } from "./watcher.ts";

interface HeldLine {
  readonly post: PostId;
  readonly project: ProjectId;
  readonly kind: string;
  readonly planned: string | null;
}

/**
 * I10, what a person has not let go: what was held when a run began leaves in it only where somebody has approved it. A status
 * is told from another one by its value, and a hold that ends with its cause is left out; room in the guard, another person's order or a later run let nothing go.
 */
export function checkHolds(state: State, violate: Violate): Check {
  const select = state.look<[], HeldLine>(
    `SELECT posts.id AS post, board_projects.id AS project, notes.action AS kind, notes.planned AS planned
     FROM notes JOIN posts ON posts.number = notes.post JOIN board_projects ON board_projects.number = posts.project
     WHERE notes.kind = 'held' AND notes.signature IS NOT NULL
       AND notes.cause NOT IN ('public', 'named', 'other-address', 'namesake') AND notes.action IN ('create-issue', 'patch-post', 'create-post')`,
  );
  const linked = state.look<[number, number], { found: number }>(
    "SELECT 1 AS found FROM links WHERE repository = ? AND number = ?",
  );
  let held = new Set<string>();
  const approved = new Set<string>();
  const assertFree = (action: string, isHeard: boolean): void => {
    if (held.has(action) && !approved.has(action))
      violate("I10", `${action} leaves; it was held, and nobody has approved it`);
    if (isHeard) approved.delete(action);
  };
  const namesOf = (body: string): readonly string[] => {
    const { project, posts = [] } = parseMarker(body) ?? {};
    return posts.map((post) => `a new issue of ${project}/${post}`);
  };
  return {
    stateIsLost() {
      approved.clear();
    },
    // The answer was lost, and then the issue: for the program it was never opened, and what a person let go is still to be done.
    issueMoves({ isDeleted, repository, number, record }) {
      if (!isDeleted || linked(repository.id, number).length > 0) return;
      for (const name of namesOf(record.body)) approved.add(name);
    },
    personOrders(order) {
      const lines = select();
      // A link that a person gives up takes what was held of it along: the new issue is decided afresh.
      if (order.kind === "retry")
        for (const line of lines) if (order.posts.includes(line.post)) approved.add(nameOf(line));
      if (order.kind !== "approve") return;
      // What they name is what was held: a status by its value, as the state knows it by now.
      for (const { post, kind } of order.actions)
        for (const line of lines) if (line.post === post && line.kind === kind) approved.add(nameOf(line));
    },
    runBegins() {
      held = new Set(select().map(nameOf));
    },
    patchLeaves({ project, post, change, isHeard }) {
      if (change.status !== undefined)
        assertFree(`the status ${change.status} of ${project}/${post}`, isHeard);
    },
    toolCallLeaves({ purpose, subject, isHeard }) {
      if (purpose === "feedbackCreate") assertFree(`a post of ${subject}`, isHeard);
    },
    issueWriteLeaves({ write, isHeard }) {
      if (write.kind !== "create-issue") return;
      for (const name of namesOf(write.body)) assertFree(name, isHeard);
    },
  };
}

/** In a new place a post is decided afresh, as one is that was gone and comes back. */
function nameOf({ post, project, kind, planned }: HeldLine): string {
  if (kind === "create-issue") return `a new issue of ${project}/${post}`;
  if (kind === "create-post") return `a post of ${post}`;
  const { changes }: PlannedChange = planned === null ? { changes: [] } : JSON.parse(planned);
  return `the status ${changes.find(({ field }) => field === "status")?.to} of ${project}/${post}`;
}
