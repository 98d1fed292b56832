/** @module-tag long */
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RemoteError } from "../../../src/errors.ts";
import type { Send } from "../../../src/http/send.ts";
import type { IssueWrite, Tracker } from "../../../src/tracker/tracker.ts";
import {
  answering,
  collectIssues,
  collectPages,
  createFixture,
  failureOf,
  issueJson,
  repository,
  repositoryJson,
  sendJson,
  startSandbox,
  startServer,
  token,
  unbounded,
} from "./setup.ts";
import { readSignals } from "./signal-setup.ts";

const all = { kind: "since", since: undefined } as const;
const create: IssueWrite = {
  kind: "create-issue",
  title: "t",
  body: "b",
  labels: [],
  assignees: [],
  milestone: undefined,
  type: undefined,
};

describe("an issue in a list", () => {
  it("is read whatever GitHub leaves out, adds, or gives in another form", async () => {
    const row = JSON.stringify(
      issueJson({
        state_reason: "superseded",
        body: undefined,
        user: null,
        labels: ["plain", { name: "object", extra: 1 }, { name: null }, { id: 5 }],
        assignees: null,
        milestone: undefined,
        type: { name: "Bug", id: "BIG" },
        locked: undefined,
        brand_new_field: {},
        pull_request: null,
      }),
    )
      .replace("9000001", "90071992547409931")
      .replace('"BIG"', "90071992547409932")
      .replace("{", '{"__proto__":{"state":"closed"},"constructor":5,');
    const { tracker } = await startServer((response) => sendJson(response, 200, `[${row}]`));
    expect(await collectIssues(tracker, repository, all)).toEqual([
      {
        issue: {
          repositoryId: 42,
          number: 7,
          nodeId: "I_1",
          state: "open",
          stateReason: "superseded",
          labels: ["plain", "object"],
          assignees: [],
          milestone: null,
          type: "Bug",
          locked: false,
          createdAt: "2026-01-05T10:00:00Z",
          updatedAt: "2026-01-05T10:00:00Z",
        },
        author: null,
        title: "A title",
        body: "",
      },
    ]);
  });

  it.each<[string, unknown]>([
    ["number", "8"],
    ["node_id", 5],
    ["title", null],
    ["body", {}],
    ["state", "merged"],
    ["state_reason", 5],
    ["user", "octocat"],
    ["user", {}],
    ["labels", null],
    ["labels", [5]],
    ["labels", [null]],
    ["labels", [{ name: {} }]],
    ["assignees", "ann"],
    ["assignees", [null]],
    ["milestone", 1],
    ["milestone", {}],
    ["type", "Bug"],
    ["type", {}],
    ["created_at", "yesterday"],
    ["updated_at", 5],
    ["updated_at", "2026-13-45T10:00:00Z"],
    ["repository_url", undefined],
    ["repository_url", "https://api.github.com/repos/acme"],
    ["repository_url", "https://api.github.com/repos/../.."],
  ])("with the %s %j is unknown by its number, and the field is named", async (field, value) => {
    const { tracker } = await startServer((response) => {
      sendJson(response, 200, [issueJson(), issueJson({ number: 8, [field]: value })]);
    });
    const [page] = await collectPages(tracker, repository, all);
    expect(page?.issues.map(({ issue }) => issue.number)).toEqual([7]);
    expect(page?.odd).toMatchObject([{ issue: { repositoryId: 42, number: 8 } }]);
    expect(page?.odd?.[0]?.error.message).toMatch(
      new RegExp(`^GitHub's answer can't be read: \`${field}[a-z_.]*\` is missing or of the wrong kind\\.$`),
    );
  });

  it("whose number can't be read is told by its address", async () => {
    const url = "https://api.github.com/repos/acme/app/issues/12";
    const { tracker } = await startServer((response) =>
      sendJson(response, 200, [issueJson({ number: null, url })]),
    );
    const [page] = await collectPages(tracker, repository, all);
    expect(page?.odd).toMatchObject([{ issue: { number: 12 }, author: "octocat", body: "A body" }]);
  });

  it.each([0, 1.5, null, {}])(
    "with the number %j and no address makes the list unreadable",
    async (number) => {
      const { tracker } = await startServer((response) => sendJson(response, 200, [issueJson({ number })]));
      const error = await failureOf(collectPages(tracker, repository, all));
      expect(error).toMatchObject({ fault: "unreadable", message: expect.stringContaining("`number`") });
    },
  );

  it("is one of ten that can't be read: then the whole page is no list of issues", async () => {
    const rows = Array.from({ length: 10 }, (_, index) => issueJson({ number: index + 1, title: null }));
    const { tracker } = await startServer((response) => sendJson(response, 200, rows));
    const error = await failureOf(collectPages(tracker, repository, all));
    expect(error).toMatchObject({ fault: "unreadable", message: expect.stringContaining("`title`") });
  });
});

