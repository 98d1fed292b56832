import { describe, expect, it } from "vitest";
import { createDeadlines } from "../../support/deadlines.ts";
import { featureOs, productlane, quackback } from "../../support/mcp/dialects.ts";
import { type Answering, type HostedMcp, hostMcp } from "../../support/mcp/server.ts";
import { listenHttp } from "../../support/servers.ts";
import { bounds, createFakeClock, failureOf, key } from "../http/given.ts";
import { givenTools } from "./given.ts";

const named = {
  categories: { name: "list_buckets" },
  changelogList: { name: "list_changelogs" },
  changelogCreate: { name: "create_changelog" },
  changelogPublish: { name: "publish_changelog" },
  feedbackCreate: { name: "create_feature_request" },
};
const draft = { title: "v1", description: "New", state: "draft" };

/** Only calls of tools are answered so. */
function onCalls(answer: Answering): Answering {
  return (request, response) => (request.tool === undefined ? undefined : answer(request, response));
}

function answerWith(
  host: HostedMcp,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  host.answering = onCalls((_, response) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
    return "answered";
  });
}

describe("the board's own tools", () => {
  it.each([false, true])("are called by either handshake (legacy: %s)", async (isLegacy) => {
    const host = await hostMcp(featureOs, { key, isLegacy });
    const tools = givenTools(host.url, named);
    expect(tools.requests).toBe(0);
    const made = await tools.call("changelogCreate", draft);
    expect(made).toEqual({ kind: "applied", record: { id: "entry_1", title: "v1", isPublished: false } });
    expect(await tools.call("changelogPublish", { id: "entry_1" })).toMatchObject({ kind: "applied" });
    expect(await tools.list("changelogList", {}, bounds())).toEqual({
      records: [{ id: "entry_1", title: "v1", text: "New", isPublished: true }],
      isComplete: true,
    });
    expect(host.called()).toEqual(["create_changelog", "publish_changelog", "list_changelogs"]);
    expect(tools.requests).toBe(host.asked.length);
    expect(host.asked.every(({ headers }) => headers.authorization === `Bearer ${key}`)).toBe(true);
  });

  it("are described with their schemas, and none is called", async () => {
    const host = await hostMcp(quackback);
    const tools = givenTools(host.url, {});
    const described = await tools.describe(bounds());
    expect(described.map(({ name }) => name)).toEqual(quackback.tools.map(({ name }) => name));
    expect(described.find(({ name }) => name === "create_post")?.schema).toMatchObject({
      required: ["boardId", "title"],
    });
    expect(new Set(described.map(({ print }) => print)).size).toBe(described.length);
    expect(host.called()).toEqual([]);
    expect(tools.purposes).toEqual(new Set());
  });

  it("are asked for anew after five minutes, and a schema that changed has another print", async () => {
    const clock = createFakeClock();
    const host = await hostMcp(featureOs);
    const tools = givenTools(host.url, named, { clock });
    const before = await tools.describe(bounds());
    host.dialect = { ...featureOs, tools: [...featureOs.tools.slice(0, 4), ...quackback.tools.slice(3, 4)] };
    expect(await tools.describe(bounds())).toEqual(before);
    await clock.sleep(5 * 60_000);
    expect((await tools.describe(bounds())).map(({ name }) => name)).toContain("update_changelog");
  });

  it("follow the cursor of a list that answers in text alone", async () => {
    const host = await hostMcp(quackback);
    const tools = givenTools(host.url, { changelogList: { name: "search" } });
    for (let n = 1; n <= 5; n += 1)
      host.shelf.entries.push({ id: `e${n}`, title: `v${n}`, text: "", isPublished: n === 1 });
    const args = { entity: "changelogs", status: "all", limit: 2 };
    const { records, isComplete } = await tools.list("changelogList", args, bounds());
    expect(records.map(({ id }) => id)).toEqual(["e1", "e2", "e3", "e4", "e5"]);
    expect(records.map(({ isPublished }) => isPublished)).toEqual([true, false, false, false, false]);
    expect(isComplete).toBe(true);
    expect(host.asked.flatMap(({ args: { cursor }, tool }) => (tool ? [cursor] : []))).toEqual([
      undefined,
      "2",
      "4",
    ]);
  });

  it("follow numbered pages", async () => {
    const host = await hostMcp(featureOs);
    const tools = givenTools(host.url, named);
    for (let n = 1; n <= 5; n += 1)
      host.shelf.entries.push({ id: `e${n}`, title: "", text: "", isPublished: false });
    const { records, isComplete } = await tools.list("changelogList", {}, bounds());
    expect([records.length, isComplete]).toEqual([5, true]);
  });

  it("give a bare list, and an id by the name that the config gives", async () => {
    const host = await hostMcp(productlane);
    const tools = givenTools(host.url, {
      changelogList: { name: "changelogs_list", result: "title" },
      changelogCreate: { name: "changelogs_create", result: "changelogId" },
    });
    const made = await tools.call("changelogCreate", { title: "v1", notes: "New", published: false });
    expect(made).toEqual({ kind: "applied", record: { id: "entry_1" } });
    const { records } = await tools.list("changelogList", {}, bounds());
    expect(records).toEqual([{ id: "v1", title: "v1", isPublished: false }]);
  });

  it("are listed to the end that can be reached: a promise of more is no complete list", async () => {
    const host = await hostMcp(productlane);
    const tools = givenTools(host.url, { changelogList: { name: "changelogs_list" } });
    answerWith(host, 200, {});
    host.answering = onCalls((_, response) => {
      const content = [{ type: "text", text: JSON.stringify({ items: [{ id: "a" }], hasMore: true }) }];
      const id = idOf(host);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { content, resultType: "complete" } }));
      return "answered";
    });
    expect(await tools.list("changelogList", {}, bounds())).toEqual({
      records: [{ id: "a" }],
      isComplete: false,
    });
  });
});

