import { RemoteError } from "../../src/errors.ts";
import type { ProjectFieldName, Readable, Signals } from "../../src/model/issue.ts";
import type { ProjectField, SignalAnswer, SignalWish } from "../../src/tracker/tracker.ts";
import { fieldKey, known, projectField } from "./github-facts.ts";
import type { HubIssue, HubServer } from "./github-server.ts";
import { isHidden } from "./signals.ts";
import type { Wire } from "./wire.ts";

/** GitHub's one project. */
export function findField({ state }: HubServer, { owner, project, field }: ProjectFieldName): ProjectField {
  if (owner !== projectField.owner || project !== projectField.project || field !== projectField.field) {
    throw new RemoteError("tracker", "missing", "There is no such project.");
  }
  const [stored] = state.signals.projects;
  const shown = stored?.fields.find(({ name }) => name === field);
  if (stored === undefined || shown === undefined) throw new Error("GitHub has lost its project.");
  const { id: fieldId, name, options = [] } = shown;
  return { key: fieldKey, projectId: stored.id, fieldId, name, options, isClosed: stored.isClosed };
}

/** Pages as small as those of the lists, each a request; some of them lack a part. */
export async function* listSignals(
  server: HubServer,
  wire: Wire,
  nodeIds: readonly string[],
  wish: SignalWish,
  read: () => Promise<void>,
): AsyncGenerator<readonly SignalAnswer[]> {
  const { pageSize } = server.traits;
  for (let start = 0; start < nodeIds.length; start += pageSize) {
    await read();
    const { random, faultRate } = wire.weather;
    const answers = nodeIds.slice(start, start + pageSize).map((nodeId) => answerFor(server, nodeId, wish));
    const isSpoiled = faultRate > 0 && random.chance(faultRate);
    yield isSpoiled ? answers.map((answer) => spoil(server, wire, answer)) : answers;
  }
}

function findIssue(server: HubServer, nodeId: string): HubIssue | undefined {
  return server.repositories
    .flatMap(({ issues }) => issues)
    .find(({ record }) => record.issue.nodeId === nodeId);
}

function answerFor(server: HubServer, nodeId: string, wish: SignalWish): SignalAnswer {
  const issue = findIssue(server, nodeId);
  if (issue === undefined || isHidden(server, issue)) return { nodeId, signals: {}, fault: "missing" };
  return {
    nodeId,
    signals: showSignals(issue.signals, wish),
    ...(wish.duplicates && { duplicateOf: known(showTarget(server, issue)) }),
    ...(wish.facts && { issue: issue.record.issue }),
  };
}

function showSignals(
  { pullRequests, subIssues, projectStatus, isReleased }: Signals,
  wish: SignalWish,
): SignalAnswer["signals"] {
  return {
    ...(wish.pullRequests && pullRequests && { pullRequests }),
    ...(wish.subIssues && subIssues && { subIssues }),
    ...(wish.released && isReleased && { isReleased }),
    ...(wish.projects.length > 0 && projectStatus && { projectStatus }),
  };
}

function showTarget(
  server: HubServer,
  issue: HubIssue,
): Extract<NonNullable<SignalAnswer["duplicateOf"]>, { kind: "known" }>["value"] {
  const { duplicateOf } = issue;
  if (duplicateOf === undefined) return null;
  if (isHidden(server, duplicateOf)) return "hidden";
  const { repository, number, record } = duplicateOf;
  return {
    nodeId: record.issue.nodeId,
    issue: { repositoryId: repository.id, number },
    repository: repository.name,
    author: record.author,
  };
}

/** One part of an answer fails, or the whole issue is not found for a moment. */
function spoil(server: HubServer, wire: Wire, answer: SignalAnswer): SignalAnswer {
  const { nodeId, signals, ...rest } = answer;
  const { random } = wire.weather;
  const doubt: Readable<never> = { kind: "unknown", message: "Something went wrong in GitHub." };
  const parts = Object.keys(signals) as (keyof typeof signals)[];
  if (random.chance(0.1)) {
    wire.count("tracker: signals missing");
    const issue = findIssue(server, nodeId);
    if (issue !== undefined) issue.timesDenied += 1;
    return { nodeId, signals: {}, fault: "missing" };
  }
  wire.count("tracker: signals in part");
  if (rest.duplicateOf !== undefined && random.chance(0.5)) return { ...answer, duplicateOf: doubt };
  if (parts.length === 0) return answer;
  const part = random.pick(parts);
  const unknown = part === "projectStatus" ? { [part]: { [fieldKey]: doubt } } : { [part]: doubt };
  return { ...answer, signals: { ...signals, ...unknown } };
}
