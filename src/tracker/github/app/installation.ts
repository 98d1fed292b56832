import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import type { NoAnswer } from "../../../http/send.ts";
import type { RepositoryName } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { minuteMs } from "../../../model/time.ts";
import { addressRepository } from "../wire/access.ts";
import { quoteAnswer } from "../wire/answers.ts";
import { type ClientAnswer, type ConnectionOptions, type Credential, call } from "../wire/client.ts";
import type { Gate } from "../wire/limits.ts";
import type { Read } from "../wire/reader.ts";
import { positiveInteger, readShape, splitName } from "../wire/shapes.ts";
import type { Quote } from "../wire/words.ts";
import type { AppAuth, InstallationToken } from "./app-auth.ts";

/** What an installation is found and signed in with. */
export interface InstallationTools extends Pick<ConnectionOptions, "clock" | "serverClock" | "quote"> {
  readonly app: AppAuth;
  /** Reads as the App. */
  readonly read: (bounds: ReadBounds) => Read;
  /** Of what the App asks as itself. */
  readonly gate: Gate;
  /** Whose requests are signed, as `Tracker.budgetOf` names it. */
  readonly budget: string;
  /** A repository of the owner, by which the installation is found. */
  readonly repository: () => RepositoryName;
}

/** A token lives for an hour; one that has less than this left is not begun with any more. */
const leastLeftMs = 5 * minuteMs;
/** GitHub needs some seconds until a new token is known everywhere; a 401 means nothing as long as that. */
const youngMs = 5_000;
const youngDelayMs = 1_000;
/** How long looking for an installation may take. */
const searchMs = minuteMs;

const needed = "It needs the permissions Issues (read and write) and Metadata (read)";

/** A token with the time when it came, by our clock, and whether it was refused while it was new. */
interface HeldToken extends InstallationToken {
  readonly since: number;
  isDoubted: boolean;
}

/**
 * Signs requests as the installation on one owner. The installation is looked for when it is first needed, and again when
 * it has vanished; its token is renewed before it expires, and after a 401.
 */
export function createInstallationCredential(tools: InstallationTools): Credential {
  const { app, clock, serverClock } = tools;
  let installationId: number | undefined;
  let held: HeldToken | undefined;
  let pending: Promise<HeldToken> | undefined;

  const renew = async (bounds: ReadBounds): Promise<HeldToken> => {
    const known = installationId;
    installationId ??= await findInstallation(tools, bounds);
    let made = await app.createToken(installationId);
    if (known !== undefined && "status" in made && made.status === 404) {
      installationId = undefined;
      installationId = await findInstallation(tools, bounds);
      made = await app.createToken(installationId);
    }
    if (!("token" in made)) throw refuseToken(tools, made);
    held = { ...made, since: clock.now(), isDoubted: false };
    return held;
  };

  /** One request for all who wait for it. Where that of somebody who was stopped is ended, the others ask anew. */
  const renewOnce = async (signal = new AbortController().signal): Promise<HeldToken> => {
    pending ??= renew({ until: clock.now() + searchMs, signal })
      .catch((error: unknown) => throwIn(tools.budget, error))
      .finally(() => {
        pending = undefined;
      });
    try {
      return await pending;
    } catch (error) {
      const isOfOther = error instanceof RemoteError && error.fault === "aborted" && !signal.aborted;
      if (isOfOther) return renewOnce(signal);
      throw error;
    }
  };

  return {
    async authorize(signal) {
      const isGood = held !== undefined && held.expiresAt - serverClock.now() > leastLeftMs;
      return `token ${(held !== undefined && isGood ? held : await renewOnce(signal)).token}`;
    },
    refuse(authorization) {
      // Another request may have renewed it meanwhile.
      if (held === undefined || authorization !== `token ${held.token}`) return 0;
      if (clock.now() - held.since < youngMs && !held.isDoubted) {
        held.isDoubted = true;
        return youngDelayMs;
      }
      held = undefined;
      return 0;
    },
    mayWriteIssues: () => held && held.permissions["issues"] === "write",
    secrets: () => (held === undefined ? [] : [held.token]),
  };
}

