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
export function followConfig({ session, readAt }: Following, began: Session): NonNullable<World["changed"]> {
  return () => {
    const now = session();
    if (now === began) return undefined;
    const { board, tracker } = began.config;
    const hasOtherSides = now.config.board.url !== board.url || now.config.tracker.url !== tracker.url;
    return { at: readAt(), projects: now.projects, hasOtherSides };
  };
}

/**
 * Reads the config anew while a daemon runs. A good one holds from the next run on, and stops at once what a run under way would
 * still write by the old one, as far as it is another one for that project; what is wrong with a bad one is said,
 * line by line, and the old one goes on.
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
    const next: Session = { ...session, config: keepFrom(old.config, session.config) };
    await take(next);
    if (held.length > 0) {
      next.log.warn({ settings: held }, "These settings change only when the daemon is restarted");
    }
    next.log.info(
      { projects: next.projects.map(({ key }) => key) },
      "The config was read anew; it holds from the next run on, and what it stops is stopped now",
    );
    return next;
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [String(error)];
    old.log.error({ problems }, "The new config is refused, and the old one goes on");
    return undefined;
  }
}

function keepFrom(old: Config, config: Config): Config {
  return { ...config, state: old.state, http: old.http };
}