describe("a list", () => {
  it.each<[string, string, string]>([
    ["an HTML page", "text/html", "<html>Sign in</html>"],
    ["text", "text/plain", "[]"],
    ["bytes", "application/octet-stream", "[]"],
    ["JSON that is cut off", "application/json", '[{"number": 7'],
    ["JSON that is no list", "application/json", "{}"],
    ["nothing", "application/json", ""],
    ["a Content-Type that is none", ";;;", "[]"],
    ["objects nested 200,000 deep", "application/json", `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`],
    ["lists nested 200,000 deep", "application/json", `${"[".repeat(200_000)}${"]".repeat(200_000)}`],
  ])("that is %s is no list, and no crash", async (_, type, body) => {
    const { tracker } = await startServer(
      (response) => response.writeHead(200, { "content-type": type }).end(body),
      { retries: 0 },
    );
    expect((await failureOf(collectPages(tracker, repository, all))).fault).toMatch(/unreadable|unreachable/);
  });

  it("without a Content-Type is no list", async () => {
    const { tracker } = await startServer((response) => response.end("[]"));
    expect(await failureOf(collectPages(tracker, repository, all))).toMatchObject({ fault: "unreadable" });
  });

  it("larger than the limit is left unread, and not asked for again", async () => {
    const { tracker } = await startServer((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(1024 * 1024, " ");
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", write);
      write();
    });
    expect(await failureOf(collectPages(tracker, repository, all))).toMatchObject({
      fault: "unreadable",
      message: "GitHub could not be read (acme/app): it answered with a body of more than 32 MiB.",
    });
    expect(tracker.requests).toBe(1);
  });

  it("just within the limit is read", async () => {
    const body = JSON.stringify([issueJson()]);
    const reply = await startServer((response) => sendJson(response, 200, body), {
      bodyBytes: body.length,
    });
    expect(await collectIssues(reply.tracker, repository, all)).toHaveLength(1);
  });
});

describe("a write", () => {
  it("whose answer is larger than the limit is unknown", async () => {
    const { tracker } = await startServer((response) => sendJson(response, 201, issueJson()), {
      bodyBytes: 50,
    });
    expect(await tracker.write(repository, create)).toMatchObject({ kind: "unknown" });
  });

  it.each([
    `{"id": 90071992547409931}`,
    `{"errors": [90071992547409931]}`,
    `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
  ])("whose refusal Octokit can't put into words is unknown", async (body) => {
    const { tracker } = await startServer((response) => sendJson(response, 422, body));
    expect(await tracker.write(repository, create)).toMatchObject({ kind: "unknown" });
  });
});

describe("the token", () => {
  it("is in no error, outcome or log line, though the server echoes it everywhere", async () => {
    for (const status of [200, 201, 301, 400, 401, 403, 404, 422, 429, 500]) {
      const { tracker, logged } = await startServer(
        (response) => {
          const body = {
            message: `token ${token}`,
            errors: [{ field: token, message: token, value: token }],
          };
          const link = `<http://${token}.example/>; rel="next", <https://x/${token}>; rel="deprecation"`;
          const headers = { link, location: `/repositories/42/labels/${token}`, etag: `"${token}"` };
          sendJson(response, status, body, { ...headers, deprecation: token, sunset: token });
        },
        { retries: 0 },
      );
      const errors: unknown[] = [];
      for (const read of listReads(tracker)) errors.push(await read().catch((error: unknown) => error));
      errors.push(await tracker.write(repository, create));
      const shown = inspect([errors, logged], { depth: 20, showHidden: true });
      expect(shown.toLowerCase()).not.toContain(token.toLowerCase());
    }
  });

  it("goes to no request's URL, and only to our own server", async () => {
    const { tracker, github } = await startSandbox();
    await tracker.account(unbounded());
    expect(JSON.stringify(github.requests.map(({ path, query }) => [path, query]))).not.toContain(token);
  });
});

async function collect<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

/** Every read of the port. */
function listReads(tracker: Tracker): readonly (() => Promise<unknown>)[] {
  const bounds = unbounded();
  return [
    () => tracker.account(bounds),
    () => tracker.repository("acme/app", bounds),
    () => tracker.repository(42, bounds),
    () => tracker.catalogue(repository, bounds),
    () => tracker.labels(repository, '"x"', bounds),
    () => tracker.milestones(repository, '"x"', bounds),
    () => collect(tracker.comments({ repositoryId: 42, number: 7 }, bounds)),
    () => tracker.projectField({ owner: "acme", project: 1, field: "Status" }, bounds),
    () => readSignals({ tracker }, ["I_1"], { pullRequests: true, released: true, facts: true }),
    () => collectPages(tracker, repository, { kind: "latest", etag: '"x"' }, bounds),
    () => collectPages(tracker, repository, all, bounds),
    () =>
      collectPages(
        tracker,
        repository,
        { kind: "by", author: "a", createdSince: "2026-01-01T00:00:00Z" },
        bounds,
      ),
    () => tracker.readIssue({ repositoryId: 42, number: 7 }, bounds),
  ];
}

