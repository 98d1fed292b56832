import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/schema.ts";
import { ConfigError } from "../../errors.ts";
import type { World } from "../../sync/ground/world.ts";
import type { Session } from "../open/session.ts";

/** What only a restart can change: the daemon holds it for as long as it lives. */
const heldFast: readonly (keyof Config)[] = ["state", "http"];

/** The config as of now: SIGHUP replaces it. */
export interface Following {
  session(): Session;
  /** When it was read, epoch ms. */
  readAt(): number;
}

/** Tells a run whether its config is still the one that it began with. */
export function followConfig(
  { session, readAt }: Following,
  { config }: Session,
): NonNullable<World["changedAt"]> {
  return () => (isDeepStrictEqual(session().config, config) ? undefined : readAt());
}

/**
 * Reads the config anew while a daemon runs. A good one holds from the next run on, and stops at once what a run under way would
 * still write by the old one, where it is another one; what is wrong with a bad one is said, line by line, and the old one goes on.
 *
 * @param take - called with the new session before anything has changed; when it throws, the old one goes on, too.
 * @returns the new session; undefined where the old one goes on.
 */
export async function readAnew(
  old: Session,
  take: (session: Session) => Promise<void>,
): Promise<Session | undefined> {
  try {
    const session = old.reopen();
    const held = heldFast.filter((name) => !isDeepStrictEqual(session.config[name], old.config[name]));
    const { state, http } = old.config;
    const next: Session = { ...session, config: { ...session.config, state, http } };
    await take(next);
    if (held.length > 0) {
      next.log.warn({ settings: held }, "These settings change only when the daemon is restarted");
    }
    // A container goes on with the file that it began with, where an editor has put another one in its place.
    const isSame = isDeepStrictEqual(next.config, old.config);
    next.log.info(
      { projects: next.projects.map(({ key }) => key) },
      isSame
        ? "The config was read anew, and says what it said before"
        : "The config was read anew; it holds from the next run on, and what it stops is stopped now",
    );
    return next;
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [String(error)];
    old.log.error({ problems }, "The new config is refused, and the old one goes on");
    return undefined;
  }
}

/**
 * Reads the secrets anew, before each run and order: so nobody has to say that there are new ones. What can't be read is said, once
 * for the same words, and the old ones go on.
 *
 * @param take - called with the new session.
 */
export function createRenewal(session: Following["session"], take: (session: Session) => void): () => void {
  let said = "";
  return () => {
    const old = session();
    try {
      const next = old.renew();
      said = "";
      if (next === undefined) return;
      take({ ...next, config: old.config });
      old.log.info({}, "New secrets were found, and are used from now on");
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems : [String(error)];
      if (said === problems.join("\n")) return;
      said = problems.join("\n");
      old.log.error({ problems }, "The secrets were read anew and can't be used; the old ones go on");
    }
  };
}
