import { listen, stop } from "../../../../src/demo/loopback.ts";
import type { Clock } from "../../../../src/model/surroundings.ts";
import { type AppSetup, createApp, type SandboxAppOwners } from "./app/app.ts";
import { createFaultQueue, type SandboxFault } from "./faults.ts";
import { createGraphQL } from "./graphql/graphql.ts";
import { type SandboxQuirks, usualQuirks } from "./rest/answer.ts";
import { createLimitCounter, type SandboxLimits } from "./rest/limits.ts";
import { createGitHubServer, type LoggedRequest } from "./server.ts";
import { createPeople, type SandboxPeople } from "./state/people.ts";
import { createProjects, type SandboxProjects } from "./state/projects.ts";
import { createOwners, type RepositorySetup, type SandboxOwners } from "./state/repositories.ts";
import { createSignalPeople, type SandboxSignalPeople } from "./state/signals.ts";
import { createState, type SandboxLag } from "./state/state.ts";

/** How a sandbox GitHub starts. Everything may be left out. */
export interface SandboxGitHubOptions {
  /** Times of issues, lag and limits go by it; the machine's clock without one. */
  readonly clock?: Pick<Clock, "now">;
  /** Login of the account that the token belongs to. */
  readonly login?: string;
  readonly token?: string;
  /** A GitHub App, beside the account. */
  readonly app?: AppSetup;
  /** Path of the API's root, such as `/api/v3` of an Enterprise Server. */
  readonly basePath?: string;
  /** A port, where a stable address matters; any free one without it. */
  readonly port?: number;
  readonly repositories?: readonly RepositorySetup[];
  readonly lag?: Partial<SandboxLag>;
  readonly limits?: Partial<SandboxLimits>;
  readonly quirks?: Partial<SandboxQuirks>;
}

/** A GitHub on loopback: the API over HTTP, and people and owners as methods. */
export interface SandboxGitHub extends SandboxPeople, SandboxOwners, SandboxSignalPeople, SandboxProjects {
  /** The API's root, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly login: string;
  /** Names of all repositories. */
  readonly repositories: readonly string[];
  /** Requests so far, oldest first; the oldest are dropped beyond 20,000. */
  readonly requests: readonly LoggedRequest[];
  /** Forgets the requests so far. */
  clearRequests(): void;
  /** Makes the next requests that match fail. */
  failNext(fault: SandboxFault): void;
  /** Lets requests take effect whose fault said `late`; answers how many. */
  landLate(): number;
  setLag(lag: Partial<SandboxLag>): void;
  setLimits(limits: Partial<SandboxLimits>): void;
  /** Another token, of the same account or of another. */
  addToken(token: string, login?: string): void;
  revokeToken(token: string): void;
  /** The App in the hands of owners; without one it throws. */
  readonly app: SandboxAppOwners;
  /** Stops listening and resets every connection, those left hanging included. */
  stop(): Promise<void>;
}

const maxLoggedRequests = 20_000;

/** Starts a GitHub on 127.0.0.1. */
export async function startSandboxGitHub(options: SandboxGitHubOptions = {}): Promise<SandboxGitHub> {
  const { clock = { now: Date.now }, login = "boardsync-bot", token = "sandbox-github-token" } = options;
  const basePath = options.basePath ?? "";
  const state = createState(clock, { listMs: 0, readMs: 0, ...options.lag });
  let limits: SandboxLimits = {
    requestsPerHour: 5000,
    contentPerMinute: Number.POSITIVE_INFINITY,
    contentPerHour: Number.POSITIVE_INFINITY,
    status: 403,
    hasRetryAfter: true,
    ...options.limits,
  };
  const tokens = new Map([[token, login]]);
  const app = options.app && createApp(state, options.app, () => limits);
  const faults = createFaultQueue();
  const requests: LoggedRequest[] = [];
  const late: (() => void)[] = [];
  const owners = createOwners(state, login);
  for (const setup of options.repositories ?? []) owners.addRepository(setup);

  const quirks: SandboxQuirks = { ...usualQuirks, ...options.quirks };
  const server = createGitHubServer({
    gate: {
      state,
      quirks,
      limits: createLimitCounter(clock, () => limits),
      graphQL: createGraphQL(state, quirks),
      graphQLLimits: createLimitCounter(clock, () => ({
        ...limits,
        requestsPerHour: limits.queriesPerHour ?? limits.requestsPerHour,
      })),
      tokens,
      app,
    },
    faults,
    basePath,
    log(request) {
      const logged: { status: number | undefined } & typeof request = { ...request, status: undefined };
      requests.push(logged);
      if (requests.length > maxLoggedRequests) requests.shift();
      return (status) => {
        logged.status = status;
      };
    },
    postpone: (apply) => late.push(apply),
  });
  state.url = `${await listen(server, options.port)}${basePath}`;

  return {
    ...createPeople(state),
    ...createSignalPeople(state),
    ...createProjects(state),
    ...owners,
    url: state.url,
    token,
    login,
    get repositories() {
      return [...state.repositories.values()].map((repository) => repository.name);
    },
    requests,
    clearRequests() {
      requests.length = 0;
    },
    failNext: faults.add,
    landLate() {
      const landing = late.splice(0);
      for (const apply of landing) apply();
      return landing.length;
    },
    setLag(lag) {
      state.lag = { ...state.lag, ...lag };
    },
    setLimits(changes) {
      limits = { ...limits, ...changes };
    },
    addToken(added, owner = login) {
      tokens.set(added, owner);
    },
    revokeToken(revoked) {
      tokens.delete(revoked);
    },
    get app() {
      if (app === undefined) throw new Error("The sandbox has no App.");
      return app.owners;
    },
    stop: () => stop(server),
  };
}