const installationShape = z.object({ id: positiveInteger, suspended_at: z.unknown().optional() });

/** @throws RemoteError `missing` where the App is not installed, `unauthorized` where its installation is suspended. */
async function findInstallation(tools: InstallationTools, bounds: ReadBounds): Promise<number> {
  const { read, quote } = tools;
  const name = tools.repository();
  const { owner } = splitName(name);
  const request = call(({ rest }) => rest.apps.getRepoInstallation, addressRepository(name, quote));
  const answer = await read(bounds)({ ...request, subject: `the App's installation on ${owner}` });
  if (answer.status === 404) {
    const message = `The GitHub App is not installed on ${owner}, or its installation there does not include ${name}. Install it on ${owner}, and choose this repository. ${needed}.`;
    throw new RemoteError("tracker", "missing", message, { detail: "told" });
  }
  if (answer.status !== 200) throw refuseApp(answer, quote);
  const { id, suspended_at: suspendedAt } = readShape(installationShape, answer.data, "installation");
  if (typeof suspendedAt === "string") throw suspended(owner);
  return id;
}

/** Why there is no token: no request of ours has left without one. */
function refuseToken(tools: InstallationTools, answer: ClientAnswer | NoAnswer): RemoteError {
  const name = tools.repository();
  const { owner } = splitName(name);
  if ("kind" in answer) {
    const message = `GitHub gave no token for the App's installation on ${owner}: it ${answer.message}.`;
    return new RemoteError("tracker", "unreachable", message, {
      detail: answer.detail === "proxy" ? "proxy" : undefined,
    });
  }
  const retryAt = tools.gate.observe(answer);
  if (retryAt !== undefined) {
    const message = `GitHub's limit for the App is reached; nothing is asked before ${new Date(retryAt).toISOString()}.`;
    return new RemoteError("tracker", "limited", message, { retryAt });
  }
  const words = quoteAnswer(answer, tools.quote);
  if (answer.status === 403 && /\bsuspended\b/i.test(words)) return suspended(owner);
  return refuseApp(answer, tools.quote);
}

/** What is wrong with the App itself. */
export function refuseApp(answer: ClientAnswer, quote: Quote): RemoteError {
  const { status } = answer;
  const words = quoteAnswer(answer, quote);
  if (status >= 500) {
    const message = `GitHub answered ${status} to the App: ${words}.`;
    return new RemoteError("tracker", "unreachable", message, { detail: "server" });
  }
  const said = `GitHub does not accept the App (${status}): ${words.replace(/\.$/, "")}.`;
  const isOfKey = status === 401 || status === 404;
  if (!isOfKey)
    return new RemoteError("tracker", "unauthorized", said, { concerns: "all", detail: "forbidden" });
  if (ofClock.test(words)) {
    const message = `${said} The clock of this machine is wrong: set it.`;
    return new RemoteError("tracker", "unauthorized", message, { concerns: "all", detail: "told" });
  }
  const message = `${said} The key must be one of this App's.`;
  return new RemoteError("tracker", "unauthorized", message, { concerns: "all" });
}

/** Each statement of an App says when it was signed and when it ends. */
const ofClock = /\b(?:exp|iat)\b|\bexpiration time\b|\bissued at\b/i;

/** Whoever hears of it ends the work of this installation for the run, and of no other. */
function throwIn(budget: string, error: unknown): never {
  if (!(error instanceof RemoteError)) throw error;
  const { side, fault, message, cause, retryAt, detail, concerns } = error;
  const when = retryAt !== undefined && { retryAt };
  throw new RemoteError(side, fault, message, { cause, budget, detail, concerns, ...when });
}

function suspended(owner: string): RemoteError {
  const message = `The GitHub App's installation on ${owner} is suspended, so nothing can be read or written there. Whoever administers ${owner} can end that in its settings, under GitHub Apps.`;
  return new RemoteError("tracker", "unauthorized", message, { detail: "told", concerns: "all" });
}
