import { expect } from "vitest";
import { RemoteError } from "../../src/errors.ts";
import type { Repository } from "../../src/model/issue.ts";
import type { IssuePage, IssueQuery, IssueWrite, Tracker } from "../../src/tracker/tracker.ts";

/** A tracker that an adapter is tried on: the repository `acme/app`, without issues and labels. */
export interface ContractSubject {
  readonly tracker: Tracker;
  /** The same tracker, asked with a token that it doesn't accept. */
  readonly stranger: Tracker;
  /** Our login. */
  readonly login: string;
  /** What somebody does who may push, by the tracker's own API; `path` is below the repository. The answer must be a success. */
  act(method: string, path: string, body?: object): Promise<void>;
  /** Time passes. */
  pass(ms: number): void;
}

/** What every adapter of the tracker keeps, whatever is behind it. */
export interface Promised {
  readonly name: string;
  readonly hold: (subject: ContractSubject) => Promise<void>;
}

const bounds = { until: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };
const applied = { kind: "applied", record: undefined };
const second = 1_000;

const draft = {
  kind: "create-issue",
  title: "Dark mode",
  body: "<!-- mark -->\nPlease.",
  labels: [],
  assignees: [],
  milestone: undefined,
  type: undefined,
} as const satisfies IssueWrite;

function getRepository({ tracker }: ContractSubject): Promise<Repository> {
  return tracker.repository("acme/app", bounds);
}

async function write(subject: ContractSubject, what: IssueWrite) {
  return subject.tracker.write(await getRepository(subject), what);
}

/** Opens issues called 1, 2, …, a second apart; people open every second of them. */
async function openIssues(subject: ContractSubject, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const title = String(number);
    if (number % 2 === 0) await subject.act("POST", "/issues", { title });
    else expect(await write(subject, { ...draft, title })).toMatchObject({ kind: "applied" });
    subject.pass(second);
  }
}

async function list(subject: ContractSubject, query: IssueQuery): Promise<readonly IssuePage[]> {
  const pages: IssuePage[] = [];
  for await (const page of subject.tracker.listIssues(await getRepository(subject), query, bounds)) {
    pages.push(page);
  }
  return pages;
}

function numbersOf(pages: readonly IssuePage[]): readonly number[] {
  return pages.flatMap(({ issues }) => issues.map(({ issue }) => issue.number));
}