/** The number of the message that was heard last. */
function idOf(host: HostedMcp): unknown {
  return host.asked.at(-1)?.id;
}

describe("a call of a tool that writes", () => {
  async function givenCall(answer: Answering | undefined, options: Parameters<typeof givenTools>[2] = {}) {
    const host = await hostMcp(featureOs, { key, isLegacy: false });
    const tools = givenTools(host.url, named, options);
    await tools.describe(bounds());
    host.answering = answer && onCalls(answer);
    return { host, outcome: await tools.call("changelogCreate", draft), tools };
  }

  it.each([
    ["a limit", 429, { "retry-after": "30" }, "limited"],
    ["a refused key", 401, {}, "unauthorized"],
    ["a missing permission", 403, {}, "unauthorized"],
    ["a refusal", 422, {}, "rejected"],
    ["a failure of the server", 502, {}, "unknown"],
    ["a redirect to another origin", 307, { location: "https://x.example/" }, "unknown"],
    ["no server any more", 404, {}, "unsent"],
  ] as const)(
    "comes to one outcome where the answer is %s, after one request",
    async (_, status, headers, kind) => {
      const { host, outcome } = await givenCall((__, response) => {
        response.writeHead(status, { "content-type": "application/json", ...headers }).end('{"error":"No."}');
        return "answered";
      });
      expect(outcome.kind).toBe(kind);
      expect(host.called()).toEqual(["create_changelog"]);
    },
  );

  it.each([
    [
      "another message's number",
      (id: unknown) => ({ jsonrpc: "2.0", id: Number(id) + 1, result: { content: [] } }),
    ],
    ["no result", () => ({ hello: "there" })],
    ["a result of another shape", (id: unknown) => ({ jsonrpc: "2.0", id, result: { content: 7 } })],
    [
      "an internal error",
      (id: unknown) => ({ jsonrpc: "2.0", id, error: { code: -32603, message: "oops" } }),
    ],
    ["JSON that is too deep", (id: unknown) => ({ jsonrpc: "2.0", id, result: deep(80) })],
  ])("is in doubt where a 200 has %s", async (_, body) => {
    const { host, outcome } = await givenCall((request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body(request.id)));
      return "answered";
    });
    expect(outcome.kind).toBe("unknown");
    expect(host.called()).toHaveLength(1);
  });

  it("is in doubt where its answer is lost, and was done", async () => {
    const { host, outcome } = await givenCall(() => "answered after");
    expect(outcome.kind).toBe("unknown");
    expect(host.shelf.entries).toHaveLength(1);
  });

  it("is in doubt where the answer is cut off, too large, or too late", async () => {
    const cut = await givenCall((_, response) => {
      response.writeHead(200, { "content-length": "1000" }).write("{");
      response.destroy();
      return "answered";
    });
    const large = await givenCall(
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end("x".repeat(300_000));
        return "answered";
      },
      { bodyBytes: 200_000 },
    );
    const deadlines = createDeadlines();
    const late = await givenCall(
      () => {
        deadlines.passWhenAlone();
        return "answered";
      },
      { clock: { ...createFakeClock(), after: deadlines.after } },
    );
    expect([cut, large, late].map(({ outcome }) => outcome.kind)).toEqual(["unknown", "unknown", "unknown"]);
  });

  it.each([
    ["too many requests, rate limit exceeded", "limited"],
    ["Forbidden: missing scope write:changelog", "unauthorized"],
    ["The upstream timed out", "unknown"],
    ["The service is unavailable", "unknown"],
    ["Request failed with status code 503", "unknown"],
    ["502 Bad Gateway", "unknown"],
    ["Unauthorized", "unauthorized"],
    ["Error: 403", "unauthorized"],
    ["You don't have permission to create posts", "unauthorized"],
    ["Missing required scope: feedback:write", "unauthorized"],
    ["This key is not allowed to write", "unauthorized"],
    ["Invalid API key", "unauthorized"],
    ["We are in maintenance mode, try again later", "unknown"],
    ["SQLITE_BUSY: database is locked", "unknown"],
    ["Quota exceeded", "unknown"],
    ["Please slow down", "unknown"],
    ["The server is overloaded", "unknown"],
    ["The entry is locked", "rejected"],
    ["Unknown category: Maintenance", "rejected"],
    ["Pictures that slow down the page are not allowed", "rejected"],
    ["You have reached your plan limit of 10 changelog entries", "rejected"],
    ["title must not be empty", "rejected"],
    ["Validation failed: HTML is not allowed in the description", "rejected"],
    ["Duplicate titles are not allowed.", "rejected"],
    ["Forbidden word in the title", "rejected"],
    ["Invalid permission value", "rejected"],
    ["Description must be at most 500 characters", "rejected"],
    ["Title too long (max 504)", "rejected"],
    ["The category is unavailable", "rejected"],
    ["A post has at most 401 tags", "rejected"],
  ])("that says it failed, “%s”, is taken at its word", async (words, kind) => {
    const host = await hostMcp({
      ...featureOs,
      tools: featureOs.tools.map((tool) => ({
        ...tool,
        run() {
          throw new Error(words);
        },
      })),
    });
    const outcome = await givenTools(host.url, named).call("changelogCreate", draft);
    expect(outcome).toMatchObject({ kind, message: `The tool refused: "${words}".` });
  });

  it.each<[unknown, string]>([
    [{ success: false, error: "Content must not be empty." }, "rejected"],
    [{ ok: false, message: "Your plan does not include publishing." }, "rejected"],
    [{ success: false }, "rejected"],
    [{ error: { code: 17, message: "The title is too long" } }, "rejected"],
    [{ error: { code: 17 } }, "rejected"],
    [{ error: true, message: "The title is too long" }, "rejected"],
    [{ errors: ["No title", { message: "No text" }] }, "rejected"],
    [{ status: "error", message: "The entry is locked" }, "rejected"],
    [{ result: { success: false, error: "The entry is locked" } }, "rejected"],
    [{ success: false, error: "Too many requests" }, "limited"],
    [{ success: false, error: "Invalid API key" }, "unauthorized"],
    [{ success: false, error: "Internal server error" }, "unknown"],
    // What it shows may have been made.
    [{ id: "entry_1", error: "The mail was not sent" }, "unknown"],
    [{ success: true, error: "", errors: [], entry: { id: "entry_1" } }, "applied"],
    [{ entry: { id: "entry_1", status: "draft", error: null } }, "applied"],
  ])("that answers %j, and no error, is taken at its word", async (answer, kind) => {
    for (const isStructured of [true, false]) {
      const tools = featureOs.tools.map((tool) => ({ ...tool, run: () => answer }));
      const host = await hostMcp({ isStructured, tools });
      expect(await givenTools(host.url, named).call("changelogCreate", draft)).toMatchObject({ kind });
    }
  });

  it("that the server doesn't know is not sent, and one whose arguments don't fit is rejected", async () => {
    const host = await hostMcp(featureOs);
    const tools = givenTools(host.url, { ...named, feedbackCreate: { name: "gone" } });
    const gone = await tools.call("feedbackCreate", {});
    expect(gone).toEqual({
      kind: "unsent",
      fault: "tool",
      message: "The MCP server has no tool `gone`, which board.mcp.tools.feedbackCreate names.",
    });
    expect(await tools.call("changelogUpdate", {})).toMatchObject({ kind: "unsent" });
    expect(host.called()).toEqual([]);
    expect(await tools.call("changelogCreate", { title: 7 })).toMatchObject({ kind: "rejected" });
  });

  it("is not sent where the server can't be greeted", async () => {
    const refused = await hostMcp(featureOs, { key: "another" });
    expect(await givenTools(refused.url, named).call("changelogCreate", draft)).toMatchObject({
      kind: "unauthorized",
    });
    const nobody = await givenTools("http://127.0.0.1:1/api/mcp", named).call("changelogCreate", draft);
    expect(nobody.kind).toBe("unsent");
    const page = await listenHttp((_, response) => void response.end("<html>Hello"));
    expect(await givenTools(page, named).call("changelogCreate", draft)).toMatchObject({
      kind: "unsent",
      fault: "unreadable",
    });
  });

  it("is made, whatever sessions the server has dropped since its tools were listed", async () => {
    const host = await hostMcp(featureOs, { isLegacy: true });
    const tools = givenTools(host.url, named);
    await tools.describe(bounds());
    host.dropSessions();
    expect(await tools.call("changelogCreate", draft)).toMatchObject({ kind: "applied" });
    expect(host.shelf.entries).toHaveLength(1);
  });

  it("costs no question about what is known of the server", async () => {
    const asked = async (isLegacy: boolean) => {
      const host = await hostMcp(featureOs, { isLegacy });
      const tools = givenTools(host.url, named);
      await tools.describe(bounds());
      const before = host.asked.length;
      await tools.call("changelogCreate", draft);
      return host.asked.slice(before).map(({ method }) => method);
    };
    expect(await asked(false)).toEqual(["tools/call"]);
    expect(await asked(true)).toEqual(["initialize", "notifications/initialized", "tools/call"]);
  });

  it.each([
    [-32_603, "Internal error: the database session was closed unexpectedly"],
    [-32_000, "Mail could not be sent: SMTP session ended"],
    [-32_001, "Request timed out: upstream session terminated"],
    [-32_603, "The entry is made, but tool webhook not found"],
  ])("may have been made where an error speaks of something else: %d %s", async (code, message) => {
    const host = await hostMcp(featureOs, { isLegacy: true });
    const tools = givenTools(host.url, named);
    await tools.describe(bounds());
    host.answering = (request, response) => {
      if (request.tool === undefined) return undefined;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: request.id, error: { code, message } }));
      return "answered";
    };
    expect(await tools.call("changelogCreate", draft)).toMatchObject({ kind: "unknown" });
  });

  it.each([1, 7, 5000])(
    "is made where the stream of its answer stays open, in pieces of %d bytes",
    async (size) => {
      const deadlines = createDeadlines();
      const clock = { ...createFakeClock(), after: deadlines.after };
      const { host, outcome } = await givenCall(
        (request, response) => {
          const text = JSON.stringify({ id: "entry_7", title: "v1" });
          const result = { resultType: "complete", content: [{ type: "text", text }] };
          const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
          const messages = [progress, { jsonrpc: "2.0", id: request.id, result }];
          const events = messages.map(
            (message) => `event: message\r\ndata: ${JSON.stringify(message)}\r\n\r\n`,
          );
          const bytes = Buffer.from(`: ping\r\n\r\n${events.join("")}`);
          response.writeHead(200, { "content-type": "text/event-stream" });
          for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size));
          return "answered";
        },
        { clock },
      );
      expect(outcome).toEqual({ kind: "applied", record: { id: "entry_7", title: "v1" } });
      expect(host.called()).toHaveLength(1);
    },
  );

  it.each([
    ["holds separators that end no line of it", "v1\u2028v2\u2029v3\u0085v4", undefined],
    ["is written over several lines", "v1", 1],
  ])("is made where the event of its answer %s", async (_, title, indent) => {
    const { outcome } = await givenCall((request, response) => {
      const text = JSON.stringify({ id: "entry_7", title });
      const result = { resultType: "complete", content: [{ type: "text", text }] };
      const lines = JSON.stringify({ jsonrpc: "2.0", id: request.id, result }, null, indent).split("\n");
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`event: message\r\n${lines.map((line) => `data: ${line}\r\n`).join("")}\r\n`);
      return "answered";
    });
    expect(outcome).toEqual({ kind: "applied", record: { id: "entry_7", title } });
  });

  it.each([
    ["an error of the protocol", { error: { code: -32_602, message: "Tool create_changelog not found" } }],
    [
      "its answer",
      {
        result: {
          resultType: "complete",
          isError: true,
          content: [{ type: "text", text: "Unknown tool: create_changelog" }],
        },
      },
    ],
  ])(
    "of a tool that the server lacks for a moment, by %s, is not made, and its tools are listed anew",
    async (_, said) => {
      const { host, outcome, tools } = await givenCall((request, response) => {
        const text = JSON.stringify({ jsonrpc: "2.0", id: request.id, ...said });
        response.writeHead(200, { "content-type": "application/json" }).end(text);
        return "answered";
      });
      expect(outcome).toMatchObject({ kind: "unsent" });
      host.answering = undefined;
      const before = host.asked.length;
      expect(await tools.call("changelogCreate", draft)).toMatchObject({ kind: "applied" });
      expect(host.asked.slice(before).map(({ method }) => method)).toContain("tools/list");
    },
  );

  it("quotes no key, no control character and no more than a line of what the server says", async () => {
    const host = await hostMcp(featureOs);
    const tools = givenTools(host.url, named);
    await tools.describe(bounds());
    answerWith(host, 422, { error: `\u001b[2J${key}\u202e jane@example.com ${"x".repeat(5000)}` });
    const outcome = await tools.call("changelogCreate", draft);
    const said = JSON.stringify(outcome);
    expect(outcome.kind).toBe("rejected");
    expect(said).not.toContain(key);
    expect(said).not.toContain("jane@example.com");
    expect(said).not.toMatch(/\\u001b\[|\u202e/);
    expect(said.length).toBeLessThan(500);
  });
});

