/** @module-tag long */
import { describe, expect, it } from "vitest";
import type { CallKey, ToolCallChange } from "../../src/ledger/journal.ts";
import type { PersonRequest } from "../../src/ledger/orders.ts";
import type { PostId as PersonPost } from "../../src/model/post.ts";
import { addWaits, openPage, type PageSetup, type PageStage } from "../support/page-stage.ts";

const token = "page-token-0123456789";
const readToken = "read-token-0123456789";

/** A page that takes orders, with two changes of status that the guard holds. */
async function openHeld(setup: PageSetup = {}): Promise<PageStage> {
  const config = (text: string): string => `${text}guard: { statuses: 0 }\n`;
  const stage = await openPage({ orders: true, config, ...setup });
  for (const number of [1, 2]) stage.stage.story.github.close("acme/app", number, "completed");
  await stage.stage.run(["sync", "-c", `${stage.stage.folder}/page.yaml`]);
  return stage;
}

function openWaits(setup: PageSetup = {}): Promise<PageStage> {
  return openPage({ orders: true, after: addWaits, ...setup });
}

function pending({ ledger }: PageStage): Promise<readonly PersonRequest[]> {
  const project = ledger.memory.project("acme-app")?.id;
  if (project === undefined) throw new Error("There was no run.");
  return ledger.requests.pending(project);
}

