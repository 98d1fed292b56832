/** @module-tag long */
import { describe, expect, it } from "vitest";
import type { IssueQuery } from "../../../../src/tracker/tracker.ts";
import type { FaultAnswer, SandboxFault } from "../../../support/sandbox/github/faults.ts";
import type { SandboxQuirks } from "../../../support/sandbox/github/rest/answer.ts";
import { collectPages, failureOf, type SandboxFixture, startSandbox, unbounded } from "../setup.ts";
import { nothing, readSignals } from "../signal-setup.ts";

const bad: FaultAnswer = { kind: "answer", status: 502, body: "<html>Unicorn</html>" };
const late: FaultAnswer = {
  kind: "answer",
  status: 504,
  body: { message: "We couldn't respond to your request in time." },
};
const inErrors = (error: object, data: unknown = null): FaultAnswer => ({
  kind: "answer",
  status: 200,
  body: { data, errors: [error] },
});
const words = "Something went wrong while executing your query. This may be the result of a timeout.";

/** How a query says that it is too heavy. */
const ways: readonly (readonly [string, FaultAnswer])[] = [
  ["502", bad],
  ["504", late],
  ["no answer", { kind: "hang" }],
  ["RESOURCE_LIMITS_EXCEEDED", inErrors({ type: "RESOURCE_LIMITS_EXCEEDED", message: "Too much." })],
  ["MAX_NODE_LIMIT_EXCEEDED", inErrors({ type: "MAX_NODE_LIMIT_EXCEEDED", message: "Too many nodes." })],
  ["a part of the data", inErrors({ type: "RESOURCE_LIMITS_EXCEEDED", path: ["nodes", 1] }, { nodes: [] })],
  ["its words", inErrors({ message: words })],
];

/** Issues, and everything that asks for more than so many of them fails. */
async function startHeavy(
  issues: number,
  most: number,
  answer: FaultAnswer,
  paging: SandboxQuirks["paging"] = "page",
): Promise<SandboxFixture> {
  const fixture = await startSandbox({ quirks: { paging } });
  const { github } = fixture;
  for (let count = 0; count < issues; count += 1) github.openIssue("acme/app", { title: `${count}` });
  const times = Number.POSITIVE_INFINITY;
  const when = ({ ids, rows }: { ids: readonly string[]; rows: number }): boolean =>
    ids.length > most || (ids.length === 0 && rows > most);
  github.failNext({ path: /^\/(?:graphql|repos|repositories)/, times, when, ...failing(fixture, answer) });
  return fixture;
}

/** A fault with this answer; the deadline of a request that hangs passes at once. */
function failing({ clock }: SandboxFixture, answer: FaultAnswer): Pick<SandboxFault, "answer" | "onMet"> {
  return { answer, ...(answer.kind === "hang" && { onMet: () => void setImmediate(clock.passDeadlines) }) };
}

const idsOf = ({ github }: SandboxFixture): readonly string[] =>
  github.issues("acme/app").map(({ id }) => `I_${id}`);
const sizesOf = ({ github }: SandboxFixture): readonly number[] =>
  github.requests.map(({ body, query }) =>
    Number(
      query["per_page"] ?? (Object(Object(body).variables).ids as readonly string[] | undefined)?.length,
    ),
  );

