/** @module-tag long */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RemoteError } from "../../../src/errors.ts";
import type { Send } from "../../../src/http/send.ts";
import type { ProjectField, SignalAnswer, SignalWish } from "../../../src/tracker/tracker.ts";
import { answering, createFixture, failureOf, sendJson, startServer, unbounded } from "./setup.ts";
import { known, readOne, readSignals, startLinked, unknown } from "./signal-setup.ts";

const field: ProjectField = {
  key: "acme/1/status",
  projectId: "PVT_1",
  fieldId: "PVTSSF_1",
  name: "Status",
  options: [{ id: "a", name: "Todo" }],
  isClosed: false,
};
const everything: SignalWish = {
  pullRequests: true,
  subIssues: true,
  released: true,
  duplicates: true,
  projects: [field],
  facts: true,
  editors: true,
};
const commit = "0123456789abcdef0123456789abcdef01234567";

/** An answer in which everything is there, and nothing is "no". */
function nodeJson(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const repository = { nameWithOwner: "acme/app", databaseId: 42 };
  const one = (node: unknown) => ({ totalCount: 1, nodes: [node] });
  return {
    __typename: "Issue",
    id: "I_1",
    pullRequests: one({
      number: 2,
      state: "MERGED",
      isDraft: false,
      authorAssociation: "MEMBER",
      repository,
    }),
    released: one({
      state: "MERGED",
      mergedAt: "2026-01-05T10:00:00Z",
      mergeCommit: { oid: commit },
      repository,
    }),
    subIssues: one({ state: "CLOSED" }),
    editors: one({ editor: { login: "ann" } }),
    duplicates: {
      pageInfo: { hasPreviousPage: false },
      nodes: [
        {
          __typename: "MarkedAsDuplicateEvent",
          duplicate: { __typename: "Issue", id: "I_1", number: 1, repository },
          canonical: {
            __typename: "Issue",
            id: "I_2",
            number: 2,
            author: { login: "ann" },
            authorAssociation: "OWNER",
            repository,
          },
        },
      ],
    },
    projects: one({
      type: "ISSUE",
      project: { id: "PVT_1" },
      field0: {
        __typename: "ProjectV2ItemFieldSingleSelectValue",
        optionId: "a",
        name: "Todo",
        field: { id: "PVTSSF_1" },
      },
    }),
    facts: { databaseId: 42 },
    number: 1,
    state: "CLOSED",
    stateReason: "DUPLICATE",
    locked: false,
    createdAt: "2026-01-05T10:00:00Z",
    updatedAt: "2026-01-05T10:00:00Z",
    labels: one({ name: "bug" }),
    assignees: one({ login: "ann" }),
    milestone: { number: 1, title: "Next", state: "OPEN" },
    type: { name: "Bug" },
    ...changes,
  };
}

const releasesJson = {
  repository0: {
    releases: {
      totalCount: 1,
      nodes: [
        {
          isDraft: false,
          isPrerelease: false,
          tagName: "v1",
          createdAt: "2026-01-06T10:00:00Z",
          publishedAt: "2026-01-06T10:00:00Z",
          tag: { id: "REF_1" },
          tagCommit: { oid: commit },
        },
      ],
    },
  },
};

/** What each kind of query is answered with, unless a test says otherwise. */
interface Script {
  readonly signals?: unknown;
  readonly releases?: unknown;
  readonly comparisons?: unknown;
}

function fieldJson(name = "Status"): Record<string, unknown> {
  return { id: "PVTSSF_1", name, options: [{ id: "a", name: "Todo" }] };
}

async function readScript(script: Script): Promise<readonly SignalAnswer[]> {
  const answers = {
    signals: { data: { field0: fieldJson(), nodes: [nodeJson()] } },
    releases: { data: releasesJson },
    comparisons: { data: { comparison0: { compare: { status: "BEHIND" } } } },
    ...script,
  };
  const send: Send = (call) => {
    const text = call.body ?? "";
    const name = /query (?<name>\w+)/u.exec(text)?.groups?.["name"]?.toLowerCase();
    const answer = answers[name as keyof typeof answers];
    return answering(JSON.stringify(answer))(call);
  };
  const fixture = createFixture("https://api.github.com", { send, retries: 0 });
  return readSignals(fixture, ["I_1"], everything);
}

