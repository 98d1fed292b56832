import { describe, expect, it } from "vitest";
import { featureOs, productlane, quackback } from "../../support/mcp/dialects.ts";
import { hostMcp } from "../../support/mcp/server.ts";
import { bounds, key } from "../http/given.ts";
import { givenTools } from "./given.ts";

const ofFeatureOs = {
  categories: { name: "list_buckets" },
  changelogList: { name: "list_changelogs" },
  changelogCreate: { name: "create_changelog" },
  changelogPublish: { name: "publish_changelog" },
  feedbackCreate: { name: "create_feature_request" },
};

describe("the board's own tools", () => {
  it.each([false, true])("are called by either handshake (legacy: %s)", async (isLegacy) => {
    const host = await hostMcp(featureOs, { key, isLegacy });
    const tools = givenTools(host.url, ofFeatureOs);
    expect(tools.requests).toBe(0);
    const made = await tools.call("changelogCreate", { title: "v1", description: "New", state: "draft" });
    expect(made).toEqual({
      kind: "applied",
      record: { id: "entry_1", title: "v1", isPublished: false },
    });
    expect(await tools.call("changelogPublish", { id: "entry_1" })).toMatchObject({ kind: "applied" });
    expect(await tools.list("changelogList", {}, bounds())).toEqual({
      records: [{ id: "entry_1", title: "v1", text: "New", isPublished: true }],
      isComplete: true,
    });
    expect(host.called()).toEqual(["create_changelog", "publish_changelog", "list_changelogs"]);
    expect(tools.requests).toBe(host.asked.length);
  });
});