const writes: readonly IssueWrite[] = [
  create,
  { kind: "edit-issue", number: 7, state: "closed" },
  { kind: "add-labels", number: 7, labels: ["x"] },
  { kind: "remove-label", number: 7, label: "x" },
  { kind: "create-label", name: "x" },
  { kind: "add-comment", number: 7, body: "x" },
];

/** An answer that is nearly right: a true body with one field changed, or anything at all. */
const bodies = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .tuple(fc.constantFrom(...Object.keys(issueJson())), fc.jsonValue())
    .map(([field, value]) => JSON.stringify([issueJson({ [field]: value })])),
  fc
    .tuple(fc.constantFrom(...Object.keys(issueJson())), fc.jsonValue())
    .map(([field, value]) => JSON.stringify(issueJson({ [field]: value }))),
  fc
    .tuple(fc.constantFrom(...Object.keys(repositoryJson())), fc.jsonValue())
    .map(([field, value]) => JSON.stringify(repositoryJson({ [field]: value }))),
  fc.jsonValue().map((errors) => JSON.stringify({ message: "No", errors })),
);
const headerText = fc.string({ unit: fc.constantFrom(..."abz09<>;:/?=\"', -rel=next") });
const answers = fc.record({
  status: fc.oneof(
    fc.constantFrom(200, 201, 301, 304, 403, 404, 410, 422, 429, 500),
    fc.integer({ min: 200, max: 599 }),
  ),
  body: bodies,
  type: fc.constantFrom("application/json", "application/json; charset=utf-8", "text/html", "a/b", "", ";"),
  headers: fc.dictionary(
    fc.constantFrom("link", "location", "retry-after", "x-ratelimit-remaining", "x-ratelimit-reset", "etag"),
    headerText,
  ),
});

describe("whatever the server answers", () => {
  it("a read gives what it promises or a RemoteError, and a write an outcome from one request", async () => {
    await fc.assert(
      fc.asyncProperty(answers, async ({ status, body, type, headers }) => {
        let requests = 0;
        const send: Send = (call) => {
          requests += 1;
          return answering(body, { status, headers: { ...headers, "content-type": type } })(call);
        };
        const options = { send, retries: 0, pageLimit: 3 };
        for (const index of listReads(createFixture("https://api.github.com", options).tracker).keys()) {
          const read = listReads(createFixture("https://api.github.com", options).tracker)[index];
          await read?.().catch((error: unknown) => expect(error).toBeInstanceOf(RemoteError));
        }
        for (const write of writes) {
          requests = 0;
          const outcome = await createFixture("https://api.github.com", options).tracker.write(
            repository,
            write,
          );
          expect(outcome.kind).toMatch(/^(applied|rejected|forbidden|unauthorized|limited|unknown)$/);
          expect(requests).toBe(1);
          if (outcome.kind === "applied" && write.kind === "create-issue") {
            expect(status).toBe(201);
            expect(outcome.record?.issue).toMatchObject({ repositoryId: 42, number: expect.any(Number) });
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("an odd row of a list beside the issues", () => {
  it.each<[string, unknown, unknown, (tracker: Tracker) => Promise<unknown>]>([
    ["labels", null, { name: "bug" }, (tracker) => tracker.labels(repository, undefined, unbounded())],
    ["labels", { name: 5 }, { name: "bug" }, (tracker) => tracker.labels(repository, undefined, unbounded())],
    [
      "milestones",
      { number: 1, title: null, state: "open" },
      { number: 2, title: "bug", state: "open" },
      (tracker) => tracker.milestones(repository, undefined, unbounded()),
    ],
    ["types", "Bug", { name: "bug" }, (tracker) => tracker.issueTypes(repository, undefined, unbounded())],
  ])("hides no other one (%s, %j)", async (_, odd, good, read) => {
    const { tracker } = await startServer((response) => sendJson(response, 200, [odd, good]));
    const listed = JSON.stringify(await read(tracker));
    expect(listed).toContain('"bug"');
  });

  it("of comments hides no other one, and its author is not known", async () => {
    const created = "2026-01-05T10:00:00Z";
    const rows = [
      { id: 1, user: "ghost", body: "one", created_at: created },
      { id: 2, user: { login: "ann" }, body: "two", created_at: created },
    ];
    const { tracker } = await startServer((response) => sendJson(response, 200, rows));
    const authors: unknown[] = [];
    for await (const page of tracker.comments({ repositoryId: 42, number: 7 }, unbounded()))
      authors.push(...page.map(({ author }) => author));
    expect(authors).toEqual([undefined, "ann"]);
  });
});
