import type { Answer } from "../../loopback/loopback.ts";
import type { GitHubState, StoredRepository } from "../state/state.ts";

/** One request, once its path and its token are known. */
export interface Call {
  readonly state: GitHubState;
  readonly repository: StoredRepository;
  /** Login behind the token. */
  readonly account: string;
  /** Whether that is an App's: its permissions were looked at, and no push access is asked of it. */
  readonly isApp: boolean;
  /** The parts in braces of the route's path. */
  readonly parts: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The parsed JSON object of the body; empty without one. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly quirks: SandboxQuirks;
}

/** Points in which GitHub's documents are silent or its behaviour is known to differ. */
export interface SandboxQuirks {
  /** How `Link` pages a list of issues: by number, or by a cursor that must be followed as it is. */
  readonly paging: "page" | "cursor";
  /** The most rows of a page, however many are asked for. */
  readonly pageSize: number;
  /** Whether `since` includes issues updated in that very second. */
  readonly since: "inclusive" | "exclusive";
  /** What a write to a transferred issue gets. */
  readonly movedWrite: 301 | 404;
  /** What an issue that was made a discussion is answered with. */
  readonly converted: 404 | 410;
  /** What a list of issues gets where they are switched off: pull requests alone, or a refusal. */
  readonly issuesOff: 200 | 404 | 410;
  /** The version of an Enterprise Server; undefined on github.com. */
  readonly enterprise: string | undefined;
  /** Versions of the API that are known. */
  readonly apiVersions: readonly string[];
  /** Whether tokens have the scope `read:project`. */
  readonly projectScope: boolean;
  /** What the GraphQL schema of an older server lacks: `Issue.subIssues`, `Issue.stateReason(enableDuplicate)`. */
  readonly graphQLLacks: readonly string[];
}

/** What github.com does, as far as it is known. */
export const usualQuirks: SandboxQuirks = {
  paging: "page",
  pageSize: 100,
  since: "inclusive",
  movedWrite: 301,
  converted: 404,
  issuesOff: 200,
  enterprise: undefined,
  apiVersions: ["2022-11-28", "2026-03-10"],
  projectScope: true,
  graphQLLacks: [],
};

/** Answers a call; it also makes the change. */
export type Endpoint = (call: Call) => Answer;

const documentation = "https://docs.github.com/rest";

/** An error in GitHub's usual shape. */
export function refuse(status: number, message: string): Answer {
  return { status, body: { message, documentation_url: documentation, status: String(status) } };
}

/** 404: not there, or not visible. */
export function notFound(): Answer {
  return refuse(404, "Not Found");
}

/** One reason of a 422. */
export interface FieldError {
  readonly resource: string;
  readonly field: string;
  readonly code: string;
  readonly message?: string;
  readonly value?: unknown;
}

/** 422 with the fields at fault. */
export function invalid(...errors: readonly FieldError[]): Answer {
  return {
    status: 422,
    body: { message: "Validation Failed", errors, documentation_url: documentation, status: "422" },
  };
}

/** A redirect in GitHub's shape: 301 where the method may change, 307 where it may not. */
export function redirect(status: 301 | 307, url: string): Answer {
  const message = status === 301 ? "Moved Permanently" : "Temporary Redirect";
  return { status, headers: { location: url }, body: { message, url, documentation_url: documentation } };
}