/** Presses the first button, and gives the page that asks. */
async function ask(stage: PageStage, button: string, path = "/", headers = {}): Promise<string> {
  const response = await stage.post(
    stage.form(await (await stage.get(path, headers)).text(), button),
    headers,
  );
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

describe("an order on the page", () => {
  it("approves what was shown with its voters, at the second form and not at the first, and starts the run", async () => {
    const stage = await openHeld();
    const before = await stage.page("/");
    expect(before.indexOf("Discard all…")).toBeLessThan(before.indexOf("Approve all 2…"));
    expect(before).toContain("take back what asks for it, as by reopening the issues");
    expect(await stage.page("/runs/2")).toContain("At its end 2 to approve");
    const question = await ask(stage, "Approve all 2…");
    expect(question).toContain("<h1><bdi>Approve 2 actions of acme-app?</bdi></h1>");
    expect(question).toMatch(/<p class="notified">\d+ voters will be notified\.<\/p>/);
    expect(question).toMatch(/status: planned → completed/);
    expect([await pending(stage), stage.started]).toEqual([[], []]);

    const done = await stage.post(stage.form(question, "Approve"));
    expect(done.status).toBe(303);
    expect(await pending(stage)).toMatchObject([
      { kind: "approve", by: "page", isWhole: true, actions: [{ post: "p1" }, { post: "p2" }] },
    ]);
    expect(stage.started).toEqual(["acme-app"]);
    const after = await stage.page(done.headers.get("location") ?? "");
    expect(after).toContain('role="status">2 actions approved. A run starts now and does it.</p>');
    const post = await stage.page("/post/acme-app/p1");
    for (const page of [after, post]) {
      expect(page).toContain("It is asked for: a run starts at once and does it.");
      expect(page).not.toMatch(/>(Approve|Discard)/);
    }
    expect(post.indexOf("What waits")).toBeLessThan(post.indexOf("Unlink acme/app#1…"));
    expect(await stage.page(done.headers.get("location") ?? "")).not.toContain('role="status"');

    await stage.stage.run(["sync", "-c", `${stage.stage.folder}/page.yaml`]);
    expect(stage.stage.story.board.notifications.map(({ post }) => post)).toEqual(["p1", "p2"]);
    const history = await stage.stage.run(["history", "acme-app/p1", "--json"]);
    expect(history.out).toContain("let go on the page");
  });

  it("approves or discards one post and no other", async () => {
    const stage = await openHeld();
    const first = await ask(stage, "Approve…");
    expect((await stage.post(stage.form(first, "Approve"))).status).toBe(303);
    const second = await ask(stage, "Discard…");
    expect(second).toContain("No voter will be notified.");
    expect((await stage.post(stage.form(second, "Discard"))).status).toBe(303);
    expect(await pending(stage)).toMatchObject([
      { kind: "approve", isWhole: false, actions: [{ post: "p1" }] },
      { kind: "discard", posts: ["p2"] },
    ]);
  });

  it("retries, releases, unlinks and links, each as the command does, and comes back to the post", async () => {
    const stage = await openWaits();
    for (const [button, path, label = `${button}…`] of [
      ["Retry", "/"],
      ["Release", "/"],
      ["Unlink", "/post/acme-app/p1", "Unlink acme/app#1…"],
    ] as const) {
      const question = await ask(stage, label, path);
      expect((await stage.post(stage.form(question, button))).headers.get("location")).toMatch(
        new RegExp(`^\\.${path}\\?done=`),
      );
    }
    const form = stage.form(await stage.page("/post/acme-app/p1"), "Link…");
    const question = await stage.post({ ...form, issue: "acme/app#2" });
    const text = await question.text();
    expect(text).toContain("Link acme-app/p1 to acme/app#2?");
    expect((await stage.post(stage.form(text, "Link"))).status).toBe(303);
    expect(await pending(stage)).toMatchObject([
      { kind: "retry", posts: ["p2"], by: "page" },
      { kind: "release", posts: ["p4"], by: "page" },
      { kind: "unlink", post: "p1", issues: [{ number: 1 }], by: "page" },
      { kind: "link", post: "p1", number: 2, issue: { number: 2 }, by: "page" },
    ]);
  });

  it.each([
    ["no issue", "twelve", "is no issue. Write OWNER/REPO#NUMBER"],
    ["an issue that is not there", "acme/app#999", "There is no issue acme/app#999"],
    ["a repository of nobody", "other/repo#1", "No project of the config names other/repo"],
    ["an issue that it has", "acme/app#1", "It is linked to acme/app#1 already."],
    ["what would be markup", "<script>alert(1)</script>", "&#60;script&#62;"],
  ])("to link says why nothing is done: %s", async (_, issue, words) => {
    const stage = await openPage({ orders: true });
    const form = stage.form(await stage.page("/post/acme-app/p1"), "Link…");
    const text = await (await stage.post({ ...form, issue })).text();
    expect(text).toContain("<h1>There is nothing to do</h1>");
    expect(text).toContain(words);
    expect(text).not.toContain("<script>alert");
    expect(await pending(stage)).toEqual([]);
  });

  it("pauses a post at once, and resumes it with what has come together", async () => {
    const stage = await openPage({ orders: true });
    const path = "/post/acme-app/p1";
    const pause = await ask(stage, "Pause…", path);
    expect(pause).toContain("From now on nothing is written for this post, to either side");
    expect((await stage.post(stage.form(pause, "Pause"))).status).toBe(303);
    expect(stage.started).toEqual([]);
    stage.stage.story.github.close("acme/app", 1, "completed");
    await stage.stage.run(["sync", "-c", `${stage.stage.folder}/page.yaml`]);
    expect(stage.stage.story.board.notifications).toEqual([]);

    const quietly = await ask(stage, "Resume without writing…", path);
    expect(quietly).toContain("No voter will be notified.");
    const resume = await ask(stage, "Resume…", path);
    expect(resume).toMatch(/128 voters will be notified/);
    expect(resume).toMatch(/status: planned → completed/);
    expect((await stage.post(stage.form(resume, "Resume"))).status).toBe(303);
    expect(await pending(stage)).toMatchObject([{ kind: "resume", posts: ["p1"], by: "page" }]);
    expect(stage.started).toEqual(["acme-app"]);
    await stage.stage.run(["sync", "-c", `${stage.stage.folder}/page.yaml`]);
    expect(stage.stage.story.board.notifications.map(({ post }) => post)).toEqual(["p1"]);
  });

  it("starts a run without asking the state for anything", async () => {
    const stage = await openPage({ orders: true });
    const question = await ask(stage, "Run now…");
    expect(question).toContain("How many voters will be notified is known when both sides have been read");
    expect((await stage.post(stage.form(question, "Run now"))).status).toBe(303);
    expect([stage.started, await pending(stage)]).toEqual([["acme-app"], []]);
  });
});

describe("nothing is done for", () => {
  const own = (address: string) => new URL(address).host;
  it.each<readonly [string, (address: string) => Readonly<Record<string, string>>]>([
    ["another site", () => ({ origin: "https://evil.example" })],
    ["another site, as the browser says", () => ({ "sec-fetch-site": "cross-site" })],
    ["another name of the same site", () => ({ "sec-fetch-site": "same-site" })],
    ["an address that somebody typed", () => ({ "sec-fetch-site": "none" })],
    ["an origin that is hidden", () => ({ origin: "null" })],
    ["an origin that is none", () => ({ origin: "" })],
    ["another port", (address) => ({ origin: `http://${own(address).replace(/:.*/, ":1")}` })],
  ])("a form from %s", async (_, headersOf) => {
    const stage = await openHeld();
    const question = await ask(stage, "Approve all 2…");
    const headers = headersOf(stage.address);
    for (const fields of [
      stage.form(await stage.page("/"), "Approve all"),
      stage.form(question, "Approve"),
    ]) {
      const response = await stage.post(fields, headers);
      expect(response.status).toBe(403);
      expect(await response.text()).toContain("[page.origin]");
    }
    expect([await pending(stage), stage.started]).toEqual([[], []]);
    expect((await stage.post(stage.form(question, "Approve"))).status).toBe(303);
  });

  it("a form that is sent again, and one that is older than a quarter of an hour", async () => {
    const stage = await openHeld();
    const form = stage.form(await ask(stage, "Approve…"), "Approve");
    expect((await stage.post(form)).status).toBe(303);
    const again = await stage.post(form);
    expect([again.status, await again.text()]).toEqual([409, expect.stringContaining("[page.used]")]);
    const late = stage.form(await ask(stage, "Approve…"), "Approve");
    stage.clock.now += 15 * 60_000;
    expect((await stage.post(late)).status).toBe(409);
    expect(await pending(stage)).toHaveLength(1);
    expect(stage.started).toHaveLength(1);
  });

  it("an old list of actions: what holds by now is shown, and asked for once more", async () => {
    const stage = await openHeld();
    const question = await ask(stage, "Approve all 2…");
    stage.stage.story.github.close("acme/app", 3, "completed");
    await stage.stage.run(["sync", "-c", `${stage.stage.folder}/page.yaml`]);
    const response = await stage.post(stage.form(question, "Approve"));
    expect(response.status).toBe(409);
    const text = await response.text();
    expect(text).toContain("<b>Nothing was done.</b> What would happen has changed since it was shown.");
    expect(text).toContain("Approve 3 actions of acme-app?");
    expect([await pending(stage), stage.started]).toEqual([[], []]);
    expect((await stage.post(stage.form(text, "Approve"))).status).toBe(303);
  });

  it("the second of two people who approve at once", async () => {
    const stage = await openHeld();
    const other = { cookie: await stage.admit() };
    const forms = [
      stage.form(await ask(stage, "Approve all 2…"), "Approve"),
      stage.form(await ask(stage, "Approve all 2…", "/", other), "Approve"),
    ] as const;
    const answers = await Promise.all([stage.post(forms[0]), stage.post(forms[1], other)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    const second = answers.find(({ status }) => status === 409);
    expect(await second?.text()).toContain("That is asked for already, and the next run does it.");
    expect(await pending(stage)).toHaveLength(1);
  });

  it("a form of somebody else's, and stays good for whom it was made", async () => {
    const stage = await openHeld();
    const other = { cookie: await stage.admit() };
    const question = stage.form(await ask(stage, "Approve all 2…"), "Approve");
    expect((await stage.post(question, other)).status).toBe(409);
    const small = await stage.post(stage.form(await stage.page("/"), "Approve all"), other);
    expect([small.status, await small.text()]).toEqual([403, expect.stringContaining("[page.form]")]);
    expect(await pending(stage)).toEqual([]);
    expect((await stage.post(question)).status).toBe(303);
  });

  it.each([
    ["another post", { post: "p2" }],
    ["another order", { order: "discard" }],
    ["another project", { project: "acme-api" }],
    ["an order that there is not", { order: "erase" }],
    ["another seal", { seal: "x" }],
    ["a seal of other letters", { seal: "é".repeat(43) }],
  ])("a form that was made to say %s", async (_, change) => {
    const stage = await openHeld();
    const form = stage.form(await stage.page("/"), "Approve…");
    expect((await stage.post({ ...form, ...change })).status).toBe(403);
    expect((await stage.post({})).status).toBe(403);
  });

  it("whoever brings no token, and whoever may only read", async () => {
    const stage = await openHeld({ token, readToken });
    const may = { authorization: `Bearer ${token}` };
    const reads = { authorization: `Bearer ${readToken}` };
    const question = stage.form(await ask(stage, "Approve all 2…", "/", may), "Approve");
    expect((await stage.post(question)).status).toBe(401);
    expect((await stage.post(question, { authorization: `Bearer ${token}x` })).status).toBe(401);
    const page = await (await stage.get("/", reads)).text();
    expect(page).toContain("Read-only");
    expect(page).toContain("boardsync approve acme-app p1");
    expect(page).not.toContain('method="post"');
    const refused = await stage.post(question, reads);
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("[page.read]")]);
    expect(await pending(stage)).toEqual([]);
    expect((await stage.post(question, may)).status).toBe(303);
  });

  it("whoever is shut out where there is no token", async () => {
    const stage = await openHeld({ isShut: true });
    expect((await stage.post({ form: "x" })).status).toBe(403);
  });

  it("anybody while `http.orders` is off", async () => {
    let isOn = true;
    const stage = await openHeld({ orders: { isOn: () => isOn } });
    const form = stage.form(await ask(stage, "Approve all 2…"), "Approve");
    isOn = false;
    expect(await stage.page("/")).not.toContain('method="post"');
    const response = await stage.post(form);
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining("[page.orders]")]);
    expect(await pending(stage)).toEqual([]);
  });

  it("GET, whatever it says", async () => {
    const stage = await openHeld();
    const form = stage.form(await ask(stage, "Approve all 2…"), "Approve");
    for (const method of ["GET", "HEAD", "PUT", "DELETE"]) {
      const response = await stage.get(
        `/orders?${new URLSearchParams(form)}`,
        { origin: stage.address },
        method,
      );
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    }
    expect(await pending(stage)).toEqual([]);
  });

  it("a body that is no form, or too large", async () => {
    const { post, address, admit } = await openHeld();
    const headers = { origin: address, cookie: await admit() };
    const send = (body: string, type: string) =>
      fetch(`${address}/orders`, { method: "POST", body, headers: { ...headers, "content-type": type } });
    expect((await send("{}", "application/json")).status).toBe(415);
    expect((await send("form=x", "text/plain")).status).toBe(415);
    expect((await send("form=x", "multipart/form-data; boundary=x")).status).toBe(415);
    expect((await post({ form: "x".repeat(9000) })).status).toBe(413);
  });
});

