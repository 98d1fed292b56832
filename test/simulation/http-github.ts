import { RemoteError } from "../../src/errors.ts";
import type { IssueRecord } from "../../src/model/issue.ts";
import type { IssueWrite, WriteOutcome } from "../../src/tracker/tracker.ts";
import { validateRequests } from "../support/openapi.ts";
import { answerFor, drawFate, type Fate, send } from "./github.ts";
import type { HubIssue, HubRepository } from "./github-server.ts";
import { limit, refuse, showLostWrite, showReadFault, whole } from "./http-faults.ts";
import { listIssues } from "./http-github-lists.ts";
import { showComment, showIssue, showMilestone, showRepository } from "./http-github-shapes.ts";
import type { Passage } from "./http-passage.ts";
import type { Answer, Reply, Request } from "./http-server.ts";
import { elsewhere, ourLogin } from "./scenario.ts";
import type { Surroundings } from "./sides.ts";

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
export interface Read {
  readonly answer: Answer;
  readonly tell?: () => void;
}

function read(passage: Passage, request: Request): Read {
  const { hub } = passage.surroundings;
  if (request.path === "/user") return { answer: { status: 200, body: { login: ourLogin } } };
  const place = locate(passage, request);
  if (place === undefined) return { answer: notFound };
  const { repository, rest, redirect } = place;
  if (redirect !== undefined) return { answer: redirect };
  if (rest === "") {
    return { answer: { status: 200, body: showRepository(passage.api, hub.describe(repository)) } };
  }
  if (!repository.hasIssues) return { answer: refuse("tracker", 410, "Issues are disabled for this repo") };
  switch (rest) {
    case "/labels":
      return { answer: { status: 200, body: repository.labels.map((name) => ({ name })) } };
    case "/milestones":
      return { answer: { status: 200, body: repository.milestones.map(showMilestone) } };
    case "/issues":
      return listIssues(passage, repository, request);
    default: {
      const [, , number, part] = rest.split("/");
      if (part === undefined) return { answer: readIssue(passage, repository, Number(number)) };
      const issue = hub.find(repository.id, Number(number));
      return {
        answer:
          issue === undefined ? notFound : { status: 200, body: hub.commentsOf(issue).map(showComment) },
      };
    }
  }
}

function readIssue({ surroundings, api }: Passage, repository: HubRepository, number: number): Answer {
  const { hub } = surroundings;
  const found = answerFor(hub, { repositoryId: repository.id, number });
  switch (found.kind) {
    case "found":
      return { status: 200, body: showIssue(api, repository.name, found.record) };
    case "moved": {
      const { repositoryId, number: there } = found.record.issue;
      return redirectTo(301, `${api}/repositories/${repositoryId}/issues/${there}`);
    }
    case "gone":
      return refuse("tracker", 410, "This issue was deleted");
    case "missing":
      return notFound;
  }
}

interface Place {
  readonly repository: HubRepository;
  /** The path below the repository's own. */
  readonly rest: string;
  /** Where the repository is asked for by a name that it had. */
  readonly redirect: Answer | undefined;
}

/** What an address means; undefined where it means nothing to us. */
function locate({ surroundings, api }: Passage, { method, path, query }: Request): Place | undefined {
  const { hub } = surroundings;
  const [, id, asked, rest = ""] =
    /^\/(?:repositories\/(\d+)|repos\/([^/]+\/[^/]+))(\/.*)?$/.exec(path) ?? [];
  const repository = hub.repositories.find(({ id: its, name, formerNames }) =>
    id === undefined ? [name, ...formerNames].some((one) => one === asked) : its === Number(id),
  );
  const isHidden = repository?.name === elsewhere && !hub.traits.showsElsewhere;
  if (repository === undefined || isHidden) return undefined;
  const search = query.size === 0 ? "" : `?${query}`;
  const address = `${api}/repositories/${repository.id}${rest}${search}`;
  const isFormer = id === undefined && repository.name !== asked;
  return {
    repository,
    rest,
    redirect: isFormer ? redirectTo(method === "GET" ? 301 : 307, address) : undefined,
  };
}

const notFound = refuse("tracker", 404, "Not Found");

function redirectTo(status: 301 | 307, location: string): Answer {
  return { ...refuse("tracker", status, "Moved"), headers: { location } };
}

