import { describe, expect, it } from "vitest";
import { featureOs } from "../support/mcp/dialects.ts";
import { hostMcp } from "../support/mcp/server.ts";
import { twoRepositories } from "../support/setups.ts";
import { type ConfigPart, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const names = { cat_1: "Billing", cat_2: "Mobile app" };

function projectWith(part: ConfigPart): readonly ConfigPart[] {
  return [{ ...standardProject, rules: [{ when: { state: "closed" }, set: { status: "done" } }], ...part }];
}

/** Titles of the issues that were opened. */
function opened({ github }: Stage): readonly string[] {
  return github.issues("acme/app").map(({ title }) => title);
}

describe("categories by their names", () => {
  it("select posts, give labels and stand in texts, where the records name them; from the first run on", async () => {
    const issue = {
      labels: ["feedback"],
      categoryLabels: { billing: "in progress" },
      body: "In {{ post.category }}",
    };
    const stage = await openStage({
      style: { categoryNames: names },
      projects: projectWith({ select: { categories: ["Billing"] }, issue }),
    });
    stage.board.addPost("acme-app", { title: "Invoice", categoryId: "cat_1" });
    stage.board.addPost("acme-app", { title: "Swipe", categoryId: "cat_2" });
    await stage.sync();
    const [only, ...others] = stage.github.issues("acme/app");
    expect([only?.title, others]).toEqual(["Invoice", []]);
    expect(only?.labels).toContain("in progress");
    expect(only?.body).toContain("In Billing");
    const { length } = stage.writes();
    await stage.sync();
    expect(stage.writes()).toHaveLength(length);
  });

  it("mean the same category after it was renamed, and another that takes the name means nothing", async () => {
    const stage = await openStage({
      style: { categoryNames: names },
      projects: projectWith({ select: { categories: ["Billing"] } }),
    });
    stage.board.addPost("acme-app", { title: "One", categoryId: "cat_1" });
    await stage.sync();
    stage.board.restyle({ categoryNames: { cat_1: "Invoices", cat_2: "Billing" } });
    stage.board.addPost("acme-app", { title: "Two", categoryId: "cat_1" });
    stage.board.addPost("acme-app", { title: "Three", categoryId: "cat_2" });
    await stage.sync();
    expect(opened(stage)).toEqual(["One", "Two"]);
  });

  it("are listed by the board's own tool, once in a while and whenever a name means nothing", async () => {
    const host = await hostMcp(featureOs);
    host.shelf.categories.push({ id: "cat_1", name: "Billing" });
    const stage = await openStage({
      config: { board: { mcp: { url: host.url, tools: { categories: { name: "list_buckets" } } } } },
      projects: projectWith({
        select: { categories: ["Billing"] },
        rules: [{ when: { state: "closed" }, set: { categoryId: "Mobile" } }],
      }),
    });
    const post = stage.board.addPost("acme-app", { title: "Invoice", categoryId: "cat_1" });
    stage.board.addPost("acme-app", { title: "Swipe", categoryId: "cat_2" });
    await stage.sync();
    expect(opened(stage)).toEqual(["Invoice"]);
    expect(host.called()).toEqual(["list_buckets"]);
    host.shelf.categories.push({ id: "cat_2", name: "Mobile" });
    await stage.sync();
    expect(host.called()).toHaveLength(2);
    await stage.sync();
    expect(host.called()).toHaveLength(2);
    stage.github.close("acme/app", 1);
    stage.clock.skip(hourMs);
    await stage.sync();
    expect(stage.board.post("acme-app", post)?.categoryId).toBe("cat_2");
    stage.clock.skip(7 * hourMs);
    await stage.sync();
    expect(host.called()).toHaveLength(3);
  });

  it("that can't be asked for mean what they meant, and it is said", async () => {
    const host = await hostMcp(featureOs);
    host.shelf.categories.push({ id: "cat_1", name: "Billing" });
    const stage = await openStage({
      config: { board: { mcp: { url: host.url, tools: { categories: { name: "list_buckets" } } } } },
      projects: projectWith({ select: { categories: ["Billing"] } }),
    });
    await stage.sync();
    host.answering = (_, response) => {
      response.writeHead(500).end();
      return "answered";
    };
    stage.board.addPost("acme-app", { title: "Invoice", categoryId: "cat_1" });
    stage.clock.skip(7 * hourMs);
    const { projects } = await stage.sync();
    expect(opened(stage)).toEqual(["Invoice"]);
    expect(projects[0]?.errors.map(({ code }) => code)).toEqual(["board.unreachable"]);
  });

  it("are not asked for where a template of the arguments fails, which is said and stops nothing else", async () => {
    const host = await hostMcp(featureOs);
    const categories = { name: "list_buckets", args: { project: "{{ project.id" } };
    const stage = await openStage({
      config: { board: { mcp: { url: host.url, tools: { categories } } } },
      projects: projectWith({ select: { categories: ["cat_1"] } }),
    });
    stage.board.addPost("acme-app", { title: "Invoice", categoryId: "cat_1" });
    const { projects } = await stage.sync();
    expect(opened(stage)).toEqual(["Invoice"]);
    expect(projects[0]?.errors).toMatchObject([
      {
        code: "config.template",
        message: expect.stringContaining("board.mcp.tools.categories.args.project"),
      },
    ]);
    expect(host.called()).toEqual([]);
  });

  const secret = { title: "Hole in login", categoryId: "cat_9" };

  it.each<[number, string, ConfigPart, readonly string[]]>([
    [500, "`select.not`", { select: { not: { categories: ["Security"] } } }, []],
    [429, "`select.any`", { select: { any: [{ not: { categories: ["Security"] } }] } }, []],
    [500, "`route`", { route: [{ category: "Security", repo: "acme/api" }] }, ["acme/api"]],
    [429, "`categoryLabels`", { issue: { categoryLabels: { Security: "in progress" } } }, ["acme/app"]],
  ])(
    "that nobody knows yet, since the tool answers %i, are no reason to open an issue that %s is to keep away",
    async (status, _, part, places) => {
      const host = await hostMcp(featureOs);
      host.shelf.categories.push({ id: "cat_9", name: "Security" }, { id: "cat_1", name: "Billing" });
      host.answering = (_, response) => {
        response.writeHead(status).end();
        return "answered";
      };
      const stage = await openStage({
        ...twoRepositories,
        config: { board: { mcp: { url: host.url, tools: { categories: { name: "list_buckets" } } } } },
        projects: projectWith({ select: {}, ...part }),
      });
      stage.board.addPost("acme-app", secret);
      stage.board.addPost("acme-app", { title: "No category" });
      const report = await stage.syncOne();
      expect(opened(stage)).toEqual(["No category"]);
      expect([...report.errors, ...(report.putOff ?? [])]).not.toEqual([]);
      expect(stage.log.filter((line) => line.includes("Nobody knows yet which categories"))).toHaveLength(1);
      host.answering = undefined;
      stage.clock.skip(hourMs);
      await stage.sync();
      const found = ["acme/app", "acme/api"].filter((name) =>
        stage.github.issues(name).some(({ title }) => title === secret.title),
      );
      expect(found).toEqual(places);
    },
  );

  it("that two categories have mean none, and nothing is opened for posts in either", async () => {
    const stage = await openStage({
      ...twoRepositories,
      style: { categoryNames: { cat_8: "Security", cat_9: "Security", cat_1: "Billing" } },
      projects: projectWith({ select: {}, route: [{ category: "Security", repo: "acme/api" }] }),
    });
    stage.board.addPost("acme-app", secret);
    stage.board.addPost("acme-app", { title: "Other one", categoryId: "cat_8" });
    stage.board.addPost("acme-app", { title: "Invoice", categoryId: "cat_1" });
    await stage.sync();
    expect(opened(stage)).toEqual(["Invoice"]);
    expect(stage.github.issues("acme/api")).toEqual([]);
  });
});
