import { createPrivateKey, sign } from "node:crypto";
import type { NoAnswer } from "../../../http/send.ts";
import { minuteMs, readInstant } from "../../../model/time.ts";
import {
  type ClientAnswer,
  type ConnectionOptions,
  type Credential,
  createOctokit,
  readFailure,
} from "../wire/client.ts";
import { lost } from "../wire/transport.ts";

/** How a GitHub App signs in. */
export interface AppKey {
  /** The App's id, or its client id. */
  readonly appId: string;
  /** PEM: PKCS#1 as GitHub gives it, or PKCS#8. */
  readonly privateKey: string;
}

/** A token of an installation, as it was made. */
export interface InstallationToken {
  readonly token: string;
  /** Epoch ms of the server's clock. */
  readonly expiresAt: number;
  readonly permissions: Readonly<Record<string, unknown>>;
}

/** What a GitHub App does as itself. */
export type AppAuth = ReturnType<typeof signInAsApp>;

/** GitHub takes statements of at most ten minutes, and none that was issued in the future. */
const lifeMs = 8 * minuteMs;
const marginMs = minuteMs;
/** A statement is signed anew when less than this is left of it. */
const leastLeftMs = 2 * minuteMs;
/** How far from the truth our idea of the server's clock must have been for a refused statement to be worth another one. */
const notableSkewMs = 2_000;

const unreadable = lost("gave an answer that holds no token");

/** A signed statement of who we are (a JSON web token), and the server's clock by which it was made. */
interface Statement {
  readonly jwt: string;
  readonly expiresAt: number;
  readonly aheadMs: number;
}

/**
 * Signs in by `@octokit/auth-app`, without its hook: that repeats every request that gets a 401 in a token's first five
 * seconds, POSTs too, and keeps tokens by the machine's clock. Here the server's clock counts, as its answers tell it.
 *
 * @param conceal - is told each secret before it is used.
 */
export function signInAsApp(
  { appId, privateKey }: AppKey,
  options: ConnectionOptions,
  conceal: (secret: string) => void,
) {
  const { serverClock, clock } = options;
  const key = createPrivateKey(privateKey);
  let current: Statement | undefined;

  const state = (): Statement => {
    const now = serverClock.now();
    if (current !== undefined && current.expiresAt - now > leastLeftMs) return current;
    const expiresAt = now + lifeMs;
    const claims = { iat: toSeconds(now - marginMs), exp: toSeconds(expiresAt), iss: appId };
    const text = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
    const jwt = `${text}.${sign("RSA-SHA256", Buffer.from(text), key).toString("base64url")}`;
    conceal(jwt);
    current = { jwt, expiresAt, aheadMs: now - clock.now() };
    return current;
  };

  const refuse = (): number | undefined => {
    const aheadMs = serverClock.now() - clock.now();
    if (current === undefined || Math.abs(aheadMs - current.aheadMs) < notableSkewMs) return undefined;
    current = undefined;
    return 0;
  };

  const requestToken = async (
    installationId: number,
  ): Promise<InstallationToken | ClientAnswer | NoAnswer> => {
    try {
      // Loaded for the first token: most sign in without an App.
      const { createAppAuth } = await import("@octokit/auth-app");
      const authenticate = createAppAuth({
        appId,
        createJwt: () => {
          const { jwt, expiresAt } = state();
          return Promise.resolve({ jwt, expiresAt: new Date(expiresAt).toISOString() });
        },
        request: createOctokit(options).request,
        log: { warn: () => {} },
      });
      const made = await authenticate({ type: "installation", installationId, refresh: true });
      // The package hands on whatever the answer held.
      const token: unknown = made.token;
      const expiresAt = readInstant(made.expiresAt);
      if (typeof token !== "string" || Number.isNaN(expiresAt)) return unreadable;
      conceal(token);
      return { token, permissions: made.permissions, expiresAt };
    } catch (error) {
      return readFailure(error);
    }
  };

  const credential: Credential = {
    authorize: () => Promise.resolve(`bearer ${state().jwt}`),
    refuse,
    secrets: () => (current === undefined ? [] : [current.jwt]),
  };
  return {
    /** Signs requests as the App. */
    credential,
    /** Makes a token of an installation: one request, or two when the first one told how wrong our clock is. */
    async createToken(installationId: number): Promise<InstallationToken | ClientAnswer | NoAnswer> {
      const first = await requestToken(installationId);
      const isRefused = "status" in first && first.status === 401 && refuse() !== undefined;
      return isRefused ? requestToken(installationId) : first;
    },
  };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

function toSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}