describe("a query that is too heavy", () => {
  it.each(
    ways.flatMap(([name, answer]) => [
      [name, 14, 10, answer, [14, 7, 7], [7, 7]] as const,
      [name, 30, 4, answer, [30, 15, 8, 4, 4, 4, 3, 4, 4, 4, 3], [4, 4, 4, 4, 4, 4, 4, 2]] as const,
    ]),
  )(
    "(%s, %i issues above %i) is halved, and what works is kept",
    async (_, issues, most, answer, first, later) => {
      const fixture = await startHeavy(issues, most, answer);
      const ids = idsOf(fixture);
      const answers = await readSignals(fixture, ids, { pullRequests: true });
      expect(answers.map(({ nodeId }) => nodeId)).toEqual(ids);
      expect(answers.every(({ signals }) => signals.pullRequests?.kind === "known")).toBe(true);
      expect(sizesOf(fixture)).toEqual(first);
      fixture.github.clearRequests();
      await readSignals(fixture, ids, { pullRequests: true });
      expect(sizesOf(fixture)).toEqual(later);
      fixture.clock.pass(3_600_000);
      fixture.github.clearRequests();
      await readSignals(fixture, ids, { pullRequests: true });
      expect(sizesOf(fixture)[0]).toBe(issues);
    },
  );

  it.each(ways)(
    "(%s) for one issue alone leaves that one unread, and asks for it apart from then on",
    async (_, answer) => {
      const fixture = await startHeavy(40, 100, answer);
      const ids = idsOf(fixture);
      const heavy = ids.slice(10, 12);
      const times = Number.POSITIVE_INFINITY;
      fixture.github.failNext({
        times,
        ...failing(fixture, answer),
        when: (asked) => asked.ids.some((id) => heavy.includes(id)),
      });
      for (const requests of [25, 3]) {
        fixture.github.clearRequests();
        const answers = await readSignals(fixture, ids, { pullRequests: true });
        expect(answers.map(({ nodeId }) => nodeId)).toEqual(ids);
        const unread = answers.filter(({ unread }) => unread !== undefined);
        expect(unread.map(({ nodeId, signals }) => [nodeId, signals])).toEqual(heavy.map((id) => [id, {}]));
        expect(fixture.github.requests.length).toBeLessThanOrEqual(requests);
      }
    },
  );

  it.each([1, 2, 14, 100])(
    "of %i issues that is never answered ends after twelve requests at most, and teaches nothing",
    async (issues) => {
      const fixture = await startHeavy(issues, 0, bad);
      const ids = idsOf(fixture);
      const asked = readSignals(fixture, ids, { pullRequests: true });
      expect(await failureOf(asked)).toMatchObject({ fault: "unreachable", detail: "server" });
      expect(fixture.github.requests.length).toBeLessThanOrEqual(12);
      expect(fixture.tracker.sizes?.all()).toEqual([]);
    },
  );

  it("is not halved where it is refused for another reason", async () => {
    const answer = inErrors({
      type: "FORBIDDEN",
      message: "Resource protected by organization SAML enforcement.",
    });
    const fixture = await startHeavy(14, 0, answer);
    expect(await failureOf(readSignals(fixture, idsOf(fixture), { pullRequests: true }))).toMatchObject({
      fault: "unauthorized",
      detail: "forbidden",
    });
    expect(fixture.github.requests).toHaveLength(1);
  });

  it("leaves the releases of one repository unread, and the rest is read", async () => {
    const fixture = await startHeavy(1, 100, bad);
    const { github } = fixture;
    const place = (number: number) => ({ repository: "acme/app", number });
    const { number } = github.openPullRequest("acme/app", { title: "For it" });
    github.linkPullRequest(place(1), place(number));
    github.mergePullRequest("acme/app", number);
    github.failNext({ path: "/graphql", when: ({ ids }) => ids.length === 0, times: 99, answer: bad });
    const wish = { ...nothing, pullRequests: true, released: true };
    const [answer] = await readSignals(fixture, idsOf(fixture), wish);
    expect(answer).toMatchObject({
      signals: { pullRequests: { kind: "known" } },
      unread: expect.stringContaining("502"),
    });
    expect(answer?.signals).not.toHaveProperty("isReleased");
  });
});

