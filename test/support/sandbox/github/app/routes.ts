import type { Answer } from "../../loopback/loopback.ts";
import { notFound, redirect, refuse } from "../rest/answer.ts";
import { accountShape, type Shape } from "../rest/shapes.ts";
import { findRepository, type GitHubState, timestamp } from "../state/state.ts";
import { type GiveToken, includes, installationOf, type StoredApp, type StoredInstallation } from "./app.ts";

/** What an App asks for as itself, once its JSON web token was accepted. */
export interface AppRequest {
  readonly method: string;
  /** Below the API's root, still encoded. */
  readonly path: string;
}

/** The App with what its endpoints need. */
export interface AppSide {
  readonly app: StoredApp;
  readonly giveToken: GiveToken;
}

/** Finds the endpoint of an App's request and asks it. What belongs to an installation is none of the App's own. */
export function routeApp(state: GitHubState, side: AppSide, { method, path }: AppRequest): Answer {
  const { app } = side;
  if (method === "GET" && path === "/app") return { status: 200, body: appShape(state, app) };
  const byId = /^\/app\/installations\/(?<id>\d+)(?<rest>\/access_tokens)?$/u.exec(path)?.groups;
  if (byId) {
    const installation = app.installations.get(Number(byId["id"]));
    if (installation === undefined) return notFound();
    if (byId["rest"] === undefined) return method === "GET" ? show(state, app, installation) : notFound();
    return method === "POST" ? createToken(side, installation) : notFound();
  }
  const byName = /^\/(?:repos\/(?<name>[^/]+\/[^/]+)|repositories\/(?<id>\d+))\/installation$/u.exec(path);
  if (method === "GET" && byName?.groups) return findInstallation(state, app, byName.groups);
  return refuse(403, "Resource not accessible by integration");
}

function findInstallation(
  state: GitHubState,
  app: StoredApp,
  { name, id }: Readonly<Record<string, string | undefined>>,
): Answer {
  const wanted = decodeURIComponent(name ?? "");
  const repository = id === undefined ? findRepository(state, wanted) : state.repositories.get(Number(id));
  if (!repository?.isVisible) return notFound();
  if (id === undefined && repository.name.toLowerCase() !== wanted.toLowerCase()) {
    return redirect(301, `${state.url}/repositories/${repository.id}/installation`);
  }
  const installation = installationOf(app, repository.name.split("/")[0] ?? "");
  if (installation === undefined || !includes(state, installation, repository)) return notFound();
  return show(state, app, installation);
}

function show(state: GitHubState, app: StoredApp, installation: StoredInstallation): Answer {
  return { status: 200, body: installationShape(state, app, installation) };
}

function createToken({ giveToken }: AppSide, installation: StoredInstallation): Answer {
  if (installation.suspendedAt !== undefined) return refuse(403, "This installation has been suspended");
  const { token, expiresAt } = giveToken(installation);
  const { permissions, repositories } = installation;
  return {
    status: 201,
    body: {
      token,
      expires_at: timestamp(expiresAt),
      permissions,
      repository_selection: repositories === undefined ? "all" : "selected",
    },
  };
}

/** `integration`. */
export function appShape(state: GitHubState, { setup, installations }: StoredApp): Shape {
  const { id, slug } = setup;
  return {
    id,
    slug,
    node_id: `A_${id}`,
    owner: accountShape(state, "acme"),
    name: slug,
    description: null,
    external_url: "https://boardsync.example",
    html_url: `${new URL(state.url).origin}/apps/${slug}`,
    created_at: "2020-01-01T00:00:00Z",
    updated_at: "2020-01-01T00:00:00Z",
    permissions: { issues: "write", metadata: "read" },
    events: [],
    installations_count: installations.size,
  };
}

/** `installation`. */
function installationShape(
  state: GitHubState,
  { setup }: StoredApp,
  installation: StoredInstallation,
): Shape {
  const { id, owner, permissions, repositories, createdAt, suspendedAt } = installation;
  const url = `${state.url}/app/installations/${id}`;
  return {
    id,
    account: accountShape(state, owner),
    repository_selection: repositories === undefined ? "all" : "selected",
    access_tokens_url: `${url}/access_tokens`,
    repositories_url: `${state.url}/installation/repositories`,
    html_url: `${new URL(state.url).origin}/settings/installations/${id}`,
    app_id: setup.id,
    app_slug: setup.slug,
    target_id: id,
    target_type: "Organization",
    permissions,
    events: [],
    single_file_name: null,
    created_at: timestamp(createdAt),
    updated_at: timestamp(createdAt),
    suspended_by: suspendedAt === undefined ? null : accountShape(state, owner),
    suspended_at: suspendedAt === undefined ? null : timestamp(suspendedAt),
  };
}
