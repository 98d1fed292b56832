import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/schema.ts";
import { ConfigError } from "../../errors.ts";
import type { World } from "../../sync/ground/world.ts";
import type { Session } from "../open/session.ts";
import type { Terminal } from "../print/terminal.ts";

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

/** The secrets of a daemon that one of its sides may refuse. */
export interface Renewal {
  /** Before a run: where the one before it was refused, a person may have put new secrets in their place. */
  before(): void;
  /** After a run: whether it was refused, and new secrets had been put in their place by then. */
  after(): boolean;
}

/**
 * Reads the secrets anew where a side has refused one, so that nobody has to say that there are new ones. What can't be read is
 * said, and the old ones go on.
 *
 * @param env - the environment of this process: what stands there is the same for as long as it lives.
 * @param take - called with the new session.
 */
export function createRenewal(
  env: Terminal["env"],
  session: Following["session"],
  take: (session: Session) => void,
): Renewal {
  let counted = { of: session(), refusals: countRefusals(session()) };
  let isDoubted = false;
  let saidOf: Session | undefined;
  const renew = (): boolean => {
    const old = session();
    try {
      const next = old.renew();
      if (next === undefined) return false;
      take({ ...next, config: old.config });
      old.log.info({}, "A secret was refused; new ones were found in their place, and are used from now on");
      return true;
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems : [String(error)];
      old.log.error({ problems }, "The secrets were read anew and can't be used; the old ones go on");
      return false;
    }
  };
  const sayWhatStays = (names: readonly string[]): void => {
    const fixed = names.filter((name) => Boolean(env[name]));
    if (fixed.length === 0 || saidOf === session()) return;
    saidOf = session();
    session().log.warn(
      { secrets: fixed },
      `${fixed.join(" and ")} was refused, and comes from the environment that the daemon was started with: start it again with the new value`,
    );
  };
  return {
    before() {
      if (isDoubted) renew();
    },
    after() {
      const of = session();
      const refusals = countRefusals(of);
      const known = counted.of === of ? counted.refusals : {};
      counted = { of, refusals };
      const grown = Object.entries(refusals).filter(([kind, count]) => count > (known[kind] ?? 0));
      isDoubted = grown.length > 0;
      if (!isDoubted) return false;
      const isRenewed = renew();
      if (!isRenewed) sayWhatStays(grown.flatMap(([kind]) => secretsBehind[kind] ?? []));
      return isRenewed;
    },
  };
}

/** Of a 401, which speaks of nothing but the secret. */
const secretsBehind: Readonly<Record<string, readonly string[]>> = {
  "board 401": ["BOARD_API_KEY"],
  "tracker 401": ["GITHUB_TOKEN", "GITHUB_APP_PRIVATE_KEY"],
};

/** How often each side has refused us: a secret of more rights may be let in where this one is not, or is shown nothing. */
function countRefusals({ sides: { board, tools, tracker } }: Session): Readonly<Record<string, number>> {
  const counts = ["401", "403", "404"].flatMap((code) => [
    [`board ${code}`, (board.answers.get(code) ?? 0) + (tools?.answers.get(code) ?? 0)],
    [`tracker ${code}`, tracker.answers.get(code) ?? 0],
  ]);
  return Object.fromEntries(counts);
}
