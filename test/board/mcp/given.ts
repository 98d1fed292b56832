import { createMcpTools, type McpToolsOptions } from "../../../src/board/mcp/mcp.ts";
import { createSender } from "../../../src/http/send.ts";
import { createFakeClock, createMemoryLog, key } from "../http/given.ts";

/** The board's tools behind a hosted MCP server. */
export function givenTools(
  url: string,
  tools: McpToolsOptions["tools"],
  given: Partial<McpToolsOptions> & { readonly timeoutMs?: number; readonly bodyBytes?: number } = {},
) {
  const { timeoutMs = 5000, bodyBytes = 1024 * 1024, clock = createFakeClock(), ...options } = given;
  return createMcpTools({
    url,
    key,
    version: "1.2.3",
    sender: createSender({ proxy: {}, timeoutMs, bodyBytes, clock }),
    retries: 0,
    clock,
    random: () => 0.5,
    log: createMemoryLog(),
    tools,
    ...options,
  });
}
