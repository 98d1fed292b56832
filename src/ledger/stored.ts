import type { z } from "zod";
import { StateError } from "../errors.ts";

/**
 * What reads JSON of the state. What is not as boardsync writes it is no mistake of the program's: somebody has changed the state,
 * or a disk has.
 *
 * @param place - table and column, such as `issues.facts`.
 * @param shape - see `later`.
 */
export function stored<T>(place: string, shape: () => z.ZodType<T>): (text: string) => T {
  const made = later(shape);
  return (text) => check(place, made(), parse(place, text));
}

/** Made where it is used first: to make all shapes of the state takes 10 ms, and most runs need a few. */
export function later<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The same of JSON that is parsed already. */
export function check<T>(place: string, shape: z.ZodType<T>, value: unknown): T {
  const found = shape.safeParse(value);
  if (found.success) return found.data;
  const path = found.error.issues[0]?.path.join(".");
  throw unusable(place, path ? `\`${path}\` is missing or of the wrong kind` : "it is of the wrong kind");
}

/** The same where whoever asks for it looks at what it is. */
export function parse(place: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable(place, "it is no JSON");
  }
}

/** The error for what stands in a place and was never written there. */
export function unusable(place: string, why: string): StateError {
  const [table, column] = place.split(".");
  return new StateError(
    `The state can't be read, because \`${column}\` in its table \`${table}\` is not what boardsync writes (${why}): restore a backup, or put the state aside and run \`boardsync rebuild\`.`,
  );
}

/** The state is of a form that `boardsync state copy` reads, and nothing else. */
export class EarlierFormError extends StateError {
  constructor(place: string) {
    super(
      `The state at ${place} was written by an earlier version, in a form that is only copied from: \`boardsync state copy ${place} NEW\` makes a new file of it, or fills an empty database. Then name that as \`state\` in the config.`,
    );
  }
}