describe("the switch that stops everything", () => {
  it("is on the first page, stops at once, and is pulled back there", async () => {
    const stage = await openPage({ orders: true });
    const question = await ask(stage, "Stop all writes…");
    expect(question).toContain("<h1><bdi>Stop all writes for all projects?</bdi></h1>");
    expect(question).toContain("From now on nothing is written for any project, to either side");
    const done = await stage.post(stage.form(question, "Stop all writes"));
    expect(done.status).toBe(303);
    expect(await stage.page(done.headers.get("location") ?? "")).toContain("All projects are paused since");
    expect(stage.started).toEqual([]);
    stage.stage.story.github.close("acme/app", 1, "completed");
    await stage.stage.run(["sync", "-c", `${stage.stage.folder}/page.yaml`]);
    expect(stage.stage.story.board.notifications).toEqual([]);
    expect(await stage.page("/post/acme-app/p1")).toContain("boardsync resume --all");

    const resume = await ask(stage, "Resume all projects…");
    expect(resume).toMatch(/\d+ voters will be notified\./);
    expect((await stage.post(stage.form(resume, "Resume"))).status).toBe(303);
    expect(stage.started).toEqual(["acme-app", "acme-api"]);
    expect(await stage.page("/")).toContain("Resumed by the next run.");
    await stage.stage.run(["sync", "-c", `${stage.stage.folder}/page.yaml`]);
    expect(stage.stage.story.board.notifications.map(({ post }) => post)).toEqual(["p1"]);
  });

  it("is there for each project, too", async () => {
    const stage = await openPage({ orders: true });
    const question = await ask(stage, "Pause…");
    expect(question).toContain("Stop all writes for acme-app?");
    const form = stage.form(await stage.page("/"), "Pause…");
    expect((await stage.post(stage.form(question, "Stop all writes"))).status).toBe(303);
    expect(await (await stage.post(form)).text()).toContain("It is paused already.");
    expect(await stage.page("/")).toContain("Paused as a whole since");
    const quietly = await ask(stage, "Resume without writing…");
    expect(quietly).toContain("No voter will be notified.");
    expect((await stage.post(stage.form(quietly, "Resume without writing"))).status).toBe(303);
    expect(await pending(stage)).toMatchObject([{ kind: "resume-project", isDiscard: true, by: "page" }]);
    expect(await stage.page("/")).toContain("Resumed by the next run.");
  });
});