/** Every "no" that an answer claims. */
function claimedNos({ signals, duplicateOf, editors }: SignalAnswer): readonly string[] {
  const { pullRequests, subIssues, isReleased, projectStatus = {} } = signals;
  const claims: readonly (readonly [string, boolean])[] = [
    ["pullRequests", pullRequests?.kind === "known" && pullRequests.value.length === 0],
    ["subIssues", subIssues?.kind === "known" && subIssues.value.total === 0],
    ["isReleased", isReleased?.kind === "known" && !isReleased.value],
    ["duplicateOf", duplicateOf?.kind === "known" && duplicateOf.value === null],
    ["editors", editors?.kind === "known" && editors.value.length === 0],
    ...Object.values(projectStatus).map(
      (status) => ["projectStatus", status.kind === "known" && status.value === null] as const,
    ),
  ];
  return claims.filter(([, isClaimed]) => isClaimed).map(([name]) => name);
}

/** Every place in a JSON value. */
function pathsIn(value: unknown): readonly (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((one, index) => [index, one])
    : Object.entries(value);
  return entries.flatMap(([key, one]) => [[key], ...pathsIn(one).map((path) => [key, ...path])]);
}

/** The value with another one in a place. */
function replaced(value: unknown, [key, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((one, index) => (index === key ? replaced(one, rest, by) : one));
  const record = value as Readonly<Record<string, unknown>>;
  return { ...record, [key]: replaced(record[key], rest, by) };
}

describe("an answer that is wrong in one place", () => {
  it("is read in full while nothing is wrong", async () => {
    expect(await readScript({})).toMatchObject([
      {
        signals: {
          pullRequests: known([{ number: 2, state: "merged" }]),
          subIssues: known({ total: 1, closed: 1 }),
          isReleased: known(true),
          projectStatus: { "acme/1/status": known("Todo") },
        },
        duplicateOf: known({ nodeId: "I_2" }),
        issue: { number: 1, stateReason: "duplicate", labels: ["bug"] },
      },
    ]);
  });

  const wrongs: readonly unknown[] = ["x", 7, 1e300, -1, true, [], {}, "x".repeat(100_000)];
  const isEmptyValue = (path: readonly (string | number)[]): boolean =>
    // An empty list with a count of none, and a null that stands for none, are what a "no" looks like.
    ["nodes", "totalCount"].includes(String(path.at(-1))) || path.at(-1) === "duplicate";

  it.each(pathsIn(nodeJson()).map((path) => [path.join("."), path] as const))(
    "at %s never claims a no, and never throws",
    async (_, path) => {
      for (const wrong of isEmptyValue(path) ? ["x", true, {}, -1] : wrongs) {
        const node = replaced(nodeJson(), path, wrong);
        const [answer] = await readScript({ signals: { data: { field0: fieldJson(), nodes: [node] } } });
        if (answer === undefined) throw new Error("There should have been an answer.");
        expect(claimedNos(answer).filter((no) => no !== allowedNo(path, wrong))).toEqual([]);
      }
    },
  );

  it.each(pathsIn(releasesJson).map((path) => [path.join("."), path] as const))(
    "about releases at %s never claims a no",
    async (_, path) => {
      for (const wrong of ["x", 7, true, {}, null]) {
        if (wrong === true && /isDraft|isPrerelease/u.test(String(path.at(-1)))) continue;
        const [answer] = await readScript({ releases: { data: replaced(releasesJson, path, wrong) } });
        expect(claimedNos(answer ?? { nodeId: "", signals: {} })).toEqual([]);
      }
    },
  );

  it.each([null, {}, { comparison0: null }, { comparison0: {} }, { comparison0: { compare: null } }])(
    "about comparisons (%j) never claims a no",
    async (data) => {
      const [answer] = await readScript({ comparisons: { data, errors: [] } }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(RemoteError);
        return [];
      });
      expect(claimedNos(answer ?? { nodeId: "", signals: {} })).toEqual([]);
    },
  );
});

