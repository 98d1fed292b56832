import type { DemoAnswer, DemoRequest } from "./loopback.ts";

/** An entry of the demo's changelog; whoever made one can be told of it only once it is published. */
export interface DemoEntry {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  readonly isPublished: boolean;
}

/** What the tools work on. `addPost` answers what the board shows of the post; undefined where there is no such project. */
export interface DemoShelf {
  readonly addPost: (
    project: string,
    post: { title: string; description: string; categoryId: string | null; status: string; votes: number },
  ) => object | undefined;
  readonly entries: Map<string, DemoEntry>;
}

const categories = [
  { id: "cat_looks", name: "Looks" },
  { id: "cat_data", name: "Data" },
];

type Arguments = Readonly<Record<string, unknown>>;

interface Tool {
  readonly name: string;
  readonly description: string;
  /** Type of each argument; those whose name ends with `?` may be left out. */
  readonly takes: Readonly<Record<string, "string" | "boolean">>;
  /** undefined where it is refused. */
  readonly run: (args: Arguments, shelf: DemoShelf) => object | undefined;
}

const tools: readonly Tool[] = [
  {
    name: "list_categories",
    description: "List the categories of feedback",
    takes: {},
    run: () => ({ categories }),
  },
  {
    name: "list_changelog",
    description: "List the entries of the changelog, drafts included",
    takes: {},
    run: (_, { entries }) => ({ entries: [...entries.values()].map(showEntry) }),
  },
  {
    name: "create_changelog",
    description: "Create an entry of the changelog; a draft unless `publish` is true",
    takes: { title: "string", content: "string", "publish?": "boolean" },
    run({ title, content, publish }, { entries }) {
      const id = `entry_${entries.size + 1}`;
      const entry = { id, title: String(title), content: String(content), isPublished: publish === true };
      entries.set(id, entry);
      return showEntry(entry);
    },
  },
  {
    name: "publish_changelog",
    description: "Publish a draft of the changelog: its subscribers get a mail",
    takes: { id: "string" },
    run({ id }, { entries }) {
      const draft = entries.get(String(id));
      if (draft === undefined) return undefined;
      entries.set(draft.id, { ...draft, isPublished: true });
      return showEntry({ ...draft, isPublished: true });
    },
  },
  {
    name: "create_feedback",
    description: "Create a post",
    takes: { project: "string", title: "string", description: "string", "categoryId?": "string" },
    run({ project, title, description, categoryId }, { addPost }) {
      const category = categories.find(({ id }) => id === categoryId)?.id ?? null;
      const text = { title: String(title), description: String(description), categoryId: category };
      return addPost(String(project), { ...text, status: "open", votes: 1 });
    },
  },
];

function showEntry({ isPublished, ...entry }: DemoEntry) {
  return { ...entry, status: isPublished ? "published" : "draft" };
}

function schemaOf(takes: Tool["takes"]) {
  const named = Object.entries(takes).map(([name, type]) => [name.replace("?", ""), { type }] as const);
  const required = Object.keys(takes).filter((name) => !name.endsWith("?"));
  return { type: "object", properties: Object.fromEntries(named), required };
}

/**
 * Answers one request to the board's own tools, as a server of the Model Context Protocol does that keeps no session
 * (https://modelcontextprotocol.io/specification/2025-06-18/basic/transports).
 */
export function answerTools({ method, body }: DemoRequest, shelf: DemoShelf): DemoAnswer {
  if (method !== "POST") return { status: 405 };
  const { id, method: asked, params } = body;
  // A notification wants no answer.
  if (id === undefined) return { status: 202 };
  const { protocolVersion, name, arguments: args } = isObject(params) ? params : {};
  const respond = (part: object): DemoAnswer => ({ status: 200, body: { jsonrpc: "2.0", id, ...part } });
  if (asked === "initialize") {
    const serverInfo = { name: "demo-board", version: "1.0.0" };
    return respond({ result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  }
  if (asked === "tools/list") {
    const listed = tools.map(({ name, description, takes }) => ({
      name,
      description,
      inputSchema: schemaOf(takes),
    }));
    return respond({ result: { tools: listed } });
  }
  if (asked !== "tools/call") return respond({ error: { code: -32_601, message: "Method not found" } });
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return respond({ error: { code: -32_602, message: "There is no such tool." } });
  const given = isObject(args) ? args : {};
  const isRight = ([name, type]: readonly [string, string]): boolean => {
    const value = given[name.replace("?", "")];
    return typeof value === type || (name.endsWith("?") && value === undefined);
  };
  const made = Object.entries(tool.takes).every(isRight) ? tool.run(given, shelf) : undefined;
  const text = made === undefined ? "These arguments are not accepted." : JSON.stringify(made);
  return respond({ result: { content: [{ type: "text", text }], isError: made === undefined } });
}

function isObject(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null;
}
