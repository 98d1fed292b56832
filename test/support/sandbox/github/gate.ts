import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Answer } from "../loopback/loopback.ts";
import {
  installationByToken,
  looksLikeJwt,
  refuseInstallation,
  refuseJwt,
  type StoredInstallation,
} from "./app/app.ts";
import { type AppSide, routeApp } from "./app/routes.ts";
import type { AnswerQuery } from "./graphql/graphql.ts";
import { notFound, refuse, type SandboxQuirks } from "./rest/answer.ts";
import type { LimitCounter } from "./rest/limits.ts";
import { route } from "./rest/routes.ts";
import type { GitHubState } from "./state/state.ts";

/** A request as it came in. */
export interface RawRequest {
  readonly method: string;
  /** Below the API's root, still encoded, without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What stands between the network and the endpoints. */
export interface Gate {
  readonly state: GitHubState;
  readonly quirks: SandboxQuirks;
  readonly limits: LimitCounter;
  readonly graphQL: AnswerQuery;
  readonly graphQLLimits: LimitCounter;
  /** Logins by token. */
  readonly tokens: ReadonlyMap<string, string>;
  /** undefined where no App is registered. */
  readonly app: AppSide | undefined;
}

/** Who sends a request: an account, perhaps that of an installation, or an App as itself. */
type Caller =
  | {
      readonly kind: "account";
      readonly account: string;
      readonly limits: LimitCounter;
      readonly installation: StoredInstallation | undefined;
    }
  | { readonly kind: "app"; readonly side: AppSide };

const contentPath = /\/issues(?:\/\d+\/comments)?$/u;

/** Lets a request in, or says why not, and gives the answer its headers. */
export function answer(gate: Gate, request: RawRequest): Answer {
  const { headers, method, path, query, text } = request;
  if (headers["user-agent"] === undefined) {
    return refuse(
      403,
      "Request forbidden by administrative rules. Please make sure your request has a User-Agent header",
    );
  }
  const version = headers["x-github-api-version"];
  if (typeof version === "string" && !gate.quirks.apiVersions.includes(version)) {
    return refuse(400, `The API version '${version}' is not supported.`);
  }
  const token = readToken(headers.authorization);
  if (token === undefined) return refuse(401, "Requires authentication");
  const caller = recognise(gate, token);
  if (!("kind" in caller)) return caller;
  if (caller.kind === "app") return routeApp(gate.state, caller.side, { method, path });
  if (method === "POST" && path === "/graphql") return answerQuery(gate, text);
  const { account, limits, installation } = caller;
  const isContent = method === "POST" && contentPath.test(path);
  const answered =
    limits.refuse(isContent) ??
    (path.endsWith("/")
      ? notFound()
      : route(gate.state, gate.quirks, {
          ...{ method, path, query, text, account },
          ...(installation && { guard: (asked) => refuseInstallation(gate.state, installation, asked) }),
        }));
  const tagged = method === "GET" ? tag(answered, token, request) : answered;
  if (tagged.status === 304) limits.giveBack();
  return { ...tagged, headers: { ...limits.headers(), ...tagged.headers } };
}

/** GraphQL has a limit of its own, and says so in an error of a 200. */
function answerQuery({ graphQL, graphQLLimits }: Gate, text: string): Answer {
  const refusal = graphQLLimits.refuse(false);
  const headers = graphQLLimits.headers();
  const error = { type: "RATE_LIMITED", message: "API rate limit exceeded for user ID 1001." };
  const answered = refusal === undefined ? graphQL(text) : { status: 200, body: { errors: [error] } };
  const hasLimits = Object.keys(headers).length > 0;
  return { ...answered, headers: hasLimits ? { ...headers, "x-ratelimit-resource": "graphql" } : {} };
}

/** Who a token belongs to, or the refusal of it. Each installation has limits of its own. */
function recognise({ tokens, app: side, limits, state }: Gate, token: string): Caller | Answer {
  const account = tokens.get(token);
  if (account !== undefined) return { kind: "account", account, limits, installation: undefined };
  if (side === undefined) return refuse(401, "Bad credentials");
  const { setup } = side.app;
  const now = state.clock.now();
  const installation = installationByToken(side.app, token, now);
  if (installation !== undefined) {
    return { kind: "account", account: `${setup.slug}[bot]`, limits: installation.limits, installation };
  }
  if (!looksLikeJwt(token)) return refuse(401, "Bad credentials");
  const reason = refuseJwt(token, { issuer: setup.id, publicKey: setup.publicKey, now });
  return reason === undefined ? { kind: "app", side } : refuse(401, reason);
}

function readToken(authorization: string | undefined): string | undefined {
  return /^(?:bearer|token) (?<token>\S+)$/iu.exec(authorization ?? "")?.groups?.["token"];
}

/** An ETag holds for one token and one URL; the same content under either other gets another one. */
function tag(answered: Answer, token: string, { path, query, headers }: RawRequest): Answer {
  if (answered.status !== 200) return answered;
  const seen = [token, path, query.toString(), JSON.stringify(answered.body)];
  const etag = `"${createHash("sha256").update(JSON.stringify(seen)).digest("hex")}"`;
  const asked = headers["if-none-match"] ?? "";
  if (asked.split(/,\s*/u).some((one) => one.replace(/^W\//u, "") === etag)) {
    return { status: 304, headers: { etag: `W/${etag}` } };
  }
  return { ...answered, headers: { ...answered.headers, etag: `W/${etag}` } };
}
