import { RemoteError } from "../../errors.ts";
import { type Patience, repeatRead } from "../../http/repeat.ts";
import type { Sender } from "../../http/send.ts";
import type { ReadBounds, Traffic } from "../../model/surroundings.ts";
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
  ToolRecord,
  ToolWriting,
} from "../tools.ts";
import { readAnswer, readProtocolError, readRefusal } from "./answer.ts";
import { type Connection, type KnownTool, openConnection, requestOptions } from "./connection.ts";
import { errorOf, explainFailure, type Fault, outcomeOf } from "./fault.ts";
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
/** A connection is not used for longer: tools change, and servers forget sessions. */
const connectionMs = 5 * 60_000;

/** What the operations of one server share. */
interface Server {
  readonly options: McpToolsOptions;
  readonly url: URL;
  readonly excerpt: Excerpt;
  readonly wire: Wire;
  connection: Connection | undefined;
}

/** The board's hosted MCP server (https://modelcontextprotocol.io). Its operations follow one another, each on its own. */
export function createMcpTools(options: McpToolsOptions): BoardTools & ToolDirectory & Traffic {
  const { key, redact, version, sender } = options;
  const url = new URL(options.url);
  const excerpt = createExcerpt(key, redact);
  const headers = { authorization: `Bearer ${key}`, "user-agent": `boardsync/${version}` };
  const wire = createWire({ url, headers, sender, depth: mostDepth, excerpt });
  const server: Server = { options, url, excerpt, wire, connection: undefined };
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
      read(bounds, async () => describe(await connect(server, { isRead: true, signal: bounds.signal }))),
    list: (purpose, args, bounds) => read(bounds, () => listRecords(server, purpose, args, bounds)),
    call: (purpose, args) => inTurn(() => callOnce(server, purpose, args)),
    get requests() {
      return sender.requests;
    },
    answers: sender.answers,
  };
}

function describe({ tools }: Connection): readonly ToolDescription[] {
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
    server.connection = undefined;
    const failure = errorOf(fault);
    if (failure.fault === "unreachable" || failure.fault === "limited") return failure;
    throw failure;
  }
}

/** What was thrown, by the client or by what carries it. */
function faultOf({ wire, url, excerpt, options }: Server, error: unknown): Fault {
  const hadSession = wire.hadSession();
  const tools = Object.values(options.tools).flatMap((tool) => tool?.name ?? []);
  const said = readProtocolError(error, excerpt, hadSession, tools);
  const failure = wire.failure();
  if (failure !== undefined && (said === undefined || said.kind === "unknown"))
    return explainFailure(failure, { url, excerpt, now: options.clock.now(), hadSession });
  if (said !== undefined) return said;
  const why = error instanceof Error ? excerpt(error.message) : "no reason";
  return { kind: "unknown", message: `The MCP server's answer can't be used: ${why}.`, detail: "page" };
}

/** Greets the server unless that was done a moment ago. */
async function connect(server: Server, operation: Operation): Promise<Connection> {
  const { wire, url, options } = server;
  const now = options.clock.now();
  const { connection } = server;
  if (connection !== undefined && now - connection.openedAt < connectionMs && now >= connection.openedAt)
    return connection;
  server.connection = undefined;
  wire.begin({ ...operation, isRead: true });
  const opened = await openConnection(wire, url, options.version, now);
  server.connection = opened;
  return opened;
}

/** The tool of a purpose, as the server describes it now. */
async function findTool(
  server: Server,
  purpose: ToolPurpose,
  operation: Operation,
): Promise<KnownTool | undefined> {
  const { tools } = await connect(server, operation);
  return tools.get(server.options.tools[purpose]?.name ?? "");
}

function explainMissing({ options, excerpt }: Server, purpose: ToolPurpose): string {
  const name = options.tools[purpose]?.name;
  return name === undefined
    ? `The config names no tool for \`${purpose}\`.`
    : `The MCP server has no tool \`${excerpt(name, 60)}\`, which board.mcp.tools.${purpose} names.`;
}

async function listRecords(
  server: Server,
  purpose: ToolReading,
  args: ToolArguments,
  bounds: ReadBounds,
): Promise<ToolList> {
  const operation = { isRead: true, signal: bounds.signal };
  const wasOpen = server.connection !== undefined;
  try {
    return await listPages(server, purpose, args, operation);
  } catch (error) {
    // A session that the server has forgotten meanwhile is begun anew, once.
    const isEnded = wasOpen && !(error instanceof RemoteError) && faultOf(server, error).kind === "ended";
    if (!isEnded) throw error;
    server.connection = undefined;
    return await listPages(server, purpose, args, operation);
  }
}

async function listPages(
  server: Server,
  purpose: ToolReading,
  first: ToolArguments,
  operation: Operation,
): Promise<ToolList> {
  const known = await findTool(server, purpose, operation);
  if (known === undefined)
    throw new RemoteError("board", "refused", explainMissing(server, purpose), { detail: "told" });
  const records = new Map<string, ToolRecord>();
  let isWhole = true;
  let received = 0;
  let args = first;
  for (let pages = 1; ; pages += 1) {
    const page = readToolPage(await ask(server, known, args, operation), server.excerpt);
    received += page.records.length;
    const before = records.size;
    for (const value of page.records) {
      const record = readRecord(value, server.options.tools[purpose]?.result);
      if (record === undefined) isWhole = false;
      else records.set(record.id, record);
    }
    const step = stepOn(page, args, known.tool.inputSchema, received);
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
  known: KnownTool,
  args: ToolArguments,
  operation: Operation,
): Promise<unknown> {
  const { client } = await connect(server, operation);
  const { refusal, value } = await callTool(server, client, known, args, operation);
  if (refusal?.kind === "unsent") server.connection = undefined;
  if (refusal !== undefined) throw errorOf(refusal);
  if (value !== undefined) return value;
  const message = `The tool \`${server.excerpt(known.tool.name, 60)}\` answered without a list.`;
  throw new RemoteError("board", "unreadable", message);
}

async function callOnce(server: Server, purpose: ToolWriting, args: ToolArguments): Promise<ToolOutcome> {
  const operation = { isRead: false };
  let isCalled = false;
  try {
    const known = await findTool(server, purpose, operation);
    if (known === undefined)
      return { kind: "unsent", message: explainMissing(server, purpose), fault: "tool" };
    const { client } = await connect(server, operation);
    isCalled = true;
    const { refusal, value } = await callTool(server, client, known, args, operation);
    const record = findRecord(value, server.options.tools[purpose]?.result);
    if (refusal === undefined) return { kind: "applied", record };
    // What it has by now is listed anew.
    if (refusal.kind === "unsent") server.connection = undefined;
    // A no beside a record leaves open what was done.
    const isOpen = refusal.kind === "rejected" && record !== undefined;
    return outcomeOf(isOpen ? { ...refusal, kind: "unknown" } : refusal, true);
  } catch (error) {
    const fault = faultOf(server, error);
    server.connection = undefined;
    return outcomeOf(fault, isCalled);
  }
}

/** Calls a tool of a server that has been greeted. */
async function callTool(
  { wire, excerpt }: Server,
  client: Connection["client"],
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
