import type { Client } from "@modelcontextprotocol/client";
import { RemoteError } from "../../errors.ts";
import { type Patience, repeatRead } from "../../http/repeat.ts";
import type { Sender } from "../../http/send.ts";
import type { ToolRecord } from "../../model/post.ts";
import type { ReadBounds, Traffic } from "../../model/surroundings.ts";
import { errorOf, type Fault } from "../http/answer/refusal.ts";
import { createExcerpt, type Excerpt } from "../http/answer/wording.ts";
import type {
  BoardTools,
  ToolArguments,
  ToolDescription,
  ToolDirectory,
  ToolList,
  ToolOutcome,
  ToolPurpose,
  ToolReading,
} from "../tools.ts";
import { explainFailure, outcomeOf, readAnswer, readProtocolError, readRefusal } from "./answer.ts";
import { type Known, type KnownTool, openClient, readKnown, requestOptions } from "./connection.ts";
import { readToolPage, stepOn } from "./paging.ts";
import { findRecord, readRecord } from "./records.ts";
import { createWire, type Operation, type Wire } from "./wire.ts";

/** Which tool serves a purpose, as far as the adapter needs to know. */
export interface NamedTool {
  readonly name: string;
  /** Where the id stands in its answer (of a list: in each record), if it can't be recognised. */
  readonly result?: string | undefined;
}

export interface McpToolsOptions extends Omit<Patience, "firstPauseMs"> {
  readonly url: string;
  readonly key: string;
  /** Version of boardsync. */
  readonly version: string;
  /** Carries the requests. */
  readonly sender: Sender;
  /** Covers the secrets of the other side, too, in what is quoted of the server. */
  readonly redact?: (text: string) => string;
  readonly tools: { readonly [purpose in ToolPurpose]?: NamedTool | undefined };
}

/** Levels of arrays and objects inside one another in an answer. */
const mostDepth = 64;
/** Pages of one list, and records on all of them. */
const mostPages = 1000;
const mostRecords = 100_000;
/** What is known of a server is not used for longer: its tools change. */
const knownMs = 5 * 60_000;

/** What the operations of one server share. */
interface Server {
  readonly options: McpToolsOptions;
  readonly url: URL;
  readonly excerpt: Excerpt;
  readonly wire: Wire;
  known: Known | undefined;
}

/**
 * The board's hosted MCP server (https://modelcontextprotocol.io). Its operations follow one another, each greets the server anew,
 * and none leaves a session that the server might forget.
 */
export function createMcpTools(options: McpToolsOptions): BoardTools & ToolDirectory & Traffic {
  const { key, redact, version, sender } = options;
  const url = new URL(options.url);
  const excerpt = createExcerpt(key, redact);
  const headers = { authorization: `Bearer ${key}`, "user-agent": `boardsync/${version}` };
  const wire = createWire({ url, headers, sender, depth: mostDepth, excerpt });
  const server: Server = { options, url, excerpt, wire, known: undefined };
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
  const read = <T>(bounds: ReadBounds, work: () => Promise<T>): Promise<T> =>
    inTurn(() => repeatRead(() => attempt(server, bounds, work), { ...options, firstPauseMs: 500 }, bounds));
  return {
    purposes: new Set(
      (Object.keys(options.tools) as ToolPurpose[]).filter((purpose) => options.tools[purpose] !== undefined),
    ),
    describe: (bounds) =>
      read(bounds, async () => {
        const known = fresh(server) ?? (await open(server, { isRead: true, signal: bounds.signal })).known;
        return describe(known);
      }),
    list: (purpose, args, bounds, print) =>
      read(bounds, () => listRecords(server, { purpose, print }, args, bounds)),
    call: (purpose, args, print) => inTurn(() => callOnce(server, { purpose, print }, args)),
    get requests() {
      return sender.requests;
    },
    answers: sender.answers,
  };
}

function describe({ tools }: Known): readonly ToolDescription[] {
  return [...tools.values()].map(({ tool: { name, description, inputSchema }, print }) => {
    return { name, description, schema: inputSchema, print };
  });
}

/** One try of a read; what may pass comes back as a value, see `repeatRead`. */
async function attempt<T>(
  server: Server,
  bounds: ReadBounds,
  work: () => Promise<T>,
): Promise<T | RemoteError> {
  if (bounds.signal.aborted || server.options.clock.now() >= bounds.until)
    throw new RemoteError("board", "aborted", "The run was ended.");
  try {
    return await work();
  } catch (error) {
    if (error instanceof RemoteError) throw error;
    const fault = faultOf(server, error);
    server.known = undefined;
    const failure = errorOf(fault);
    if (failure.fault === "unreachable" || failure.fault === "limited") return failure;
    throw failure;
  }
}

/** What was thrown, by the client or by what carries it. */
function faultOf({ wire, url, excerpt, options }: Server, error: unknown): Fault {
  const tools = Object.values(options.tools).flatMap((tool) => tool?.name ?? []);
  const said = readProtocolError(error, excerpt, tools);
  const failure = wire.failure();
  if (failure !== undefined && (said === undefined || said.kind === "unknown"))
    return explainFailure(failure, { url, excerpt, now: options.clock.now() });
  if (said !== undefined) return said;
  const why = error instanceof Error ? excerpt(error.message) : "no reason";
  return { kind: "unknown", message: `The MCP server's answer can't be used: ${why}.`, detail: "page" };
}

