import type { ListEnd } from "../board/board.ts";
import { RemoteError } from "../errors.ts";
import type { PostField } from "../model/post.ts";
import { isShrunk } from "../plan/guard.ts";
import type { Cycle } from "./cycle-state.ts";

export interface BoardPull {
  readonly seen: ReadonlySet<PostField>;
  /** Why the project is held although the pull came through: the board suddenly shows too little. */
  readonly hold: string | undefined;
  readonly isComplete: boolean;
}

/**
 * Reads every post of the project, page by page; each page is one transaction. A pull that breaks off keeps what it has
 * seen, and its absences mean nothing.
 *
 * @throws RemoteError when not even the first page could be read, or the key is refused.
 */
export async function pullBoard(cycle: Cycle): Promise<BoardPull> {
  const { world, run, memory, tally } = cycle;
  const { ledger, clock, board, log } = world;
  const pull = ledger.pulls.begin(memory.id, run.number, clock.now());
  const seen = new Set<PostField>();
  let pages = 0;
  let end: ListEnd | undefined;
  try {
    for await (const page of board.listPosts(memory.id, run.bounds)) {
      ledger.pulls.storePosts(pull, page.posts, clock.now());
      for (const field of page.seen) seen.add(field);
      for (const message of page.unusable) {
        log.warn({ project: cycle.project.key, reason: message }, "A record of the board could not be used");
      }
      pages += 1;
      end = page.end;
    }
  } catch (error) {
    ledger.pulls.end(pull, { kind: "incomplete", at: clock.now() });
    if (pages === 0 || !(error instanceof RemoteError) || error.fault === "unauthorized") throw error;
    tally.errors.push({
      code: "board.incomplete",
      message: `The list of posts broke off after ${pages} pages: ${error.message}`,
    });
    return { seen: union(seen, memory.seen), hold: undefined, isComplete: false };
  }
  return endPull(cycle, pull, end, seen);
}

function endPull(
  cycle: Cycle,
  pull: ReturnType<Cycle["world"]["ledger"]["pulls"]["begin"]>,
  end: ListEnd | undefined,
  seen: ReadonlySet<PostField>,
): BoardPull {
  const { world, memory, tally, project } = cycle;
  const { ledger, clock, log } = world;
  if (end === undefined || end.kind === "incomplete") {
    const message = end?.message ?? "The list of posts ended without an end.";
    ledger.pulls.end(pull, { kind: "incomplete", at: clock.now() });
    tally.errors.push({ code: "board.incomplete", message });
    return { seen: union(seen, memory.seen), hold: undefined, isComplete: false };
  }
  if (end.kind === "cut") log.warn({ project: project.key }, end.message);
  const shrunk = end.kind === "complete" ? isShrunk(ledger.pulls.measure(pull)) : undefined;
  // A board that shrank is looked at again before anything is counted as missing.
  const isUsable = end.kind === "cut" || shrunk !== undefined;
  ledger.transaction(() => {
    ledger.pulls.end(pull, { kind: isUsable ? "usable" : "complete", at: clock.now() });
    ledger.memory.rememberProject({ ...currentMemory(cycle), seen: [...seen] });
  });
  return { seen, hold: shrunk, isComplete: !isUsable };
}

function currentMemory(cycle: Cycle): Cycle["memory"] {
  return cycle.world.ledger.memory.project(cycle.project.key) ?? cycle.memory;
}

function union(one: Iterable<PostField>, other: Iterable<PostField>): ReadonlySet<PostField> {
  return new Set([...one, ...other]);
}