describe("all that needs a person in one order", () => {
  it("is retried, or released", async () => {
    const stage = await openPage({
      orders: true,
      after: async (ledger) => {
        const project = ledger.memory.project("acme-app")?.id;
        if (project === undefined) throw new Error("There was no run.");
        const at = { project, kind: "park" } as const;
        const parked = {
          kind: "parked",
          cause: "refused",
          code: "board.rejected",
          message: "no",
          since: 1,
          action: { kind: "patch-post", signature: "s" },
        } as const;
        const posts = ["p1", "p2", "p3", "p4"].map((id) => id as PersonPost);
        await ledger.commit([
          { ...at, post: posts[0] as PersonPost, parked },
          { ...at, post: posts[1] as PersonPost, parked },
          ...posts.slice(2).map(
            (post) =>
              ({
                kind: "note-action",
                project,
                post,
                of: { kind: "patch-post" },
                notes: [
                  {
                    kind: "quarantined",
                    cause: "quarantined",
                    message: "flapped",
                    since: 1,
                    action: { kind: "patch-post" },
                  },
                ],
              }) as const,
          ),
        ]);
      },
    });
    const old = stage.form(await stage.page("/"), "Retry all 2…");
    const retry = await ask(stage, "Retry all 2…");
    expect(retry).toContain("Try 2 posts of acme-app again?");
    expect(retry).toContain("acme-app/p1: no.");
    expect((await stage.post(stage.form(retry, "Retry"))).status).toBe(303);
    const release = await ask(stage, "Release all 2…");
    expect((await stage.post(stage.form(release, "Release"))).status).toBe(303);
    expect(await pending(stage)).toMatchObject([
      { kind: "retry", posts: ["p1", "p2"] },
      { kind: "release", posts: ["p3", "p4"] },
    ]);
    expect(await stage.page("/")).not.toContain("Retry all 2…");
    expect(await (await stage.post(old)).text()).toContain("That is asked for already");
  });
});

