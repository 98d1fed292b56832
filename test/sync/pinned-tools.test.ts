import { beforeEach, describe, expect, it } from "vitest";
import { connectTools } from "../../src/app.ts";
import { pinTools } from "../../src/sync/ground/pinned-tools.ts";
import { bounds, createFakeClock, createMemoryLog, failureOf, key } from "../board/http/given.ts";
import { featureOs, productlane } from "../support/mcp/dialects.ts";
import { type HostedMcp, hostMcp } from "../support/mcp/server.ts";
import { openStage, type Stage } from "../support/stage.ts";

describe("a tool of the board", () => {
  let stage: Stage;
  let host: HostedMcp;

  beforeEach(async () => {
    stage = await openStage();
    host = await hostMcp(featureOs, { key });
  });

  function given(schema?: string) {
    const clock = createFakeClock();
    const machine = { clock, random: () => 0.5, log: createMemoryLog(), version: "1.0.0", environment: {} };
    const changelogCreate = { name: "create_changelog", args: {}, ...(schema !== undefined && { schema }) };
    const tools = { changelogList: { name: "list_changelogs", args: {} }, changelogCreate };
    const board = {
      url: "http://127.0.0.1:1/api/v1",
      timeout: 5000,
      retries: 0,
      mcp: { url: host.url, tools },
    };
    const connected = connectTools(board, key, { ...machine, redact: String });
    return { connected, clock, tools: pinTools(connected, tools, { ledger: stage.ledger, clock }) };
  }

  const draft = { title: "v1", description: "New", state: "draft" };
  const change = () => {
    const made = productlane.tools.find(({ name }) => name === "changelogs_create");
    const other = made && { ...made, name: "create_changelog" };
    host.dialect = {
      ...featureOs,
      tools: [...(other ? [other] : []), ...featureOs.tools.filter(({ name }) => name === "list_changelogs")],
    };
  };

  it("is called while its schema is the one of its first use, also by a later process", async () => {
    expect(await given().tools.call("changelogCreate", draft)).toMatchObject({ kind: "applied" });
    expect(await given().tools.call("changelogCreate", draft)).toMatchObject({ kind: "applied" });
    expect(stage.ledger.memory.tool("create_changelog")?.print).toMatch(/^[0-9a-f]{16}$/);
  });

  it("is not called once its schema has changed, until a person names the new one; others are", async () => {
    const first = given();
    await first.tools.call("changelogCreate", draft);
    change();
    const { connected, tools } = given();
    const print = (await connected.describe(bounds())).find(({ name }) => name === "create_changelog")?.print;
    const refused = await tools.call("changelogCreate", draft);
    expect(refused).toEqual({
      kind: "rejected",
      message: `The schema of the tool \`create_changelog\` has changed since it was agreed to, so it is not called. Look at its arguments (\`boardsync check\`), then set board.mcp.tools.changelogCreate.schema to ${print}.`,
    });
    expect(host.called()).toEqual(["create_changelog"]);
    expect(await tools.list("changelogList", {}, bounds())).toMatchObject({ isComplete: true });
    const agreed = await given(print).tools.call("changelogCreate", { title: "v1", notes: "New" });
    expect(agreed).toMatchObject({ kind: "applied" });
  });

  it("is not called where its schema has changed since that was looked at", async () => {
    await given().tools.call("changelogCreate", draft);
    const { connected, clock } = given();
    const describe: typeof connected.describe = async (limits) => {
      const described = await connected.describe(limits);
      await clock.sleep(5 * 60_000);
      change();
      return described;
    };
    const named = { changelogCreate: { name: "create_changelog", args: {} } };
    const tools = pinTools({ ...connected, describe }, named, { ledger: stage.ledger, clock });
    expect(await tools.call("changelogCreate", draft)).toMatchObject({
      kind: "unsent",
      message: expect.stringContaining("has just changed"),
    });
    expect(host.called()).toEqual(["create_changelog"]);
  });

  it("that lists is not called, either", async () => {
    await stage.ledger.commit([{ kind: "remember-tool", tool: { name: "list_changelogs", print: "0" } }]);
    const failure = await failureOf(given().tools.list("changelogList", {}, bounds()));
    expect([failure.fault, failure.message]).toEqual([
      "refused",
      expect.stringContaining("changelogList.schema"),
    ]);
    expect(host.called()).toEqual([]);
  });

  it("is not called where it can't be looked at", async () => {
    host.answering = (_, response) => {
      response.writeHead(429, { "retry-after": "60" }).end();
      return "answered";
    };
    expect(await given().tools.call("changelogCreate", draft)).toMatchObject({ kind: "limited" });
    host.answering = (_, response) => {
      response.writeHead(500).end();
      return "answered";
    };
    expect(await given().tools.call("changelogCreate", draft)).toMatchObject({ kind: "unsent" });
    host.answering = (_, response) => {
      response.writeHead(403).end();
      return "answered";
    };
    expect(await given().tools.call("changelogCreate", draft)).toMatchObject({ kind: "unauthorized" });
    expect(host.called()).toEqual([]);
  });
});