/** What is known of the server, unless that is too long ago. */
function fresh({ known, options }: Server): Known | undefined {
  const now = options.clock.now();
  return known !== undefined && now - known.readAt < knownMs && now >= known.readAt ? known : undefined;
}

/** Greets the server for one operation, and lists its tools unless that was done a moment ago. */
async function open(
  server: Server,
  operation: Operation,
): Promise<{ readonly client: Client; readonly known: Known }> {
  const { wire, url, options } = server;
  const before = fresh(server);
  wire.begin({ ...operation, isRead: true });
  const client = await openClient(wire, url, options.version, before?.prior);
  server.known = before ?? (await readKnown(client, options.clock.now()));
  return { client, known: server.known };
}

/** A tool that is to be called, while its schema is the one that was looked at. */
interface Wanted {
  readonly purpose: ToolPurpose;
  readonly print: string | undefined;
}

/** The tool as the server describes it; a sentence where it can't be called. */
function findTool(
  { options, excerpt }: Server,
  { tools }: Known,
  { purpose, print }: Wanted,
): KnownTool | string {
  const name = options.tools[purpose]?.name;
  if (name === undefined) return `The config names no tool for \`${purpose}\`.`;
  const found = tools.get(name);
  const shown = `\`${excerpt(name, 60)}\``;
  if (found === undefined)
    return `The MCP server has no tool ${shown}, which board.mcp.tools.${purpose} names.`;
  const isSame = print === undefined || found.print === print;
  return isSame ? found : `The schema of the tool ${shown} has just changed, so it was not called.`;
}

async function listRecords(
  server: Server,
  wanted: Wanted & { readonly purpose: ToolReading },
  first: ToolArguments,
  bounds: ReadBounds,
): Promise<ToolList> {
  const operation = { isRead: true, signal: bounds.signal };
  const { client, known } = await open(server, operation);
  const found = findTool(server, known, wanted);
  if (typeof found === "string") throw new RemoteError("board", "refused", found, { detail: "told" });
  const records = new Map<string, ToolRecord>();
  let isWhole = true;
  let received = 0;
  let args = first;
  for (let pages = 1; ; pages += 1) {
    const page = readToolPage(await ask(server, client, found, args, operation), server.excerpt);
    received += page.records.length;
    const before = records.size;
    for (const value of page.records) {
      const record = readRecord(value, server.options.tools[wanted.purpose]?.result);
      if (record === undefined) isWhole = false;
      else records.set(record.id, record);
    }
    const step = stepOn(page, args, found.tool.inputSchema, received);
    const isBounded = pages >= mostPages || received >= mostRecords;
    // The same records once more: the list does not go on in this way.
    const isStuck = pages > 1 && page.records.length > 0 && records.size === before;
    if (step.kind === "end" || isBounded || isStuck) {
      const isComplete = isWhole && step.kind === "end" && step.isComplete && !isStuck;
      return { records: [...records.values()], isComplete };
    }
    args = step.args;
  }
}

/** One page. */
async function ask(
  server: Server,
  client: Client,
  known: KnownTool,
  args: ToolArguments,
  operation: Operation,
): Promise<unknown> {
  const { refusal, value } = await callTool(server, client, known, args, operation);
  if (refusal?.kind === "unsent") server.known = undefined;
  if (refusal !== undefined) throw errorOf(refusal);
  if (value !== undefined) return value;
  const message = `The tool \`${server.excerpt(known.tool.name, 60)}\` answered without a list.`;
  throw new RemoteError("board", "unreadable", message, { detail: "told" });
}

async function callOnce(server: Server, wanted: Wanted, args: ToolArguments): Promise<ToolOutcome> {
  const operation = { isRead: false };
  let isCalled = false;
  try {
    const { client, known } = await open(server, operation);
    const found = findTool(server, known, wanted);
    if (typeof found === "string") return { kind: "unsent", message: found, fault: "tool" };
    isCalled = true;
    const { refusal, value } = await callTool(server, client, found, args, operation);
    const record = findRecord(value, server.options.tools[wanted.purpose]?.result);
    if (refusal === undefined) return { kind: "applied", record };
    // What it has by now is listed anew.
    if (refusal.kind === "unsent") server.known = undefined;
    // A no beside a record leaves open what was done.
    const isOpen = refusal.kind === "rejected" && record !== undefined;
    return outcomeOf(isOpen ? { ...refusal, kind: "unknown" } : refusal, true);
  } catch (error) {
    const fault = faultOf(server, error);
    server.known = undefined;
    return outcomeOf(fault, isCalled);
  }
}

/** Calls a tool of a server that has been greeted. */
async function callTool(
  { wire, excerpt }: Server,
  client: Client,
  { tool }: KnownTool,
  args: ToolArguments,
  operation: Operation,
): Promise<{ readonly refusal: Fault | undefined; readonly value: unknown }> {
  wire.begin(operation);
  const result = await client.callTool(
    { name: tool.name, arguments: { ...args } },
    { ...requestOptions, toolDefinition: tool },
  );
  const value = result.isError === true ? undefined : readAnswer(result, mostDepth, excerpt);
  return { refusal: readRefusal(result, value, tool.name, excerpt), value };
}
