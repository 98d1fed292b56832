import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createMcpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { listenHttp } from "../servers.ts";
import type { Dialect, DialectTool, Shelf } from "./dialects.ts";

/** A request for a message of the protocol. */
export interface McpRequest {
  /** Of the message. */
  readonly id: unknown;
  readonly method: string;
  /** Of `tools/call`. */
  readonly tool: string | undefined;
  readonly args: Record<string, unknown>;
  readonly headers: IncomingMessage["headers"];
}

/** Answers a request in the server's place, or cuts it off; undefined: the server answers. `after`: what it has done stays done. */
export type Answering = (
  request: McpRequest,
  response: ServerResponse,
) => "answered" | "answered after" | undefined;

/** A hosted MCP server on loopback. It ends with the test. */
export interface HostedMcp {
  readonly url: string;
  readonly shelf: Shelf;
  /** What was asked, oldest first. */
  readonly asked: McpRequest[];
  /** Tools that were called, in the same order. */
  readonly called: () => readonly string[];
  /** Changed while it runs. */
  dialect: Dialect;
  answering: Answering | undefined;
  /** Forgets every session. */
  dropSessions(): void;
}

export interface HostedOptions {
  readonly key?: string;
  /** Knows the handshake of 2025 alone, and keeps sessions. */
  readonly isLegacy?: boolean;
}

type Serve = (request: Request) => Promise<Response>;

export async function hostMcp(dialect: Dialect, options: HostedOptions = {}): Promise<HostedMcp> {
  const shelf: Shelf = { categories: [], entries: [], posts: [] };
  const asked: McpRequest[] = [];
  let sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const build = (): McpServer => buildServer(host.dialect, shelf);
  const handler = createMcpHandler(build);
  const host = {
    shelf,
    asked,
    called: () => asked.flatMap(({ tool }) => tool ?? []),
    dialect,
    answering: undefined as Answering | undefined,
    dropSessions() {
      sessions = new Map();
    },
  };
  const legacy: Serve = (request) => serveSession(request, sessions, build);
  const serve: Serve = options.isLegacy === true ? legacy : (request) => handler.fetch(request);
  const origin = await listenHttp((incoming, response) => {
    void answer(incoming, response, { host, serve, key: options.key });
  });
  return Object.assign(host, { url: `${origin}/api/mcp` });
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  given: { host: Omit<HostedMcp, "url">; serve: Serve; key: string | undefined },
): Promise<void> {
  const body = await readBody(incoming);
  const message = body === "" ? {} : JSON.parse(body);
  const { id, method = "", params = {} } = message;
  const isCall = method === "tools/call";
  const request = {
    id,
    method,
    tool: isCall ? params.name : undefined,
    args: params.arguments ?? {},
    headers: incoming.headers,
  };
  given.host.asked.push(request);
  if (given.key !== undefined && incoming.headers.authorization !== `Bearer ${given.key}`) {
    response.writeHead(401, { "content-type": "application/json" }).end('{"error":"Unknown key"}');
    return;
  }
  const run = () =>
    given.serve(
      new Request(`http://localhost${incoming.url}`, {
        method: incoming.method ?? "POST",
        headers: Object.entries(incoming.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]),
        ...(body !== "" && { body }),
      }),
    );
  const done = given.host.answering?.(request, response);
  if (done === "answered") return;
  const served = await run();
  const bytes = Buffer.from(await served.arrayBuffer());
  if (done === "answered after") {
    response.destroy();
    return;
  }
  response.writeHead(served.status, Object.fromEntries(served.headers)).end(bytes);
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function serveSession(
  request: Request,
  sessions: Map<string, WebStandardStreamableHTTPServerTransport>,
  build: () => McpServer,
): Promise<Response> {
  const id = request.headers.get("mcp-session-id");
  const known = sessions.get(id ?? "");
  if (known !== undefined) return known.handleRequest(request);
  if (id !== null) return Response.json({ error: "Session not found" }, { status: 404 });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => void sessions.set(session, transport),
  });
  await build().connect(transport);
  return transport.handleRequest(request);
}

function buildServer(dialect: Dialect, shelf: Shelf): McpServer {
  const server = new McpServer({ name: "board", version: "1.0.0" });
  for (const tool of dialect.tools) register(server, tool, dialect, shelf);
  return server;
}

function register(server: McpServer, tool: DialectTool, { isStructured }: Dialect, shelf: Shelf): void {
  const { name, description, input } = tool;
  server.registerTool(name, { description, inputSchema: input }, async (args: Record<string, unknown>) => {
    try {
      const value = tool.run(args, shelf);
      const text = JSON.stringify(value);
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      return {
        content: [{ type: "text" as const, text }],
        ...(isStructured && isObject && { structuredContent: value as Record<string, unknown> }),
      };
    } catch (error) {
      return {
        isError: true,
        content: [{ type: "text" as const, text: error instanceof Error ? error.message : "" }],
      };
    }
  });
}
