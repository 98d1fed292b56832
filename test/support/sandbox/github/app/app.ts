import { createVerify, randomBytes } from "node:crypto";
import type { Answer } from "../../loopback/loopback.ts";
import { notFound, refuse } from "../rest/answer.ts";
import { createLimitCounter, type LimitCounter, type SandboxLimits } from "../rest/limits.ts";
import type { GuardedRequest } from "../rest/routes.ts";
import { findRepository, type GitHubState, nextId, type StoredRepository } from "../state/state.ts";

/** What an App may do, such as `{ issues: "write", metadata: "read" }`. */
export type AppPermissions = Readonly<Record<string, "read" | "write">>;

/** A GitHub App as a test wants it. */
export interface AppSetup {
  readonly id: number;
  /** It acts as `slug[bot]`. */
  readonly slug: string;
  /** PEM of the public half of its key. */
  readonly publicKey: string;
  readonly installations?: readonly InstallationSetup[];
}

/** Where an App is installed. */
interface InstallationSetup {
  readonly owner: string;
  /** Names of the repositories that were chosen; all of the owner's without it. */
  readonly repositories?: readonly string[];
  /** Issues to write and metadata to read without it. */
  readonly permissions?: AppPermissions;
}

/** An installation with its tokens. */
export interface StoredInstallation {
  readonly id: number;
  readonly owner: string;
  readonly createdAt: number;
  readonly limits: LimitCounter;
  repositories: readonly string[] | undefined;
  permissions: AppPermissions;
  /** Epoch ms; undefined while it is not suspended. */
  suspendedAt: number | undefined;
  /** When each token expires, epoch ms. */
  readonly tokens: Map<string, number>;
}

/** An App with all of its installations, by id. */
export interface StoredApp {
  readonly setup: AppSetup;
  readonly installations: Map<number, StoredInstallation>;
}

/** What owners do with the App. An owner without an installation throws. */
export interface SandboxAppOwners {
  install(setup: InstallationSetup): void;
  uninstall(owner: string): void;
  suspend(owner: string, isSuspended?: boolean): void;
  setPermissions(owner: string, permissions: AppPermissions): void;
  setLimits(owner: string, limits: Partial<SandboxLimits>): void;
  /** Ends every token of the installation before its time. */
  revokeTokens(owner: string): void;
  /** Every token that was ever given out, of any installation, oldest first. */
  readonly tokens: readonly string[];
}

const tokenLifeMs = 3_600_000;
const longestJwtSeconds = 600;

/** The App, and the hands of owners on it. */
export function createApp(
  state: GitHubState,
  setup: AppSetup,
  limits: () => SandboxLimits,
): { readonly app: StoredApp; readonly owners: SandboxAppOwners; readonly giveToken: GiveToken } {
  const app: StoredApp = { setup, installations: new Map() };
  const tokens: string[] = [];
  const ownLimits = new Map<number, Partial<SandboxLimits>>();

  function find(owner: string): StoredInstallation {
    const found = installationOf(app, owner);
    if (found === undefined) throw new Error(`The sandbox's App is not installed on ${owner}.`);
    return found;
  }

  const owners: SandboxAppOwners = {
    install({ owner, repositories, permissions = { issues: "write", metadata: "read" } }) {
      const id = nextId(state);
      app.installations.set(id, {
        id,
        owner,
        createdAt: state.clock.now(),
        limits: createLimitCounter(state.clock, () => ({ ...limits(), ...ownLimits.get(id) })),
        repositories,
        permissions,
        suspendedAt: undefined,
        tokens: new Map(),
      });
    },
    uninstall(owner) {
      app.installations.delete(find(owner).id);
    },
    suspend(owner, isSuspended = true) {
      find(owner).suspendedAt = isSuspended ? state.clock.now() : undefined;
    },
    setPermissions(owner, permissions) {
      find(owner).permissions = permissions;
    },
    setLimits(owner, changes) {
      ownLimits.set(find(owner).id, changes);
    },
    revokeTokens(owner) {
      find(owner).tokens.clear();
    },
    tokens,
  };
  for (const installation of setup.installations ?? []) owners.install(installation);

  return {
    app,
    owners,
    giveToken(installation) {
      // The new form is long and has no fixed length: https://github.blog/changelog, `ghs_APPID_JWT`.
      const token = `ghs_${setup.id}_${randomBytes(180).toString("base64url")}`;
      const expiresAt = state.clock.now() + tokenLifeMs;
      installation.tokens.set(token, expiresAt);
      tokens.push(token);
      return { token, expiresAt };
    },
  };
}

