import { RemoteError } from "../../src/errors.ts";
import { validateRequests } from "../support/openapi.ts";
import { answer as answerByGate, type Gate } from "../support/sandbox/github/gate.ts";
import { createGraphQL } from "../support/sandbox/github/graphql/graphql.ts";
import { type SandboxQuirks, usualQuirks } from "../support/sandbox/github/rest/answer.ts";
import { createLimitCounter } from "../support/sandbox/github/rest/limits.ts";
import type { Answer, Reply } from "../support/sandbox/loopback/loopback.ts";
import { drawFate, type Fate, type SentWrite, send } from "./github.ts";
import { readWrite } from "./github-requests.ts";
import type { HubRepository, HubServer } from "./github-server.ts";
import { limit, refuse, showLostWrite, showReadFault, whole } from "./http-faults.ts";
import type { Manners, Passage } from "./http-passage.ts";
import type { Request } from "./http-server.ts";
import { ourLogin } from "./scenario.ts";

/** What all processes count as to GitHub: an ETag holds for one token. */
const token = "token-of-all";

/** The sandbox's front to the GitHub of a history that listens at this address. */
export function createGate(hub: HubServer, address: string, manners: Manners): Gate {
  const { state, traits } = hub;
  state.url = address;
  const quirks: SandboxQuirks = {
    ...usualQuirks,
    paging: manners.hasPageNumbers ? "page" : "cursor",
    pageSize: traits.pageSize,
    since: manners.isSinceInclusive ? "inclusive" : "exclusive",
  };
  const none = Number.POSITIVE_INFINITY;
  const unlimited = { requestsPerHour: none, contentPerMinute: none, contentPerHour: none } as const;
  const limits = createLimitCounter(state.clock, () => ({ ...unlimited, status: 403, hasRetryAfter: true }));
  return {
    ...{ state, quirks, limits, graphQLLimits: limits },
    graphQL: createGraphQL(state, quirks),
    tokens: new Map([[token, ourLogin]]),
    app: undefined,
  };
}

/** GitHub's HTTP face. Every request is held against GitHub's own description. */
export async function answerGitHub(passage: Passage, request: Request): Promise<Reply> {
  const { method, path, query, body } = request;
  for (const problem of validateRequests([{ method, path, query: Object.fromEntries(query), body }]))
    passage.surroundings.violate("GitHub's description", problem);
  return method === "GET" ? answerRead(passage, request) : answerWrite(passage, request);
}

async function answerRead(passage: Passage, request: Request): Promise<Reply> {
  const { surroundings, bounds } = passage;
  const { wire, life, events, scenario } = surroundings;
  events.trackerAsked();
  try {
    await wire.read(life, "tracker", bounds, scenario.skewMs);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    if (error.fault === "limited") events.trackerLimits(error.retryAt ?? 0);
    return showReadFault(surroundings, error, () => read(passage, request).answer);
  }
  const { answer, tell } = read(passage, request);
  tell?.();
  return whole(answer);
}

/** An answer, and what is to be told of it once it is given. */
interface Read {
  readonly answer: Answer;
  readonly tell?: () => void;
}

function read({ gate, surroundings }: Passage, request: Request): Read {
  const answer = ask(gate, request);
  const repository = locate(surroundings.hub, request)?.repository;
  const { query } = request;
  const isLatest = query.get("sort") === "updated" && query.get("direction") === "desc";
  const etag = answer.headers?.["etag"];
  // Where issues are switched off, GitHub shows an empty list.
  if (!isLatest || answer.status !== 200 || repository?.hasIssues !== true || etag === undefined)
    return { answer };
  const { hub, events } = surroundings;
  return { answer, tell: () => events.trackerShowsLatest(repository, hub.listed(repository), etag) };
}

function ask(gate: Gate, { method, path, query, headers, body }: Request): Answer {
  return answerByGate(gate, {
    ...{ method, path, query },
    headers: { ...headers, authorization: `Bearer ${token}` },
    text: body === undefined ? "" : JSON.stringify(body),
  });
}

interface Place {
  readonly repository: HubRepository;
  /** The path below the repository's own. */
  readonly rest: string;
  /** Whether the repository is asked for by a name that it had. */
  readonly isFormer: boolean;
}

/** What an address means; undefined where it means no repository. */
function locate({ repositories }: HubServer, { path }: Request): Place | undefined {
  const [, id, asked, rest = ""] =
    /^\/(?:repositories\/(\d+)|repos\/([^/]+\/[^/]+))(\/.*)?$/.exec(path) ?? [];
  const repository = repositories.find(({ id: its, name, formerNames }) =>
    id === undefined ? [name, ...formerNames].some((one) => one === asked) : its === Number(id),
  );
  return repository && { repository, rest, isFormer: id === undefined && repository.name !== asked };
}

async function answerWrite(passage: Passage, request: Request): Promise<Reply> {
  const { surroundings, gate } = passage;
  const { wire, life, hub, events } = surroundings;
  const leftAt = wire.time.now();
  await wire.leave(life);
  const place = locate(hub, request);
  if (place === undefined) throw new Error(`${request.method} ${request.path} names no repository.`);
  const { repository, rest, isFormer } = place;
  const write = readWrite({ method: request.method, path: rest, body: request.body });
  if (isFormer) {
    events.issueWriteLeaves({ life, repository, write, leftAt, isHeard: false, hasArrived: true });
    await wire.arrive(life);
    return whole(ask(gate, request));
  }
  const line = { ...surroundings, server: hub };
  const fate = drawFate(line, write);
  const sent = send(line, repository, write, leftAt, fate);
  if (sent.outcome.kind === "limited") events.trackerLimits(sent.outcome.retryAt);
  await wire.arrive(life);
  return showSent(passage, fate, sent);
}

function showSent({ surroundings }: Passage, fate: Fate, { outcome, answer }: SentWrite): Reply {
  const right = (): Answer => answer ?? refuse("tracker", 404, "Not Found");
  if (answer !== undefined && fate !== "answer lost") return whole(answer);
  switch (outcome.kind) {
    case "rejected": {
      const errors = outcome.fields.map((field) => ({ resource: "Issue", code: "invalid", field }));
      return whole(refuse("tracker", outcome.status, outcome.message, errors.length > 0 ? { errors } : {}));
    }
    case "forbidden":
      return whole(refuse("tracker", 403, outcome.message));
    case "unauthorized":
      return whole(refuse("tracker", 401, outcome.message));
    case "limited":
      return whole(limit(surroundings, "tracker", outcome.retryAt));
    case "applied":
    case "unsent":
    case "unknown":
      return showLostWrite(fate, surroundings.wire.weather.random, right);
  }
}
