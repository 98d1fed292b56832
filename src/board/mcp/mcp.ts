import { RemoteError } from "../../errors.ts";
import { repeatRead } from "../../http/repeat.ts";
import type { ToolRecord } from "../../model/post.ts";
import type { ReadBounds, Traffic } from "../../model/surroundings.ts";
import { errorOf, type Fault } from "../http/answer/refusal.ts";
import { createExcerpt, type Excerpt } from "../http/answer/wording.ts";
import type { BoardAccess } from "../http/http.ts";
import type {
  BoardTools,
  ToolArguments,
  ToolDirectory,
  ToolList,
  ToolOutcome,
  ToolPurpose,
  ToolReading,
} from "../tools.ts";
import { explainFailure, outcomeOf, readAnswer, readProtocolError, readRefusal } from "./answer.ts";
import { type Known, openClient, readKnown, requestOptions } from "./connection.ts";
import { readToolPage, stepOn } from "./paging.ts";
import { findRecord, readRecord } from "./records.ts";
import { createWire, type Operation, type Wire } from "./wire.ts";

export interface McpToolsOptions extends BoardAccess {
  /** By the purpose that it serves; `result`: where the id stands in its answer (of a list: in each record), if that can't be recognised. */
  readonly tools: {
    readonly [purpose in ToolPurpose]?:
      | { readonly name: string; readonly result?: string | undefined }
      | undefined;
  };
}

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
  const wire = createWire({ url, headers, sender, excerpt });
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
        const { tools } =
          fresh(server) ?? (await open(server, { isRead: true, signal: bounds.signal })).known;
        return [...tools.values()].map(({ tool: { name, description, inputSchema: schema }, print }) => {
          return { name, description, schema, print };
        });
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
async function open(server: Server, operation: Operation) {
  const { wire, url, options } = server;
  const before = fresh(server);
  wire.begin({ ...operation, isRead: true });
  const client = await openClient(wire, url, options.version, before?.prior);
  const known = before ?? (await readKnown(client, options.clock.now()));
  server.known = known;
  return { client, known };
}

/** A tool that is to be called, while its schema is the one that was looked at. */
interface Wanted {
  readonly purpose: ToolPurpose;
  readonly print: string | undefined;
}

/** Greets the server for a tool, as it describes it now; gives a sentence where that can't be called. */
async function openTool(server: Server, { purpose, print }: Wanted, operation: Operation) {
  const { options, wire, excerpt } = server;
  const { client, known } = await open(server, operation);
  const named = options.tools[purpose];
  if (named === undefined) return `The config names no tool for \`${purpose}\`.`;
  const found = known.tools.get(named.name);
  const shown = `\`${excerpt(named.name, 60)}\``;
  if (found === undefined)
    return `The MCP server has no tool ${shown}, which board.mcp.tools.${purpose} names.`;
  if (print !== undefined && found.print !== print)
    return `The schema of the tool ${shown} has just changed, so it was not called.`;
  const { tool } = found;
  return {
    shown,
    schema: tool.inputSchema,
    /** Where the id stands in what it answers, as the config says. */
    idPath: named.result,
    async call(args: ToolArguments) {
      wire.begin(operation);
      const asked = { name: tool.name, arguments: { ...args } };
      const result = await client.callTool(asked, { ...requestOptions, toolDefinition: tool });
      const value = result.isError === true ? undefined : readAnswer(result, excerpt);
      const refusal = readRefusal(result, value, tool.name, excerpt);
      // What it has by now is listed anew.
      if (refusal?.kind === "unsent") server.known = undefined;
      return { refusal, value };
    },
  };
}

async function listRecords(
  server: Server,
  wanted: Wanted & { readonly purpose: ToolReading },
  first: ToolArguments,
  bounds: ReadBounds,
): Promise<ToolList> {
  const tool = await openTool(server, wanted, { isRead: true, signal: bounds.signal });
  if (typeof tool === "string") throw new RemoteError("board", "refused", tool, { detail: "told" });
  const records = new Map<string, ToolRecord>();
  let isWhole = true;
  let received = 0;
  let args = first;
  for (let pages = 1; ; pages += 1) {
    const { refusal, value } = await tool.call(args);
    if (refusal !== undefined) throw errorOf(refusal);
    if (value === undefined) {
      const message = `The tool ${tool.shown} answered without a list.`;
      throw new RemoteError("board", "unreadable", message, { detail: "told" });
    }
    const page = readToolPage(value, server.excerpt);
    received += page.records.length;
    const before = records.size;
    for (const one of page.records) {
      const record = readRecord(one, tool.idPath);
      if (record === undefined) isWhole = false;
      else records.set(record.id, record);
    }
    const step = stepOn(page, args, tool.schema, received);
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

async function callOnce(server: Server, wanted: Wanted, args: ToolArguments): Promise<ToolOutcome> {
  let isCalled = false;
  try {
    const tool = await openTool(server, wanted, { isRead: false });
    if (typeof tool === "string") return { kind: "unsent", message: tool, fault: "tool" };
    isCalled = true;
    const { refusal, value } = await tool.call(args);
    const record = findRecord(value, tool.idPath);
    if (refusal === undefined) return { kind: "applied", record };
    // A no beside a record leaves open what was done.
    const isOpen = refusal.kind === "rejected" && record !== undefined;
    return outcomeOf(isOpen ? { ...refusal, kind: "unknown" } : refusal, true);
  } catch (error) {
    const fault = faultOf(server, error);
    server.known = undefined;
    return outcomeOf(fault, isCalled);
  }
}
