import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { Answer } from "../../loopback/loopback.ts";
import { notFound } from "../rest/answer.ts";
import { accountShape } from "../rest/shapes.ts";
import { type GitHubState, nextId } from "../state/state.ts";
import type { AppPermissions, AppSetup, StoredApp } from "./app.ts";
import { appShape } from "./routes.ts";

/** A manifest, as far as it is looked at. */
interface Manifest {
  readonly name?: unknown;
  readonly url?: unknown;
  readonly redirect_url?: unknown;
  readonly hook_attributes?: { readonly url?: unknown };
  readonly default_permissions?: AppPermissions;
  readonly default_events?: readonly string[];
}

/** Registers Apps from manifests: the page that a browser posts the form to, and the code's exchange for the key. */
export interface Manifests {
  /** The page, which agrees for the person at once; undefined for every other path. `path` is that of the whole server. */
  postForm(path: string, query: URLSearchParams, text: string): Answer | undefined;
  /** The exchange; undefined for every other path below the API's root. It needs no token. */
  redeem(method: string, path: string): Answer | undefined;
}

/** An App that waits for its code to come back. */
interface Waiting {
  readonly manifest: Manifest;
  readonly owner: string;
}

/** @param register - makes the sandbox's App of it. */
export function createManifests(
  state: GitHubState,
  login: string,
  register: (setup: AppSetup) => StoredApp,
): Manifests {
  const waiting = new Map<string, Waiting>();
  return {
    postForm(path, query, text) {
      const place = /^\/(?:organizations\/(?<owner>[^/]+)\/)?settings\/apps\/new$/u.exec(path);
      if (place === null) return undefined;
      const manifest = parse(new URLSearchParams(text).get("manifest"));
      const fault = manifest === undefined ? "it is no JSON" : findFault(manifest);
      if (manifest === undefined || fault !== undefined) {
        return { status: 422, body: `Invalid GitHub App configuration. Error: ${fault}` };
      }
      const code = randomBytes(20).toString("hex");
      waiting.set(code, { manifest, owner: place.groups?.["owner"] ?? login });
      const back = new URL(String(manifest.redirect_url));
      back.searchParams.set("code", code);
      const given = query.get("state");
      if (given !== null) back.searchParams.set("state", given);
      return { status: 302, headers: { location: back.href } };
    },
    redeem(method, path) {
      const code = /^\/app-manifests\/(?<code>[^/]+)\/conversions$/u.exec(path)?.groups?.["code"];
      if (code === undefined) return undefined;
      const found = waiting.get(code);
      if (method !== "POST" || found === undefined) return notFound();
      waiting.delete(code);
      return convert(state, found, register);
    },
  };
}

function convert(
  state: GitHubState,
  { manifest, owner }: Waiting,
  register: (setup: AppSetup) => StoredApp,
): Answer {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const name = String(manifest.name);
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-");
  const app = register({ id: nextId(state), slug, publicKey });
  return {
    status: 201,
    body: {
      ...appShape(state, app),
      name,
      owner: accountShape(state, owner),
      permissions: manifest.default_permissions ?? {},
      events: manifest.default_events ?? [],
      client_id: `Iv23${randomBytes(8).toString("hex")}`,
      client_secret: randomBytes(20).toString("hex"),
      webhook_secret: manifest.hook_attributes === undefined ? null : randomBytes(20).toString("hex"),
      pem: privateKey,
    },
  };
}

function parse(text: string | null): Manifest | undefined {
  try {
    const manifest: unknown = JSON.parse(text ?? "");
    return typeof manifest === "object" && manifest !== null ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** The permission that an event needs; GitHub refuses one without. */
const permissionOf: Readonly<Record<string, string>> = {
  issues: "issues",
  label: "issues",
  milestone: "issues",
  sub_issues: "issues",
  repository: "metadata",
  pull_request: "pull_requests",
  release: "contents",
  projects_v2_item: "organization_projects",
};

function findFault(manifest: Manifest): string | undefined {
  const {
    name,
    url,
    redirect_url: back,
    hook_attributes: hook,
    default_permissions: permissions = {},
  } = manifest;
  // GitHub names the field of `hook_attributes` without its parent.
  if (!isAddress(url) || (hook !== undefined && !isAddress(hook.url))) return '"url" wasn\'t supplied.';
  if (!isAddress(back)) return '"redirect_url" wasn\'t supplied.';
  if (typeof name !== "string" || name === "" || name.length > 34)
    return "Name is too long (maximum is 34 characters)";
  const unsupported = (manifest.default_events ?? []).find(
    (event) => !((permissionOf[event] ?? "") in permissions),
  );
  return unsupported === undefined
    ? undefined
    : `Default events are not supported by permissions: ${unsupported}`;
}

function isAddress(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value);
}
