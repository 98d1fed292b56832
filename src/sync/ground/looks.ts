import { ProjectError, RemoteError } from "../../errors.ts";
import { minuteMs } from "../../model/time.ts";
import { isPutOff } from "./report.ts";
import type { Look, Run, World } from "./world.ts";

/** A look of another run counts for this long: a post is not written from an older one, either. */
const sharedForMs = minuteMs;

/** What a look belongs to. */
type Looking = {
  readonly world: Pick<World, "clock">;
  readonly run: Pick<Run, "number" | "looks" | "dueAt">;
};

/**
 * Looks at something that projects share, once: the first project that needs it looks, the others use what is in the state
 * then. If the look fails, it fails for all of them; but a limit, or the end of the run's time, only puts the first one off.
 *
 * A look of this run counts until its end. One of another run counts for a minute, if it began after this run became due: so
 * every project sees at least what it would have seen by itself.
 *
 * @param name - of what is looked at, the same for every project.
 * @returns what `work` found; undefined where it need not look any more, and what was found is in the state.
 * @throws what `work` throws, or threw before.
 */
export async function lookOnce<T>(
  cycle: Looking,
  name: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const known = findLook(cycle, name);
  if (known?.error !== undefined) throw known.error;
  if (known !== undefined) return undefined;
  const { run, world } = cycle;
  const look: Look = { run: run.number, at: world.clock.now() };
  try {
    const found = await work();
    run.looks.set(name, look);
    return found;
  } catch (error) {
    const isAnswer = error instanceof ProjectError || (error instanceof RemoteError && !isPutOff(error));
    if (isAnswer) run.looks.set(name, { ...look, error });
    throw error;
  }
}

/** Whether something need not be looked at again; a look that failed is one, too. */
export function isLookedAt(cycle: Looking, name: string): boolean {
  return findLook(cycle, name) !== undefined;
}

/** Remembers one look at many things. */
export function noteLooks({ run }: Looking, names: readonly string[], at: number): void {
  const look: Look = { run: run.number, at };
  for (const name of names) run.looks.set(name, look);
}

/** Drops what no later run can use. */
export function forgetOldLooks(looks: Run["looks"], now: number): void {
  for (const [name, { at }] of looks) if (!isYoung(at, now)) looks.delete(name);
}

function findLook({ world, run }: Looking, name: string): Look | undefined {
  const look = run.looks.get(name);
  if (look === undefined || look.run === run.number) return look;
  return look.at >= run.dueAt && isYoung(look.at, world.clock.now()) ? look : undefined;
}

/** A clock that was set back makes no look young. */
function isYoung(at: number, now: number): boolean {
  return at <= now && now - at < sharedForMs;
}
