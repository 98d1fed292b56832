import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { SandboxBoard } from "../support/sandbox/board/board.ts";
import { readBody } from "./gate.ts";

/** An entry of the board's changelog, as people see it. */
export interface ShownEntry {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  readonly status: "draft" | "published";
}

/** The board's own tools, on loopback. */
export interface BoardToolServer {
  readonly origin: string;
  readonly entries: readonly ShownEntry[];
  close(): Promise<void>;
}

const text = z.string();

function statusOf(isPublished: boolean): ShownEntry["status"] {
  return isPublished ? "published" : "draft";
}

/** Starts an MCP server whose tools make posts on the board, and entries of its changelog. */
export async function startBoardTools(board: SandboxBoard, project: string): Promise<BoardToolServer> {
  const entries: ShownEntry[] = [];
  const build = (): McpServer => {
    const server = new McpServer({ name: "board", version: "1.0.0" });
    const add = <Shape extends z.ZodRawShape>(
      name: string,
      shape: Shape,
      run: (args: z.infer<z.ZodObject<Shape>>) => object,
    ): void => {
      server.registerTool(name, { description: name, inputSchema: z.object(shape) }, async (args) => ({
        content: [{ type: "text", text: JSON.stringify(run(args as z.infer<z.ZodObject<Shape>>)) }],
      }));
    };
    add("create_feedback", { title: text, description: text }, (texts) => {
      return { id: board.addPost(project, { ...texts, status: "open", votes: 1 }) };
    });
    add("list_changelog", {}, () => ({ entries }));
    add("create_changelog", { title: text, content: text, publish: z.boolean() }, ({ publish, ...texts }) => {
      const entry = { id: `entry_${entries.length + 1}`, ...texts, status: statusOf(publish) };
      entries.push(entry);
      return entry;
    });
    add("publish_changelog", { id: text }, ({ id }) => {
      const index = entries.findIndex((entry) => entry.id === id);
      const entry = entries[index];
      if (entry === undefined) throw new Error(`There is no entry ${id}.`);
      entries[index] = { ...entry, status: statusOf(true) };
      return { id };
    });
    return server;
  };
  const handler = createMcpHandler(build);
  const server = createServer((incoming, response) => {
    void readBody(incoming).then(async (body) => {
      const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      const method = incoming.method ?? "POST";
      const request = new Request(`http://localhost${incoming.url}`, {
        method,
        headers,
        ...(body.length > 0 && { body: body.toString() }),
      });
      const answer = await handler.fetch(request);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    // A server that listens on a TCP port has no other kind of address.
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    entries,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