async function answerWrite(passage: Passage, request: Request): Promise<Reply> {
  const { surroundings } = passage;
  const { wire, life, hub, events } = surroundings;
  const leftAt = wire.time.now();
  await wire.leave(life);
  const place = locate(passage, request);
  if (place === undefined) throw new Error(`${request.method} ${request.path} names no repository.`);
  const { repository, rest, redirect } = place;
  const write = readWrite(request, rest);
  if (redirect !== undefined) {
    events.issueWriteLeaves({ life, repository, write, leftAt, isHeard: false, hasArrived: true });
    await wire.arrive(life);
    return whole(redirect);
  }
  const line = { ...surroundings, server: hub };
  const fate = drawFate(line, write);
  const outcome = send(line, repository, write, leftAt, fate);
  if (outcome.kind === "limited") events.trackerLimits(outcome.retryAt);
  await wire.arrive(life);
  return showOutcome(passage, repository, write, fate, outcome);
}

/** The write that a request means, as the port calls it, its parts in the same order. */
function readWrite({ method, body }: Request, rest: string): IssueWrite {
  const number = Number(rest.split("/")[2]);
  // The description of GitHub's API has been asked whether the body is what it should be.
  const parts = body as Omit<Extract<IssueWrite, { kind: "create-issue" }>, "kind">;
  if (method === "POST" && rest === "/issues") {
    const { title, body: text, labels, assignees, milestone, type } = parts;
    return { kind: "create-issue", title, body: text, labels, assignees, milestone, type };
  }
  if (method === "POST" && rest === "/labels")
    return { kind: "create-label", name: (body as { name: string }).name };
  const part = rest.split("/")[3];
  if (method === "POST" && part === "labels") return { kind: "add-labels", number, labels: parts.labels };
  if (method === "POST" && part === "comments") return { kind: "add-comment", number, body: parts.body };
  if (method === "DELETE" && part === "labels") {
    return { kind: "remove-label", number, label: decodeURIComponent(rest.split("/")[4] ?? "") };
  }
  if (method !== "PATCH") throw new Error(`${method} …${rest} is no write of the program.`);
  const { title, body: text, state, state_reason: stateReason, milestone } = body as EditBody;
  return {
    kind: "edit-issue",
    number,
    ...(title !== undefined && { title }),
    ...(text !== undefined && { body: text }),
    ...(state !== undefined && { state }),
    ...(stateReason !== undefined && { stateReason }),
    ...(milestone !== undefined && { milestone }),
  };
}

type EditWrite = Extract<IssueWrite, { kind: "edit-issue" }>;

interface EditBody extends Pick<EditWrite, "title" | "body" | "state" | "milestone"> {
  readonly state_reason?: NonNullable<EditWrite["stateReason"]>;
}

function showOutcome(
  passage: Passage,
  repository: HubRepository,
  write: IssueWrite,
  fate: Fate,
  outcome: WriteOutcome,
): Reply {
  const { surroundings } = passage;
  const written = (): IssueRecord | undefined => findWritten(surroundings, repository, write)?.record;
  switch (outcome.kind) {
    case "applied":
      return whole(showWritten(passage, repository, write, outcome.record ?? written()));
    case "rejected": {
      const errors = outcome.fields.map((field) => ({ resource: "Issue", code: "invalid", field }));
      return whole(refuse("tracker", outcome.status, outcome.message, errors.length > 0 ? { errors } : {}));
    }
    case "unauthorized":
      return whole(refuse("tracker", 401, outcome.message));
    case "limited":
      return whole(limit(surroundings, "tracker", outcome.retryAt));
    case "unsent":
    case "unknown":
      break;
  }
  const left = "number" in write ? repository.left.get(write.number) : undefined;
  if (fate === "fine" && left !== undefined) {
    return whole(redirectTo(301, `${passage.api}/repositories/${left.repository.id}/issues/${left.number}`));
  }
  return showLostWrite(fate, surroundings.wire.weather.random, () =>
    showWritten(passage, repository, write, written()),
  );
}

/** The answer to a write that took effect. */
function showWritten(
  { api }: Passage,
  repository: HubRepository,
  write: IssueWrite,
  record: IssueRecord | undefined,
): Answer {
  switch (write.kind) {
    case "create-label":
      return { status: 201, body: { name: write.name } };
    case "add-labels":
    case "remove-label":
      return record === undefined
        ? notFound
        : { status: 200, body: record.issue.labels.map((name) => ({ name })) };
    case "add-comment":
      return { status: 201, body: { id: 1, body: write.body } };
    case "create-issue":
    case "edit-issue": {
      const status = write.kind === "edit-issue" ? 200 : 201;
      return record === undefined ? notFound : { status, body: showIssue(api, repository.name, record) };
    }
  }
}

/** The issue that a write has just opened or changed. */
function findWritten(
  { hub }: Surroundings,
  repository: HubRepository,
  write: IssueWrite,
): HubIssue | undefined {
  return "number" in write ? hub.find(repository.id, write.number) : repository.issues.at(-1);
}
