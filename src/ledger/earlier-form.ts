import { StateError } from "../errors.ts";

/** The state is of a form that `boardsync state copy` reads, and nothing else. */
export class EarlierFormError extends StateError {
  constructor(place: string) {
    super(
      `The state at ${place} was written by an earlier version, in a form that is only copied from: \`boardsync state copy ${place} NEW\` makes a new file of it, or fills an empty database. Then name that as \`state\` in the config.`,
    );
  }
}