/** The page of a project with one entry, after these ends of the call that made it. */
function openEntries(
  endsOf: (key: CallKey) => readonly ToolCallChange[],
  facts: { readonly held?: string } = {},
) {
  return openPage({
    orders: true,
    config: (config) =>
      config
        .replace(
          /^board:\n/m,
          `board:
  mcp:
    tools:
      changelogList: { name: list_entries }
      changelogCreate: { name: create_entry, args: { title: "{{ entry.title }}", content: "{{ entry.body }}", publish: false } }
      changelogPublish: { name: publish_entry, args: { id: "{{ entry.id }}" } }
`,
        )
        .replace(/^( +)- project: acme-app\n/m, "$&$1  changelog: { releases: v*, publish: approve }\n"),
    after: async (ledger) => {
      const memory = ledger.memory.project("acme-app");
      if (memory === undefined) throw new Error("There was no run.");
      const key = { purpose: "changelogCreate", subject: "v1.2", project: memory.id } as const;
      const entries = [{ tag: "v1.2", print: "p", title: "The <b>second</b>", posts: 2, ...facts }];
      const changelog = { repository: 1, copiedAt: undefined, etag: undefined, noted: [], entries };
      await ledger.commit([{ kind: "remember-project", memory: { ...memory, changelog } }]);
      const line = {
        kind: "send-call",
        ...key,
        run: 1,
        hash: "h",
        reason: "v1.2 was published",
        at: 1,
      } as const;
      await ledger.commitSent([line], { project: memory.id, post: undefined });
      await ledger.commit(endsOf(key));
    },
  });
}