async function readOne(subject: ContractSubject, number: number) {
  const { id } = await getRepository(subject);
  return subject.tracker.readIssue({ repositoryId: id, number }, bounds);
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

const reading: readonly Promised[] = [
  {
    name: "knows its own account, and what answers",
    async hold({ tracker, login }) {
      expect(await tracker.account(bounds)).toEqual({ login });
      expect(await tracker.server(bounds)).toContain("GitHub");
    },
  },
  {
    name: "refuses a token that the tracker does not accept",
    async hold(subject) {
      await expect(subject.stranger.account(bounds)).rejects.toMatchObject({ fault: "unauthorized" });
      const repository = await getRepository(subject);
      expect(await subject.stranger.write(repository, draft)).toMatchObject({ kind: "unauthorized" });
      expect(numbersOf(await list(subject, { kind: "since", since: undefined }))).toEqual([]);
    },
  },
  {
    name: "finds a repository by name and by id, and misses what is not there",
    async hold(subject) {
      const found = await getRepository(subject);
      expect(found).toMatchObject({ name: "acme/app", hasIssues: true, isArchived: false, canPush: true });
      expect(await subject.tracker.repository(found.id, bounds)).toEqual(found);
      for (const wanted of ["acme/none", found.id + 1_000_000]) {
        const error: unknown = await subject.tracker.repository(wanted, bounds).catch((reason) => reason);
        expect(error).toBeInstanceOf(RemoteError);
        expect(error).toMatchObject({ fault: "missing" });
      }
    },
  },
  {
    name: "finds a repository whatever the case of its name",
    async hold(subject) {
      const found = await getRepository(subject);
      expect(await subject.tracker.repository("Acme/APP", bounds)).toEqual(found);
    },
  },
  {
    name: "tells what was changed of an issue, and by whom",
    async hold(subject) {
      await openIssues(subject, 1);
      await write(subject, { kind: "edit-issue", number: 1, state: "closed" });
      subject.pass(second);
      await write(subject, { kind: "edit-issue", number: 1, state: "open" });
      subject.pass(second);
      await write(subject, { kind: "add-labels", number: 1, labels: ["Late"] });
      const { id } = await getRepository(subject);
      const events = await subject.tracker.events({ repositoryId: id, number: 1 }, bounds);
      const { login } = subject;
      expect(events.slice(-3)).toMatchObject([
        { kind: "closed", login },
        { kind: "reopened", login },
        { kind: "labeled", login, name: "Late" },
      ]);
    },
  },
  {
    name: "lists what an account opened also from its other end: one page, all states",
    async hold(subject) {
      await openIssues(subject, 5);
      await write(subject, { kind: "edit-issue", number: 3, state: "closed" });
      const pages = await list(subject, { kind: "first", author: subject.login });
      expect(pages).toHaveLength(1);
      expect(numbersOf(pages)).toEqual([1, 3, 5]);
    },
  },
  {
    name: "lists labels and milestones of all states, beyond one page",
    async hold(subject) {
      for (const number of range(1, 105)) await subject.act("POST", "/labels", label(`label ${number}`));
      await subject.act("POST", "/milestones", { title: "Backlog" });
      await subject.act("POST", "/milestones", { title: "1.0", state: "closed" });
      const { labels, milestones } = await subject.tracker.catalogue(await getRepository(subject), bounds);
      expect(labels.map(({ name }) => name).toSorted()).toEqual(
        range(1, 105)
          .map((number) => `label ${number}`)
          .toSorted(),
      );
      expect(labels.every(({ id }) => id !== undefined)).toBe(true);
      expect(milestones.toSorted((a, b) => a.number - b.number)).toEqual([
        { number: 1, title: "Backlog", state: "open" },
        { number: 2, title: "1.0", state: "closed" },
      ]);
    },
  },
  {
    name: "lists the open issues that have all of some labels, and that nothing has changed",
    async hold(subject) {
      const { tracker } = subject;
      await openIssues(subject, 4);
      for (const number of [2, 3, 4])
        await subject.act("POST", `/issues/${number}/labels`, { labels: ["idea"] });
      for (const number of [2, 4]) await subject.act("POST", `/issues/${number}/labels`, { labels: ["Big"] });
      await subject.act("PATCH", "/issues/2", { state: "closed" });
      const repository = await getRepository(subject);
      const labels = ["Idea", "big"];
      const found = await tracker.labelled(repository, { labels, etag: undefined }, bounds);
      if (found.kind !== "listed") throw new Error("Nothing was listed.");
      expect(found.rows.map(({ issue, title }) => [issue.number, title])).toEqual([[4, "4"]]);
      expect(found.etag).toBeDefined();
      const again = await tracker.labelled(repository, { labels, etag: found.etag }, bounds);
      expect(again).toEqual({ kind: "unchanged" });
      await subject.act("POST", "/issues/3/labels", { labels: ["Big"] });
      const later = await tracker.labelled(repository, { labels, etag: found.etag }, bounds);
      expect(later.kind === "listed" && later.rows.map(({ issue }) => issue.number)).toEqual([3, 4]);
    },
  },
  {
    name: "answers with nothing more than that a list of labels has not changed",
    async hold(subject) {
      await subject.act("POST", "/labels", label("feedback"));
      const repository = await getRepository(subject);
      const listed = await subject.tracker.labels(repository, undefined, bounds);
      if (listed.kind !== "listed") throw new Error("The list should have been read.");
      expect(listed.etag).toBeDefined();
      const again = await subject.tracker.labels(repository, listed.etag, bounds);
      expect(again).toEqual({ kind: "unchanged" });
    },
  },
  {
    name: "has no issue types where nobody made any",
    async hold(subject) {
      const repository = await getRepository(subject);
      const listed = await subject.tracker.issueTypes(repository, undefined, bounds);
      expect(listed).toMatchObject({ kind: "listed", rows: [] });
    },
  },
  {
    name: "knows who can be assigned",
    async hold(subject) {
      const repository = await getRepository(subject);
      expect(await subject.tracker.isAssignable(repository, "dana", bounds)).toBe(true);
      expect(await subject.tracker.isAssignable(repository, "nobody", bounds)).toBe(false);
    },
  },
  {
    name: "shows the latest issues on one page, the one that changed last first",
    async hold(subject) {
      await openIssues(subject, 3);
      await subject.act("PATCH", "/issues/1", { title: "changed" });
      const [page, ...others] = await list(subject, { kind: "latest", etag: undefined });
      expect(others).toEqual([]);
      expect(page).toMatchObject({ isUnchanged: false, hasMore: false });
      expect(page?.issues.map(({ issue }) => issue.number)).toEqual([1, 3, 2]);
    },
  },
  {
    name: "answers that the latest issues have not changed, until they have",
    async hold(subject) {
      await openIssues(subject, 2);
      const [first] = await list(subject, { kind: "latest", etag: undefined });
      expect(first?.etag).toBeDefined();
      const [same] = await list(subject, { kind: "latest", etag: first?.etag });
      expect(same).toMatchObject({ isUnchanged: true, issues: [] });
      await subject.act("PATCH", "/issues/1", { state: "closed" });
      const [changed] = await list(subject, { kind: "latest", etag: first?.etag });
      expect(changed).toMatchObject({ isUnchanged: false });
    },
  },
  {
    name: "shows every issue, beyond one page, in the order of their changes",
    async hold(subject) {
      await openIssues(subject, 105);
      const pages = await list(subject, { kind: "since", since: undefined });
      expect(pages.length).toBeGreaterThan(1);
      expect([...new Set(numbersOf(pages))]).toEqual(range(1, 105));
      expect(pages.at(-1)?.hasMore).toBe(false);
    },
  },
  {
    name: "shows what has changed since a time, open or closed",
    async hold(subject) {
      await openIssues(subject, 3);
      const [before] = await list(subject, { kind: "latest", etag: undefined });
      subject.pass(10 * second);
      await subject.act("PATCH", "/issues/2", { state: "closed" });
      subject.pass(second);
      await subject.act("POST", "/issues/1/labels", { labels: ["bug"] });
      subject.pass(second);
      await subject.act("POST", "/issues/3/comments", { body: "Me, too." });
      const since = laterBy(before?.firstUpdatedAt, 5 * second);
      expect(numbersOf(await list(subject, { kind: "since", since }))).toEqual([2, 1, 3]);
    },
  },
  {
    name: "shows what one account opened, newest first, and what anybody did",
    async hold(subject) {
      await openIssues(subject, 5);
      const ours = { kind: "by", author: subject.login, createdSince: undefined } as const;
      expect(numbersOf(await list(subject, ours))).toEqual([5, 3, 1]);
      const everybodys = { ...ours, author: undefined };
      expect(numbersOf(await list(subject, everybodys))).toEqual([5, 4, 3, 2, 1]);
    },
  },
  {
    name: "reads one issue, and misses one that never was",
    async hold(subject) {
      await openIssues(subject, 2);
      expect(await readOne(subject, 2)).toMatchObject({
        kind: "found",
        record: { author: "dana", title: "2", body: "", issue: { number: 2, state: "open", labels: [] } },
      });
      expect(await readOne(subject, 3)).toEqual({ kind: "missing" });
    },
  },
  {
    name: "shows why an issue was closed, and that it was opened again",
    async hold(subject) {
      await openIssues(subject, 1);
      const steps = [
        [{ state: "closed" }, { state: "closed", stateReason: "completed" }],
        [{ state: "open" }, { state: "open", stateReason: "reopened" }],
        [
          { state: "closed", state_reason: "not_planned" },
          { state: "closed", stateReason: "not_planned" },
        ],
      ] as const;
      for (const [change, expected] of steps) {
        await subject.act("PATCH", "/issues/1", change);
        expect(await readOne(subject, 1)).toMatchObject({ record: { issue: expected } });
      }
    },
  },
  {
    name: "shows that an issue was closed as a duplicate",
    async hold(subject) {
      await openIssues(subject, 1);
      await subject.act("PATCH", "/issues/1", { state: "closed", state_reason: "duplicate" });
      expect(await readOne(subject, 1)).toMatchObject({ record: { issue: { stateReason: "duplicate" } } });
    },
  },
  {
    name: "shows every comment, oldest first, beyond one page",
    async hold(subject) {
      await openIssues(subject, 1);
      for (const number of range(1, 105)) {
        await subject.act("POST", "/issues/1/comments", { body: `comment ${number}` });
      }
      const { id } = await getRepository(subject);
      const pages: (readonly { author: unknown; body: string }[])[] = [];
      for await (const page of subject.tracker.comments({ repositoryId: id, number: 1 }, bounds)) {
        pages.push(page);
      }
      const comments = pages.flat();
      expect(comments.map(({ body }) => body)).toEqual(range(1, 105).map((number) => `comment ${number}`));
      expect(new Set(comments.map(({ author }) => author))).toEqual(new Set(["dana"]));
    },
  },
  {
    name: "reads the signals of an issue",
    async hold(subject) {
      await openIssues(subject, 1);
      const [page] = await list(subject, { kind: "latest", etag: undefined });
      const nodeId = page?.issues[0]?.issue.nodeId ?? "";
      const wish = { pullRequests: true, subIssues: true, released: false, duplicates: true };
      const whole = { ...wish, projects: [], facts: false };
      for await (const answers of subject.tracker.readSignals([nodeId], whole, bounds)) {
        expect(answers).toMatchObject([{ nodeId, duplicateOf: { kind: "known", value: null } }]);
      }
    },
  },
];

const writing: readonly Promised[] = [
  {
    name: "opens an issue with everything that was asked for, and shows it",
    async hold(subject) {
      await subject.act("POST", "/milestones", { title: "Backlog" });
      const outcome = await write(subject, {
        ...draft,
        labels: ["feedback", "ui"],
        assignees: ["dana"],
        milestone: 1,
      });
      expect(outcome).toMatchObject({
        kind: "applied",
        record: {
          author: subject.login,
          title: draft.title,
          body: draft.body,
          issue: {
            number: 1,
            state: "open",
            stateReason: null,
            labels: ["feedback", "ui"],
            assignees: ["dana"],
            milestone: { number: 1, title: "Backlog", state: "open" },
          },
        },
      });
      const record = outcome.kind === "applied" ? outcome.record : undefined;
      expect(await readOne(subject, 1)).toEqual({ kind: "found", record });
    },
  },
  {
    name: "carries any text unharmed",
    async hold(subject) {
      const title = '123n {owner} :name "quoted" @\u200bdana 😀';
      const body = '<!-- mark -->\r\n"5n", \u2028 {"a":12345678901234567890n}\n\n&lt;b> \\@dana';
      expect(await write(subject, { ...draft, title, body })).toMatchObject({
        kind: "applied",
        record: { title, body },
      });
      expect(await readOne(subject, 1)).toMatchObject({ record: { title, body } });
    },
  },
  {
    name: "changes what it is told to, and leaves the rest",
    async hold(subject) {
      await subject.act("POST", "/milestones", { title: "Backlog" });
      await subject.act("POST", "/issues", { title: "a", body: "b", labels: ["theirs"] });
      const edit = { kind: "edit-issue", number: 1 } as const;
      const closed = {
        ...edit,
        title: "c",
        state: "closed",
        stateReason: "not_planned",
        milestone: 1,
      } as const;
      expect(await write(subject, closed)).toMatchObject({
        kind: "applied",
        record: {
          title: "c",
          body: "b",
          issue: {
            state: "closed",
            stateReason: "not_planned",
            labels: ["theirs"],
            milestone: { number: 1 },
          },
        },
      });
      const reopened = { ...edit, state: "open", stateReason: "reopened", milestone: null } as const;
      expect(await write(subject, reopened)).toMatchObject({
        kind: "applied",
        record: { title: "c", issue: { state: "open", stateReason: "reopened", milestone: null } },
      });
    },
  },
  {
    name: "adds and removes labels one by one, so that people's labels stay",
    async hold(subject) {
      await subject.act("POST", "/issues", { title: "a", labels: ["theirs"] });
      const add = { kind: "add-labels", number: 1, labels: ["area: a/b?", "50 %"] } as const;
      expect(await write(subject, add)).toEqual(applied);
      expect(await labelsOf(subject)).toEqual(["theirs", "area: a/b?", "50 %"]);
      for (const name of add.labels) {
        expect(await write(subject, { kind: "remove-label", number: 1, label: name })).toEqual(applied);
      }
      expect(await labelsOf(subject)).toEqual(["theirs"]);
    },
  },
  {
    name: "is content where a label that is to go is not there",
    async hold(subject) {
      await subject.act("POST", "/issues", { title: "a" });
      expect(await write(subject, { kind: "remove-label", number: 1, label: "none" })).toEqual(applied);
    },
  },
  {
    name: "makes a label",
    async hold(subject) {
      expect(await write(subject, { kind: "create-label", name: "feedback" })).toEqual(applied);
      const { labels } = await subject.tracker.catalogue(await getRepository(subject), bounds);
      expect(labels.map(({ name }) => name)).toEqual(["feedback"]);
    },
  },
  {
    name: "is content where a label that is to be made is there",
    async hold(subject) {
      await subject.act("POST", "/labels", label("feedback"));
      expect(await write(subject, { kind: "create-label", name: "feedback" })).toEqual(applied);
    },
  },
  {
    name: "takes a label for the same whatever its case",
    async hold(subject) {
      await subject.act("POST", "/labels", label("Feedback"));
      expect(await write(subject, { ...draft, labels: ["feedback"] })).toMatchObject({ kind: "applied" });
      const { labels } = await subject.tracker.catalogue(await getRepository(subject), bounds);
      expect(labels.map(({ name }) => name)).toEqual(["Feedback"]);
    },
  },
  {
    name: "comments",
    async hold(subject) {
      await openIssues(subject, 1);
      expect(await write(subject, { kind: "add-comment", number: 1, body: "Planned." })).toEqual(applied);
      const { id } = await getRepository(subject);
      for await (const page of subject.tracker.comments({ repositoryId: id, number: 1 }, bounds)) {
        expect(page).toMatchObject([{ author: subject.login, body: "Planned." }]);
      }
    },
  },
  {
    name: "opens nothing with an assignee or a milestone that can't be",
    async hold(subject) {
      for (const odd of [{ assignees: ["nobody"] }, { milestone: 99 }]) {
        expect(await write(subject, { ...draft, ...odd })).toMatchObject({ kind: "rejected", status: 422 });
      }
      expect(numbersOf(await list(subject, { kind: "since", since: undefined }))).toEqual([]);
    },
  },
  {
    name: "is told which part of an issue the tracker refuses",
    async hold(subject) {
      const assigned = await write(subject, { ...draft, assignees: ["nobody"] });
      expect(assigned).toMatchObject({ fields: ["assignees"], named: [{ value: "nobody" }] });
    },
  },
  {
    name: "writes to no issue that never was",
    async hold(subject) {
      const edit = { kind: "edit-issue", number: 99, title: "b" } as const;
      expect(await write(subject, edit)).toMatchObject({ kind: "forbidden" });
    },
  },
  {
    name: "writes no text that is too long",
    async hold(subject) {
      const long = "x".repeat(70_000);
      for (const part of [{ body: long }, { title: "x".repeat(300) }, { labels: ["x".repeat(60)] }]) {
        expect(await write(subject, { ...draft, ...part })).toMatchObject({ kind: "rejected", status: 422 });
      }
    },
  },
];

/** All of them. */
export const promises: readonly Promised[] = [...reading, ...writing];

async function labelsOf(subject: ContractSubject): Promise<readonly string[]> {
  const answer = await readOne(subject, 1);
  if (answer.kind !== "found") throw new Error(`The issue is ${answer.kind}.`);
  return answer.record.issue.labels;
}

function label(name: string): object {
  return { name, color: "ededed" };
}

function laterBy(time: string | undefined, ms: number): string {
  return new Date(Date.parse(time ?? "") + ms).toISOString().replace(/\.\d+Z$/, "Z");
}