/** A no that the wrong value really says: another issue's event, another project's item, a state that is none of the two. */
function allowedNo(path: readonly (string | number)[], wrong: unknown): string | undefined {
  const place = path.join(".");
  if (typeof wrong !== "string") return undefined;
  if (place === "projects.nodes.0.project.id") return "projectStatus";
  if (place === "duplicates.nodes.0.duplicate.id" || place === "id") return "duplicateOf";
  return undefined;
}

describe("whatever GraphQL answers", () => {
  const shapes = fc.oneof(
    fc.json(),
    fc.jsonValue().map((data) => JSON.stringify({ data })),
    fc.jsonValue().map((errors) => JSON.stringify({ data: { nodes: [nodeJson()] }, errors })),
    fc.jsonValue().map((node) => JSON.stringify({ data: { field0: fieldJson(), nodes: [node] } })),
    fc
      .tuple(fc.constantFrom(...Object.keys(nodeJson())), fc.jsonValue())
      .map(([name, value]) => JSON.stringify({ data: { nodes: [nodeJson({ [name]: value })] } })),
    fc
      .array(fc.record({ type: fc.string(), message: fc.string(), path: fc.array(fc.string()) }))
      .map((errors) => JSON.stringify({ data: null, errors })),
  );

  it("is an answer or a RemoteError, and never a crash", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (body) => {
        const fixture = createFixture("https://api.github.com", { send: answering(body), retries: 0 });
        const ends = await Promise.allSettled([
          readSignals(fixture, ["I_1"], everything),
          fixture.tracker.projectField({ owner: "acme", project: 1, field: "Status" }, unbounded()),
        ]);
        for (const end of ends) {
          if (end.status === "rejected") expect(end.reason).toBeInstanceOf(RemoteError);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("a query as a whole", () => {
  it("that is too heavy is asked for again in pieces", async () => {
    const fixture = await startLinked();
    const ids = Array.from({ length: 35 }, (_, index) => {
      const { id } = fixture.github.openIssue("acme/app", { title: `${index}` });
      return `I_${id}`;
    });
    const body = { data: null, errors: [{ message: "Resource limits for this query exceeded." }] };
    fixture.github.failNext({ path: "/graphql", answer: { kind: "answer", status: 200, body } });
    const answers = await readSignals(fixture, ids, { pullRequests: true });
    expect(answers.map(({ nodeId }) => nodeId)).toEqual(ids);
    expect(answers.every(({ signals }) => signals.pullRequests?.kind === "known")).toBe(true);
    expect(fixture.tracker.requests).toBe(3);
  });

  it("that is refused even in pieces is an error that quotes GitHub", async () => {
    const fixture = await startLinked();
    const body = { data: null, errors: [{ message: "Something went wrong while executing your query." }] };
    fixture.github.failNext({ path: "/graphql", times: 9, answer: { kind: "answer", status: 200, body } });
    const error = await failureOf(readOne(fixture, 1, { pullRequests: true }));
    expect(error).toMatchObject({
      fault: "unreachable",
      message: expect.stringMatching(/Something went wrong/),
    });
  });

  it.each(["FORBIDDEN", "INSUFFICIENT_SCOPES"])(
    "that is not allowed is no trouble of GitHub's: %s",
    async (type) => {
      const fixture = await startLinked();
      const message = "The `acme` organization has an IP allow list enabled";
      const body = { data: null, errors: [{ type, message }] };
      fixture.github.failNext({ path: "/graphql", times: 9, answer: { kind: "answer", status: 200, body } });
      const error = await failureOf(readOne(fixture, 1, { pullRequests: true }));
      expect(error).toMatchObject({ fault: "unauthorized", detail: "forbidden" });
      expect(error.message).toContain(message);
    },
  );

  it("that fails for the moment is repeated, though it is a POST", async () => {
    const fixture = await startLinked();
    fixture.github.failNext({
      path: "/graphql",
      times: 2,
      answer: { kind: "answer", status: 502, body: "Bad" },
    });
    expect((await readOne(fixture, 1, { pullRequests: true })).signals.pullRequests?.kind).toBe("known");
    expect(fixture.tracker.requests).toBe(3);
  });

  it("beside whose data an error names no place leaves all of it unknown", async () => {
    const errors = [{ message: "Something went wrong." }];
    const [answer] = await readScript({
      signals: { data: { field0: fieldJson(), nodes: [nodeJson()] }, errors },
    });
    expect(answer).toMatchObject({
      signals: {
        pullRequests: unknown(/Something went wrong/),
        subIssues: unknown(/Something went wrong/),
        isReleased: unknown(/Something went wrong/),
        projectStatus: { "acme/1/status": unknown(/Something went wrong/) },
      },
      duplicateOf: unknown(/Something went wrong/),
    });
    expect(answer).not.toHaveProperty("issue");
    expect(answer).not.toHaveProperty("fault");
  });

  it.each(["FORBIDDEN", "SOME_NEW_TYPE"])(
    "that hides an issue by %s does not make it missing",
    async (type) => {
      const errors = [{ type, path: ["nodes", 0], message: "Protected by SAML" }];
      const [answer] = await readScript({
        signals: { data: { field0: fieldJson(), nodes: [null] }, errors },
      });
      expect(answer).toMatchObject({ signals: { subIssues: unknown(/Protected by SAML/) } });
      expect(answer).not.toHaveProperty("fault");
    },
  );

  it("tells no field that is called otherwise each time, and asks for that a few times only", async () => {
    let asked = 0;
    const send: Send = (call) => {
      asked += 1;
      const nodes = ["I_1", "I_2", "I_3"].map((id) => nodeJson({ id }));
      return answering(JSON.stringify({ data: { field0: fieldJson(`Status ${asked}`), nodes } }))(call);
    };
    const fixture = createFixture("https://api.github.com", { send, retries: 0 });
    const answers = await readSignals(fixture, ["I_1", "I_2", "I_3"], { ...everything, released: false });
    expect(asked).toBeLessThan(10);
    expect(answers).toHaveLength(3);
    expect(answers[0]?.signals).toMatchObject({
      projectStatus: { "acme/1/status": unknown(/kept changing/) },
      subIssues: { kind: "known" },
    });
  });

  it("goes to the Enterprise Server's own address, and is no mutation", async () => {
    const fixture = await startLinked({ basePath: "/api/v3" });
    await readOne(fixture, 1, { pullRequests: true });
    const asked = await startServer((response) => sendJson(response, 200, { data: { nodes: [] } }));
    const tracker = createFixture(`${asked.url}/api/v3`).tracker;
    await failureOf(readSignals({ tracker }, ["x"], { pullRequests: true }));
    expect(asked.seen).toEqual(["POST /api/graphql"]);
  });
});

describe("GraphQL's secondary limit", () => {
  it.each([
    [200, { data: null, errors: [{ message: "You have exceeded a secondary rate limit." }] }],
    [403, { message: "You have exceeded a secondary rate limit." }],
    [200, { data: { nodes: [] }, errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded" }] }],
  ])("is a limit as %i", async (status, body) => {
    const fixture = await startLinked();
    fixture.github.failNext({ path: "/graphql", times: 9, answer: { kind: "answer", status, body } });
    const error = await failureOf(readOne(fixture, 1, { pullRequests: true }));
    expect(error).toMatchObject({ fault: "limited" });
  });

  it("is none where data quotes such words", async () => {
    const errors = [{ type: "FORBIDDEN", path: ["nodes", 0, "subIssues"], message: "about the rate limit" }];
    const [answer] = await readScript({
      signals: { data: { field0: fieldJson(), nodes: [nodeJson()] }, errors },
    });
    expect(answer?.signals).toMatchObject({
      subIssues: unknown(/rate limit/),
      pullRequests: { kind: "known" },
    });
  });
});
