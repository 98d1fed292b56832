import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import { chunks } from "../../../select.ts";
import type { ProjectField, SignalAnswer, SignalWish } from "../../tracker.ts";
import { readInPieces } from "../wire/pieces.ts";
import { word } from "../wire/shapes.ts";
import { type PartedQuery, type SignalPart, signalQuery } from "./queries.ts";
import { describeHeavy, type QueryAnswer, type QueryError } from "./querying.ts";
import { createReleaseReader, describeOldServer, type ReleaseTools } from "./releases.ts";
import { readNode, type ShownSignals, unknown } from "./signal-shapes.ts";

/** The most ids that `nodes` takes. */
const pageSize = 100;

/** How often one page is asked for again before no more names of fields are followed. */
const mostTurns = 5;

/** What one call knows so far. */
interface SignalCall {
  readonly tools: ReleaseTools;
  readonly wish: SignalWish;
  /** Parts that the token may not read, with the reason. */
  readonly denied: Map<SignalPart, string>;
  /** Names of fields as they are today, by the fields' ids. */
  readonly names: Map<string, string>;
  /** Whether less can be asked for. */
  readonly isDivisible: boolean;
}

/** The port's `readSignals`. */
export async function* readSignals(
  tools: ReleaseTools,
  nodeIds: readonly string[],
  wish: SignalWish,
): AsyncGenerator<readonly SignalAnswer[]> {
  const names = new Map(wish.projects.map(({ fieldId, name }) => [fieldId, name]));
  const denied: SignalCall["denied"] = new Map();
  const complete = createReleaseReader(tools, wish.tagsOf);
  for (const ids of chunks(nodeIds, pageSize)) {
    const found = await readInPieces(tools.sizes, ids, {
      name: `signals: ${wishedParts(wish).join(", ")}`,
      most: pageSize,
      nameOf: (id) => `signals of ${id}`,
      ask: (some, isDivisible) => readSignalsOf({ tools, wish, names, denied, isDivisible }, some),
      unread: (id, { message }) => unreadNode(id, wish, message),
    });
    yield wish.released ? await complete(found) : found;
  }
}

/** The issue was not read, so what was read of it before still counts. */
function unreadNode(nodeId: string, { duplicates, editors }: SignalWish, message: string): SignalAnswer {
  const part = unknown(message);
  return {
    nodeId,
    signals: {},
    unread: message,
    ...(duplicates && { duplicateOf: part }),
    ...(editors === true && { editors: part }),
  };
}

/** @throws TooHeavyError where GitHub refused it as a whole and named no reason that has another remedy */
async function readSignalsOf(call: SignalCall, ids: readonly string[]): Promise<readonly ShownSignals[]> {
  const whole = await askPage(call, ids);
  if (Array.isArray(whole)) return whole;
  throw describeHeavy("signals of issues", whole);
}

/** One page; GitHub's words when it refused the query as a whole and nothing in it can be blamed. */
async function askPage(call: SignalCall, ids: readonly string[]): Promise<ShownSignals[] | string> {
  // Each turn takes a part out or follows a new name, and in the end the part that is called otherwise each time.
  for (let turn = 1; ; turn += 1) {
    const parts = askedParts(call);
    const { wish, names, isDivisible } = call;
    const fields = wish.projects.map(({ fieldId, name }) => ({ fieldId, name: names.get(fieldId) ?? name }));
    const query = signalQuery(parts, ids, fields);
    const answer = await call.tools.query({ ...query, isDivisible, subject: "signals of issues" });
    if (answer.data === undefined) {
      if (blame(call, query, answer)) continue;
      const [error] = answer.errors;
      // What GitHub refuses by a type of its own is refused for less, too.
      if (error?.type !== undefined) throw refused(error.type, error.message);
      return error?.message ?? "no words";
    } else if (!parts.has("projects") || !followNames(call, answer)) {
      return askAgainForLost(call, ids, answer, readNodes(call, ids, answer));
    } else if (turn >= mostTurns) {
      call.denied.set(
        "projects",
        "GitHub's answers about a project field kept changing while they were read",
      );
    }
  }
}

/**
 * In GitHub's schema most parts can't be null by themselves. An error in one part then makes the whole issue null, so such
 * issues are asked for once more without that part.
 */
async function askAgainForLost(
  call: SignalCall,
  ids: readonly string[],
  { data, errors }: QueryAnswer,
  shown: ShownSignals[],
): Promise<ShownSignals[]> {
  const denied = new Map(call.denied);
  const lost = new Set<number>();
  for (const { path, message } of errors) {
    const [root, index, name] = path;
    if (root !== "nodes" || typeof index !== "number" || typeof name !== "string") continue;
    const nodes = data?.["nodes"];
    if (!Array.isArray(nodes) || nodes[index] !== null) continue;
    lost.add(index);
    // The facts have many names.
    const part = Object.hasOwn(partNames, name) ? (name as SignalPart) : "facts";
    denied.set(part, `GitHub did not show it: ${message}`);
  }
  if (denied.size === call.denied.size) return shown;
  const places = [...lost];
  const lostIds = places.map((index) => ids[index] ?? "");
  const again = await askPage({ ...call, denied }, lostIds);
  if (!Array.isArray(again)) return shown;
  return shown.map((row, index) => again[places.indexOf(index)] ?? row);
}