it("a draft of the changelog is published by a person's yes, and by nothing else", async () => {
  const stage = await openEntries((key) => [
    { kind: "end-call", ...key, state: "DONE", at: 3, message: "made", result: "e1" },
  ]);
  expect(await stage.page("/")).toContain("The &#60;b&#62;second&#60;/b&#62;");
  const question = await ask(stage, "Publish v1.2…");
  expect(question).toContain("An unknown number of subscribers may be mailed.");
  expect(await pending(stage)).toEqual([]);
  expect((await stage.post(stage.form(question, "Publish"))).status).toBe(303);
  expect(await pending(stage)).toMatchObject([{ kind: "publish", tag: "v1.2", hash: "h", by: "page" }]);
  const after = await stage.page("/");
  expect(after).toContain("approved, and published by a later run");
  expect(after).not.toContain("Publish v1.2…");
});

it("a draft that the guard holds is made by a person's yes", async () => {
  const stage = await openEntries(
    (key) => [{ kind: "end-call", ...key, state: "PREPARED", at: 3, message: "the key was refused" }],
    { held: "2 drafts at once" },
  );
  expect(await stage.page("/")).toContain("no draft yet: 2 drafts at once");
  const question = await ask(stage, "Make v1.2…");
  expect(question).toContain("is made, and not published");
  expect((await stage.post(stage.form(question, "Make"))).status).toBe(303);
  expect(await pending(stage)).toMatchObject([{ kind: "draft-entry", tag: "v1.2", print: "p", by: "page" }]);
  expect(await stage.page("/")).not.toContain("Make v1.2…");
});

it("an entry that is stuck is tried again by the page", async () => {
  const stage = await openEntries((key) => [
    { kind: "end-call", ...key, state: "UNKNOWN", at: 3, message: "the list is cut", isUnsure: true },
  ]);
  const question = await ask(stage, "Retry v1.2…");
  expect(question).toContain("if the board shows it, delete one");
  expect((await stage.post(stage.form(question, "Retry"))).status).toBe(303);
  expect(await pending(stage)).toMatchObject([{ kind: "retry-entry", tag: "v1.2", by: "page" }]);
  const after = await stage.page("/");
  expect(after).toContain("it is tried again by a later run");
  expect(after).not.toContain("Retry v1.2…");
});
