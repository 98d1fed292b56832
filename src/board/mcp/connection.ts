import { hash } from "node:crypto";
import type { Client, PriorDiscovery, Tool } from "@modelcontextprotocol/client";
import { isObject } from "../http/answer/access.ts";
import type { Wire } from "./wire.ts";

/** What is known of a server for a while, as data alone: it may forget a session at any time, and change its tools. */
export interface Known {
  /** By their names; `print` stands for the schema of one. */
  readonly tools: ReadonlyMap<string, { readonly tool: Tool; readonly print: string }>;
  /** How it was greeted, so that the next greeting costs no question about that. */
  readonly prior: PriorDiscovery;
  /** Epoch ms. */
  readonly readAt: number;
}

/** Pages of `tools/list`, and tools on all of them. */
const mostPages = 20;
const mostTools = 1000;

/**
 * Greets the server by the protocol's handshake of today, or by the older one where it knows no other. The package is loaded
 * here, so that it costs nothing where the config has no `board.mcp`.
 */
export async function openClient(
  wire: Wire,
  url: URL,
  version: string,
  prior: PriorDiscovery | undefined,
): Promise<Client> {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "boardsync", version },
    {
      capabilities: {},
      versionNegotiation: { mode: "auto" },
      // Nobody is there to be asked something, and no call is made twice.
      inputRequired: { autoFulfill: false },
      // What a tool says of its answers is not believed; what it answers is looked at by ourselves.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
  const transport = new StreamableHTTPClientTransport(url, { fetch: wire.fetch });
  await client.connect(transport, { ...requestOptions, ...(prior && { prior }) });
  return client;
}

/** Lists the tools of a server that has been greeted. */
export async function readKnown(client: Client, readAt: number): Promise<Known> {
  const discover = client.getDiscoverResult();
  const prior: PriorDiscovery = discover ? { kind: "modern", discover } : { kind: "legacy" };
  return { tools: await listTools(client), prior, readAt };
}

/** The deadline is that of our sender; the client's own timers would not know our clock. */
export const requestOptions = { timeout: 2 ** 31 - 1 } as const;

async function listTools(client: Client): Promise<Known["tools"]> {
  const tools = new Map<string, { tool: Tool; print: string }>();
  let cursor: string | undefined;
  for (let page = 1; page <= mostPages && tools.size < mostTools; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: "tools/list", params }, requestOptions);
    for (const tool of listed.tools) {
      if (!tools.has(tool.name)) tools.set(tool.name, { tool, print: printOf(tool.inputSchema) });
    }
    if (listed.nextCursor === undefined || listed.nextCursor === cursor) break;
    cursor = listed.nextCursor;
  }
  return tools;
}

/** Stands for a schema, whatever the order of its keys. */
function printOf(schema: unknown): string {
  return hash("sha256", JSON.stringify(inOrder(schema))).slice(0, 16);
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  const sorted = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, inner]) => [key, inOrder(inner)]));
}