function deep(levels: number): unknown {
  return levels === 0 ? {} : { content: [], inner: deep(levels - 1) };
}

describe("a list of a tool", () => {
  it("is read, whatever sessions the server has dropped", async () => {
    const host = await hostMcp(featureOs, { isLegacy: true });
    const tools = givenTools(host.url, named);
    await tools.describe(bounds());
    host.dropSessions();
    expect(await tools.list("changelogList", {}, bounds())).toEqual({ records: [], isComplete: true });
  });

  it("is repeated where the failure may pass", async () => {
    const host = await hostMcp(featureOs);
    const tools = givenTools(host.url, named, { retries: 1 });
    await tools.describe(bounds());
    let failures = 0;
    host.answering = onCalls((_, response) => {
      failures += 1;
      if (failures > 1) return undefined;
      response.writeHead(503).end();
      return "answered";
    });
    expect(await tools.list("changelogList", {}, bounds())).toMatchObject({ isComplete: true });
  });

  it.each([
    [401, "unauthorized"],
    [429, "limited"],
    [500, "unreachable"],
    [302, "refused"],
    [400, "refused"],
  ])("ends as an error where the answer is HTTP %s", async (status, fault) => {
    const host = await hostMcp(featureOs);
    const tools = givenTools(host.url, named);
    await tools.describe(bounds());
    answerWith(host, status, { error: "No." }, { location: "https://x.example/" });
    expect((await failureOf(tools.list("changelogList", {}, bounds()))).fault).toBe(fault);
  });

  it.each([
    ["/api/mcp/", "told"],
    ["https://new.example/mcp", "told"],
    ["https://login.example/sign-in?next=/mcp", "page"],
  ])(
    "names board.mcp.url where the server has moved, not where a page answers: %s",
    async (location, detail) => {
      const host = await hostMcp(featureOs);
      const tools = givenTools(host.url, named);
      await tools.describe(bounds());
      answerWith(host, 307, {}, { location });
      const error = await failureOf(tools.list("changelogList", {}, bounds()));
      expect(error).toMatchObject({ fault: "refused", detail });
      expect(error.message.includes("set board.mcp.url to the address itself")).toBe(detail === "told");
    },
  );

  it("ends as an error where the tool answers that it failed, beside a list", async () => {
    const tools = featureOs.tools.map((tool) => {
      return { ...tool, run: () => ({ success: false, error: "The index is down", entries: [] }) };
    });
    const host = await hostMcp({ isStructured: true, tools });
    const reading = givenTools(host.url, named).list("changelogList", {}, bounds());
    expect(await failureOf(reading)).toMatchObject({ message: expect.stringContaining("The index is down") });
  });

  it("ends as an error where the tool has no list, is gone, or the run is over", async () => {
    const host = await hostMcp(featureOs);
    const tools = givenTools(host.url, {
      changelogList: { name: "publish_changelog" },
      categories: { name: "gone" },
    });
    host.shelf.entries.push({ id: "e1", title: "", text: "", isPublished: false });
    const noList = await failureOf(tools.list("changelogList", { id: "e1" }, bounds()));
    expect(noList.fault).toBe("unreadable");
    expect((await failureOf(tools.list("changelogList", { id: "e9" }, bounds()))).message).toContain(
      "There is no entry e9.",
    );
    expect((await failureOf(tools.list("categories", {}, bounds()))).message).toContain("no tool `gone`");
    const over = new AbortController();
    over.abort();
    const { signal } = over;
    expect((await failureOf(tools.list("categories", {}, bounds({ signal })))).fault).toBe("aborted");
  });
});
