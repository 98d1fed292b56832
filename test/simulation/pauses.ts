import type { Ledger } from "../../src/ledger/ledger.ts";
import type { NewRequest } from "../../src/ledger/orders.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { hashText } from "../../src/plan/ground/hash.ts";
import { select } from "../../src/select.ts";
import { kindOf } from "./checks-state.ts";
import type { Step } from "./history.ts";
import type { Odds } from "./odds.ts";
import { homeOf, placesOf } from "./places.ts";
import { startLife } from "./process.ts";
import type { Random } from "./random.ts";
import type { RunEnd, Stage } from "./stage.ts";
import type { State } from "./state.ts";
import type { Check, Violate } from "./watcher.ts";

/**
 * In some histories people pause posts and resume them, now and then in the middle of a run. That is drawn apart, and what is
 * put between the other steps changes nothing of what those draw: the other histories are what their seeds drew before.
 */
export function addPauses(steps: readonly Step[], random: Random, odds: Odds): readonly Step[] {
  if (!random.chance(odds.pauses)) return steps;
  const all = [...steps];
  for (let count = random.between(1, 5); count > 0; count -= 1) {
    const seed = random.seed();
    const request = random.between(1, random.pick([4, 8, 20]));
    const step: Step = random.chance(0.3) ? { kind: "pausing", seed, request } : { kind: "pause", seed };
    all.splice(random.between(1, all.length), 0, step);
  }
  return all;
}

/** A post, and the project in which a person sees it. */
interface Seen {
  readonly post: PostId;
  readonly project: ProjectId;
}

/** Somebody pauses a post, or resumes one that is paused, as the commands do. */
export async function pauseSomething(stage: Stage, random: Random): Promise<string> {
  const ledger = stage.state.open(startLife());
  const { running, paused } = await findPosts(stage, ledger);
  const isResumed = paused.length > 0 && random.chance(0.6);
  const posts = isResumed ? paused : [...running, ...paused];
  if (posts.length === 0) return "nobody knows a post to pause";
  const seen = random.pick(posts);
  if (!isResumed) {
    pause(stage, ledger, seen);
    return `somebody pauses ${seen.post}`;
  }
  const kind = random.chance(0.6) ? "resume" : "resume-discard";
  await resume(stage, ledger, kind, seen);
  return `somebody orders ${kind} ${seen.post}`;
}

/** At the end every other post is resumed: what came together must be told then. The others rest as they are. */
export async function resumeSome(stage: Stage): Promise<void> {
  const ledger = stage.state.open(startLife());
  const { paused } = await findPosts(stage, ledger);
  const others = stage.board.posts.filter((_, index) => index % 2 === 0).map(({ id }) => id);
  for (const seen of paused) if (others.includes(seen.post)) await resume(stage, ledger, "resume", seen);
}

async function resume(
  { time, scenario, watch, counts }: Stage,
  ledger: Ledger,
  kind: "resume" | "resume-discard",
  { post, project }: Seen,
): Promise<void> {
  const request: NewRequest = { kind, posts: [post], project, at: time.now() + scenario.skewMs };
  await ledger.commit([{ kind: "add-request", request }]);
  watch.events.personOrders(request, []);
  counts.note(`orders: ${kind}`);
}

/** What somebody does in the middle of a run; undefined where there is no post to do it to. */
export async function planPause(stage: Stage, random: Random): Promise<RunEnd["act"]> {
  const ledger = stage.state.open(startLife());
  const { running } = await findPosts(stage, ledger);
  const seen = running.length === 0 ? undefined : random.pick(running);
  // Its issues may follow it to another project in this very run.
  const selectPlace = stage.state.look<[PostId], Pick<Seen, "project">>(`
    SELECT board_projects.id AS project FROM posts JOIN links ON links.post = posts.number
    JOIN board_projects ON board_projects.number = posts.project WHERE posts.id = ? ORDER BY missing LIMIT 1`);
  return seen && (() => pause(stage, ledger, { ...seen, ...selectPlace(seen.post)[0] }));
}

/** The state has it when this returns: nothing of a commit waits. */
function pause(
  { time, scenario, watch, counts, wire }: Stage,
  ledger: Ledger,
  { post, project }: Seen,
): void {
  watch.events.personPauses(post);
  void ledger.commit([{ kind: "pause", project, post, at: time.now() + scenario.skewMs }]);
  counts.note("orders: pause");
  wire.tell(`somebody pauses ${post}`);
}

/**
 * A post is paused where its issues are, or else where the board shows it: a pause in a new place that its issues have yet to follow to
 * stays there if the post goes back before that.
 */
async function findPosts(stage: Stage, ledger: Ledger) {
  const paused: Seen[] = [];
  const running: Seen[] = [];
  for (const shown of stage.board.posts) {
    const { id: post } = shown;
    const { project, row } = await homeOf(ledger, stage, shown);
    if (row === undefined) continue;
    const [held] = await select(
      placesOf(stage.scenario),
      async ({ id }) => (await ledger.rows.row(id, post, 0))?.pausedAt !== undefined,
    );
    if (held === undefined) running.push({ post, project });
    else paused.push({ post, project: held.id });
  }
  return { paused, running };
}

interface Line {
  readonly id: number;
  readonly post: PostId;
}

/**
 * I17: nothing leaves for a post that a person has paused, to either side, until somebody orders otherwise. What was marked
 * SENT by then is under way.
 */
export function checkPauses(state: State, violate: Violate): Check {
  const sent = state.look<[string, string], Line>(
    `SELECT intents.id AS id, posts.id AS post FROM intents JOIN posts ON posts.number = intents.post
     WHERE state = 'SENT' AND kind = ? AND body_hash = ?`,
  );
  const leaving = state.look<[string], Line>(
    `SELECT intents.id AS id, posts.id AS post FROM intents JOIN posts ON posts.number = intents.post
     WHERE state = 'SENT' AND posts.id = ?`,
  );
  const inState = state.look<[], { readonly post: PostId }>(
    `SELECT posts.id AS post FROM posts WHERE paused_at IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM requests WHERE request ->> '$.kind' LIKE 'resume%'
         AND posts.id IN (SELECT value FROM json_each(request, '$.posts')))`,
  );
  let paused = new Set<PostId>();
  let underWay = new Set<number>();
  const assertFree = (kind: string, body: object, words: string): void => {
    if (paused.size === 0) return;
    const lines = sent(kind, hashText(JSON.stringify(body)));
    const isPaused = ({ id, post }: Line): boolean => paused.has(post) && !underWay.has(id);
    if (lines.length > 0 && lines.every(isPaused))
      violate("I17", `${words} leaves for ${lines[0]?.post}, which a person has paused`);
  };
  return {
    personPauses(post) {
      paused.add(post);
      for (const { id } of leaving(post)) underWay.add(id);
    },
    runBegins() {
      underWay = new Set();
    },
    personOrders(order) {
      if (order.kind !== "resume" && order.kind !== "resume-discard") return;
      for (const post of order.posts) paused.delete(post);
    },
    stateIsLost() {
      paused.clear();
    },
    copyReturns() {
      paused = new Set(inState().map(({ post }) => post));
    },
    patchLeaves({ post, change }) {
      assertFree(
        change.internalNote === undefined ? "patch-post" : "patch-note",
        change,
        `a PATCH of ${post}`,
      );
    },
    issueWriteLeaves({ write, repository }) {
      const kind = kindOf(write);
      if (kind !== undefined) assertFree(kind, write, `${write.kind} in ${repository.name}`);
    },
  };
}