describe("a list that is too heavy", () => {
  const queries: readonly IssueQuery[] = [
    { kind: "latest", etag: undefined },
    { kind: "since", since: undefined },
    { kind: "by", author: undefined, createdSince: undefined },
  ];
  const cases = queries.flatMap((query) =>
    (
      [
        ["502", bad],
        ["504", late],
        ["no answer", { kind: "hang" }],
      ] as const
    ).flatMap(([name, answer]) =>
      [60, 30, 5, 1].flatMap((most) =>
        (["page", "cursor"] as const).map(
          (paging) => [query.kind, name, most, paging, query, answer] as const,
        ),
      ),
    ),
  );

  it.each(cases)(
    "(%s, %s above %i rows, paged by %s) is read whole with smaller pages",
    async (kind, _, most, paging, query, answer) => {
      const fixture = await startHeavy(0, most, answer);
      const { github, tracker, clock } = fixture;
      const quirks: Partial<SandboxQuirks> = { paging: paging === "cursor" ? "cursor" : "page" } as never;
      expect(quirks).toBeDefined();
      for (let count = 0; count < 70; count += 1) {
        github.openIssue("acme/app", { title: `${count}` });
        if (count % 9 === 0) clock.pass(1_000);
      }
      const found = await tracker.repository("acme/app", unbounded());
      github.clearRequests();
      const pages = await collectPages(tracker, found, query);
      const numbers = new Set(pages.flatMap(({ issues }) => issues.map(({ issue }) => issue.number)));
      const size = [50, 25, 12, 6, 3, 1].find((one) => one <= most) ?? 1;
      expect(numbers.size).toBe(kind === "latest" ? size : 70);
      expect(pages[0]?.hasMore).toBe(true);
      const failed = sizesOf(fixture).filter((one) => one > most);
      expect(failed.length).toBeLessThanOrEqual(6);
      github.clearRequests();
      await collectPages(tracker, found, query);
      expect(sizesOf(fixture).every((one) => one <= most)).toBe(true);
    },
  );

  it("further on is begun anew with smaller pages: nothing is left out", async () => {
    const fixture = await startHeavy(230, 100, bad);
    const { github, tracker } = fixture;
    const found = await tracker.repository("acme/app", unbounded());
    for (const query of queries.slice(1)) {
      github.failNext({ path: /^\/repositories\/\d+\/issues/, when: ({ rows }) => rows > 50, answer: bad });
      const pages = await collectPages(tracker, found, query);
      const numbers = new Set(pages.flatMap(({ issues }) => issues.map(({ issue }) => issue.number)));
      expect(numbers.size).toBe(230);
    }
  });

  it.each(["labels", "milestones"] as const)("of %s is whole, and conditional from then on", async (list) => {
    const fixture = await startHeavy(0, 30, bad);
    const { github, tracker } = fixture;
    for (let count = 0; count < 70; count += 1) {
      if (list === "labels") github.addLabel("acme/app", `l${count}`);
      else github.addMilestone("acme/app", `m${count}`);
    }
    const found = await tracker.repository("acme/app", unbounded());
    const first = await tracker[list](found, undefined, unbounded());
    if (first.kind !== "listed") throw new Error("The list should have been read.");
    expect(first.rows.length).toBeGreaterThanOrEqual(70);
    github.clearRequests();
    expect(await tracker[list](found, first.etag, unbounded())).toEqual({ kind: "unchanged" });
    expect(github.requests.every(({ status }) => status === 304)).toBe(true);
  });

  it("keeps the address of the idle request, and asks for all of it again after an hour", async () => {
    const fixture = await startHeavy(3, 30, bad);
    const { github, tracker, clock } = fixture;
    const found = await tracker.repository("acme/app", unbounded());
    const [page] = await collectPages(tracker, found, { kind: "latest", etag: undefined });
    github.clearRequests();
    const again = { kind: "latest", etag: page?.etag } as const;
    expect((await collectPages(tracker, found, again))[0]?.isUnchanged).toBe(true);
    expect(sizesOf(fixture)).toEqual([25]);
    clock.pass(3_600_000);
    github.clearRequests();
    await collectPages(tracker, found, again);
    expect(sizesOf(fixture)).toEqual([100, 50, 25]);
  });

  it("that is never answered ends after seven requests, and teaches nothing", async () => {
    const fixture = await startHeavy(3, 0, bad);
    const error = failureOf(collectPages(fixture.tracker, { ...found, id: 1 }, queries[0] as IssueQuery));
    expect(await error).toMatchObject({ fault: "unreachable", detail: "server" });
    expect(fixture.github.requests).toHaveLength(7);
    expect(fixture.tracker.sizes?.all()).toEqual([]);
  });

  it("that has no pages is asked for no more often than anything else", async () => {
    const { github, tracker } = await startHeavy(0, -1, bad);
    const error = failureOf(tracker.issueTypes({ ...found, id: 1 }, undefined, unbounded()));
    expect(await error).toMatchObject({ fault: "unreachable", detail: "server" });
    expect(github.requests).toHaveLength(4);
    expect(tracker.sizes?.all()).toEqual([]);
  });
});

const found = { name: "acme/app", hasIssues: true, isArchived: false, isPrivate: false, canPush: true };