/** Gives an installation one more token. */
export type GiveToken = (installation: StoredInstallation) => { token: string; expiresAt: number };

/** The installation on an owner. */
export function installationOf(app: StoredApp, owner: string): StoredInstallation | undefined {
  const wanted = owner.toLowerCase();
  return [...app.installations.values()].find((one) => one.owner.toLowerCase() === wanted);
}

/** The installation that a token belongs to, while the token is valid. */
export function installationByToken(
  app: StoredApp,
  token: string,
  now: number,
): StoredInstallation | undefined {
  return [...app.installations.values()].find((one) => (one.tokens.get(token) ?? 0) > now);
}

/** Whether an installation includes a repository. */
export function includes(
  state: GitHubState,
  installation: StoredInstallation,
  { id, name }: StoredRepository,
): boolean {
  if (name.split("/")[0]?.toLowerCase() !== installation.owner.toLowerCase()) return false;
  const { repositories } = installation;
  return (
    repositories === undefined || repositories.some((chosen) => findRepository(state, chosen)?.id === id)
  );
}

/** The refusal of what an installation may not do with a repository, with the header that names what it would need. */
export function refuseInstallation(
  state: GitHubState,
  installation: StoredInstallation,
  request: GuardedRequest,
): Answer | undefined {
  const { method, repository, rest } = request;
  const isRead = method === "GET";
  if (!includes(state, installation, repository)) {
    return isRead && !repository.isPrivate ? undefined : notFound();
  }
  const name = rest === "" ? "metadata" : "issues";
  const held = installation.permissions[name];
  if (held === "write" || (isRead && held === "read")) return undefined;
  const refusal = refuse(403, "Resource not accessible by integration");
  return {
    ...refusal,
    headers: { "x-accepted-github-permissions": `${name}=${isRead ? "read" : "write"}` },
  };
}

/** What a JSON web token of an App says, and by when it must be believed. */
interface Expectation {
  /** The App's id, as the issuer. */
  readonly issuer: number;
  /** PEM of the public half of the App's key. */
  readonly publicKey: string;
  /** Epoch ms, by the server's clock. */
  readonly now: number;
}

/** Whether a token has the form of a JSON web token, which only an App sends. */
export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/u.test(token);
}

/** Why a JSON web token is refused, in GitHub's words; undefined for a good one. The signature is really verified. */
export function refuseJwt(token: string, { issuer, publicKey, now }: Expectation): string | undefined {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const isSigned = createVerify("RSA-SHA256")
    .update(`${header}.${payload}`)
    .verify(publicKey, Buffer.from(signature, "base64url"));
  if (!isSigned || decode(header)["alg"] !== "RS256") return "A JSON web token could not be decoded";
  const { iss, iat, exp } = decode(payload);
  if (String(iss) !== String(issuer)) return "Integration not found";
  const seconds = now / 1000;
  if (!Number.isInteger(exp) || Number(exp) <= seconds) {
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  }
  if (Number(exp) - seconds > longestJwtSeconds) {
    return "'Expiration time' claim ('exp') is too far in the future";
  }
  if (!Number.isInteger(iat) || Number(iat) > seconds) {
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  }
  return undefined;
}

function decode(part: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
}