function wishedParts(wish: SignalWish): readonly SignalPart[] {
  const wished = { ...wish, projects: wish.projects.length > 0, type: wish.facts };
  return (Object.keys(partNames) as SignalPart[]).filter((part) => wished[part] === true);
}

function askedParts({ wish, denied, tools }: SignalCall): ReadonlySet<SignalPart> {
  return new Set(wishedParts(wish).filter((part) => !denied.has(part) && !tools.unsupported.has(part)));
}

/** Takes out what a refusal of the whole query names; false when it names nothing that could be left out. */
function blame(call: SignalCall, { partOfLine }: PartedQuery, { errors }: QueryAnswer): boolean {
  let isAny = false;
  for (const error of errors) {
    for (const line of error.lines) {
      const part = partOfLine[line];
      if (part === undefined) continue;
      isAny = true;
      const { host, unsupported } = call.tools;
      if (error.isUnknownToServer)
        unsupported.set(part, describeOldServer(host, partNames[part], error.message));
      else call.denied.set(part, describeDenial(part, error));
    }
  }
  return isAny;
}

const fieldShape = z.object({ id: word, name: word });

/** Takes up the names of fields that were renamed; whether there are any, so that the values must be asked for again. */
function followNames({ wish, names }: SignalCall, { data }: QueryAnswer): boolean {
  let isAny = false;
  for (const [index, { fieldId }] of wish.projects.entries()) {
    const name = fieldShape.safeParse(data?.[`field${index}`]).data?.name;
    if (name === undefined || name === names.get(fieldId)) continue;
    names.set(fieldId, name);
    isAny = true;
  }
  return isAny;
}

function readNodes(call: SignalCall, ids: readonly string[], answer: QueryAnswer): ShownSignals[] {
  const { wish, denied, tools } = call;
  const nodes = answer.data?.["nodes"];
  if (!Array.isArray(nodes) || nodes.length !== ids.length) {
    throw new RemoteError("tracker", "unreadable", "GitHub's answer does not have one row for each issue.");
  }
  const isOfNode = ({ path: [root, index] }: QueryError): boolean =>
    root === "nodes" && typeof index === "number";
  const general = answer.errors.find((error) => {
    const [root] = error.path;
    return !isOfNode(error) && (typeof root !== "string" || root === "nodes");
  });
  const byNode = Map.groupBy(answer.errors.filter(isOfNode), ({ path }) => path[1]);
  const shared = {
    general: general?.message,
    wish,
    refused: new Map([...tools.unsupported, ...denied]),
    // An issue whose type is hidden is not known in full; a server without types has told all.
    isTypeHidden: denied.has("type"),
    fields: wish.projects.map((field, index) => {
      const alias = `field${index}`;
      return { ...field, alias, fault: checkField(field, alias, answer) };
    }),
  };
  return ids.map((nodeId, index) =>
    readNode({ ...shared, nodeId, node: nodes[index], errors: byNode.get(index) ?? [] }),
  );
}

/** Why a missing value means nothing: without the field itself it may be one of a field that is gone, or hidden. */
function checkField(
  { key, fieldId }: ProjectField,
  alias: string,
  { data, errors }: QueryAnswer,
): string | undefined {
  const error = errors.find(({ path }) => path[0] === alias);
  if (fieldShape.safeParse(data?.[alias]).data?.id === fieldId && error === undefined) return undefined;
  const words = error === undefined ? "" : ` (${error.message})`;
  return `the project field ${key} is not there any more, or the token can't see its project${words}`;
}

const partNames: Readonly<Record<SignalPart, string>> = {
  pullRequests: "linked pull requests",
  released: "linked pull requests with their merge commits",
  subIssues: "sub-issues",
  duplicates: "what an issue is a duplicate of",
  projects: "projects",
  facts: "issues by GraphQL",
  type: "issue types",
  editors: "who has edited an issue",
};

function describeDenial(part: SignalPart, { type, message }: QueryError): string {
  const need =
    part === "projects" && type === "INSUFFICIENT_SCOPES" ? "; give it the scope read:project" : "";
  return `the token may not read ${partNames[part]}${need} (${message})`;
}

function refused(type: string, words: string): RemoteError {
  const message = `GitHub's GraphQL gave no data about issues (${words}).`;
  const isForbidden = type === "FORBIDDEN" || type === "INSUFFICIENT_SCOPES";
  return isForbidden
    ? new RemoteError("tracker", "unauthorized", message, { detail: "forbidden" })
    : new RemoteError("tracker", "unreachable", message, { detail: "server" });
}
