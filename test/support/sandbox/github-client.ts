import { createOpenApiValidator, type OpenApiValidator } from "../openapi.ts";
import { type SandboxGitHub, type SandboxGitHubOptions, startSandboxGitHub } from "./github/github.ts";

/** An answer of the sandbox, its JSON parsed. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON object; empty without one. */
  readonly body: JsonObject;
  /** The JSON list; empty without one. */
  readonly rows: readonly JsonObject[];
}

/** A parsed JSON object whose shape the OpenAPI description has vouched for. */
type JsonObject = Readonly<Record<string, unknown>>;

/** A sandbox whose clock stands still until the test moves it, and a client. */
export interface Fixture {
  readonly github: SandboxGitHub;
  readonly clock: { now(): number; pass(ms: number): void };
  /** Sends a request. Whatever comes back must agree with GitHub's OpenAPI description. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Received>;
}

/** When the clock of every fixture starts. */
export const start = Date.parse("2026-01-05T10:00:00.400Z");

let validator: OpenApiValidator | undefined;

/** Starts a sandbox with the repository acme/app. */
export async function startFixture(options: SandboxGitHubOptions = {}): Promise<Fixture> {
  let now = start;
  const clock = {
    now: () => now,
    pass(ms: number) {
      now += ms;
    },
  };
  const github = await startSandboxGitHub({ clock, repositories: [{ name: "acme/app" }], ...options });

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Received> {
    const response = await fetch(path.startsWith("http") ? path : `${github.url}${path}`, {
      method,
      redirect: "manual",
      headers: { authorization: `Bearer ${github.token}`, "user-agent": "test", ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json: unknown = text === "" ? undefined : JSON.parse(text);
    const request = github.requests.at(-1);
    validator ??= createOpenApiValidator();
    const problems = request ? validator.checkAnswer(request, response.status, json) : [];
    if (problems.length > 0) throw new Error(problems.join("\n"));
    const rows: readonly JsonObject[] = Array.isArray(json) ? json : [];
    const object = rows.length === 0 && typeof json === "object" ? { ...json } : {};
    return { status: response.status, headers: response.headers, body: object, rows };
  }

  return { github, clock, send };
}
