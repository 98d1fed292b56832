import { randomBytes } from "node:crypto";
import { type Answer, notFound, refuse } from "../answer.ts";
import { createLimitCounter, type LimitCounter, type SandboxLimits } from "../limits.ts";
import { findRepository, type GitHubState, nextId, type StoredRepository } from "../state.ts";

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
  request: { readonly method: string; readonly repository: StoredRepository; readonly rest: string },
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
