import { describe, expect, it } from "vitest";
import type { ContentBase, LeftText, LinkedIssue, Row } from "../../src/model/link.ts";
import type { PostId } from "../../src/model/post.ts";
import type { CreateIssue, UpdateIssue } from "../../src/plan/ground/action.ts";
import { hashText } from "../../src/plan/ground/hash.ts";
import { refusalSignature, signatureOf } from "../../src/plan/ground/identity.ts";
import type { PlanContext, Settings } from "../../src/plan/ground/settings.ts";
import { planRow } from "../../src/plan/plan.ts";
import { TemplateError } from "../../src/plan/text/template.ts";
import {
  aim,
  makeAdopted,
  makeBase,
  makeContext,
  makeIssue,
  makeLink,
  makeParked,
  makeRow,
  makeSettings,
  postId,
  untouched,
} from "./make.ts";

function plan(row: Row, settings: Partial<Settings> = {}, more: Partial<PlanContext> = {}) {
  return planRow(row, makeContext({ settings: makeSettings(settings), ...more }));
}

describe("a selected post without an issue", () => {
  const row = makeRow({
    title: "Dark mode",
    description: "Please",
    status: "open",
    votes: 3,
    categoryId: "c1",
  });
  const issue = {
    labels: ["feedback"],
    categoryLabels: { c1: "started" },
    assignees: ["ada"],
    milestone: "Next",
    type: "Feature",
  };
  const create: CreateIssue = {
    kind: "create-issue",
    post: postId,
    repo: "acme/app",
    title: "Dark mode",
    body: "marker Please",
    labels: ["feedback"],
    assignees: [],
    milestone: undefined,
    type: undefined,
    content: { titleHash: hashText("Dark mode"), blockHash: hashText("Please") },
    reason: "selected: isArchived is `false`",
    followUp: undefined,
  };
  const plain = { issue: { labels: ["feedback"], categoryLabels: {}, assignees: [] } };

  it("gets one, with the post's text and what the settings ask for", () => {
    const decision = plan(row, { issue, route: [{ category: "c1", repo: "acme/api" }], settleMs: 5 });
    expect(decision).toEqual({
      post: postId,
      actions: [
        {
          ...create,
          repo: "acme/api",
          labels: ["feedback", "started"],
          assignees: ["ada"],
          milestone: "Next",
          type: "Feature",
        },
      ],
      base: {},
      issueBases: [],
      notes: [],
      standing: { kind: "wanted", reason: create.reason },
      stopped: [],
      settling: undefined,
      dueAt: undefined,
    });
  });

  it("names the PATCH that follows from the facts that it asks for", () => {
    const [action] = plan(row, { issue }).actions;
    expect(action).toMatchObject({
      followUp: {
        kind: "patch-post",
        writes: [{ field: "status", before: "open", value: "in_progress", target: aim("in_progress") }],
        reason: "the new issue open → rule 2",
        notifies: 3,
      },
    });
  });

  it("is followed by the rule for its milestone", () => {
    const [action] = plan(row, { issue: { ...plain.issue, milestone: "Next" } }).actions;
    expect(action).toMatchObject({ followUp: { writes: [{ value: "planned" }] } });
  });

  it.each<[string, Partial<Settings>]>([
    ["no rule matches it", plain],
    ["nothing may be written to the board", { issue, writes: "issues" }],
  ])("is followed by nothing where %s", (_, settings) => {
    expect(plan(row, settings).actions).toMatchObject([{ kind: "create-issue", followUp: undefined }]);
  });

  it("is followed by nothing where an issue before it had asked for the same: that is no change", () => {
    const base = { status: makeBase(aim("in_progress"), "open", { foreign: "open" }) };
    expect(plan({ ...row, base }, { issue }).actions).toMatchObject([{ followUp: undefined }]);
  });

  it("waits while one is being opened, or its outcome is unknown", () => {
    const decision = plan({ ...row, openIntents: ["create-issue"] }, plain);
    expect([decision.actions, decision.standing.kind]).toEqual([[], "wanted"]);
  });

  it("waits while the same issue stays refused, not when the post has changed", () => {
    const notes = [makeParked("create-issue", signatureOf(create, makeSettings(plain)))];
    expect(plan({ ...row, notes }, plain).actions).toEqual([]);
    const values = { ...row.post.values, title: "Dark theme" };
    expect(plan(makeRow(values, { notes }), plain).actions).toHaveLength(1);
  });

  it("waits while it may have one that nobody has found, whatever the post has become", () => {
    const notes = [{ ...makeParked("create-issue", "any"), cause: "unsure" } as const];
    expect(plan({ ...row, notes }, plain).actions).toEqual([]);
  });

  it("stays without one under `writes: none`", () => {
    const decision = plan(row, { ...plain, writes: "none" });
    expect([decision.actions, decision.standing.kind]).toEqual([[], "wanted"]);
  });

  it.each<[string, Row, string]>([
    ["missing", { ...row, missing: 1 }, "the board no longer lists the post"],
    ["not selected", makeRow({ isArchived: true }), "isArchived is `true`; select.archived wants false"],
  ])("is skipped where it is %s, with the reason", (_, skipped, reason) => {
    const decision = plan(skipped);
    expect([decision.actions, decision.standing]).toEqual([[], { kind: "skipped", reason }]);
    expect(decision.dueAt).toBeUndefined();
  });

  it.each([
    ["too young", { olderThan: 500 }, "skipped"],
    ["not too old yet", { not: { olderThan: 500 } }, "wanted"],
  ])("is looked at again when it is old enough, where it is %s", (_, select, kind) => {
    const post = makeRow({ ...row.post.values, createdAt: 999_999_900_000 });
    const settings = { ...plain, select: { ...select, isArchivedDefault: false } };
    const decision = plan(post, settings, { now: 999_999_900_100 });
    expect([decision.standing.kind, decision.dueAt]).toEqual([kind, 999_999_900_500]);
  });
});

describe("the text of an issue that boardsync opened", () => {
  const content: ContentBase = { titleHash: hashText("Dark mode"), blockHash: hashText("Please") };
  const link = makeLink(untouched, { text: { content, others: [] } });
  const update: UpdateIssue = {
    kind: "update-issue",
    post: postId,
    issue: { repositoryId: 7, number: 12 },
    title: "Dark theme",
    block: undefined,
    posts: [postId],
    previous: content,
    content: { titleHash: hashText("Dark theme"), blockHash: content.blockHash },
    seenAt: untouched.updatedAt,
    reason: "the title that post and config make changed since #12 was last written",
  };

  function linked(title: string, description: string, changes: Partial<Row> = {}): Row {
    return makeRow({ title, description }, { links: [link], ...changes });
  }

  it("stays as long as the post says the same", () => {
    expect(plan(linked("Dark mode", "Please")).actions).toEqual([]);
  });

  it("follows the further posts of the issue, and names them in its mark", () => {
    const others = [makeRow({ title: "Night mode" }).post].map((post) => ({ ...post, id: "p2" as PostId }));
    const row = linked("Dark mode", "Please", { links: [{ ...link, text: { content, others } }] });
    expect(plan(row).actions).toEqual([
      {
        ...update,
        title: undefined,
        block: "Please p2",
        posts: [postId, "p2"],
        content: { ...content, blockHash: hashText("Please p2") },
        reason: "the text that post and config make changed since #12 was last written",
      },
    ]);
  });

  it("follows the title", () => {
    expect(plan(linked("Dark theme", "Please")).actions).toEqual([update]);
  });

  it("is left where a person wants it left, until the post says something else", () => {
    const links = [{ ...link, text: { content, others: [], left: update.content } }];
    expect(plan(linked("Dark theme", "Please", { links })).actions).toEqual([]);
    expect(plan(linked("Dark theme", "Soon", { links })).actions).toMatchObject([{ block: "Soon" }]);
    expect(plan(linked("Night theme", "Please", { links })).actions).toMatchObject([
      { title: "Night theme" },
    ]);
  });

  it("follows the description", () => {
    expect(plan(linked("Dark mode", "Soon")).actions).toMatchObject([
      {
        title: undefined,
        block: "Soon",
        reason: "the text that post and config make changed since #12 was last written",
      },
    ]);
  });

  it("follows where the issue was found by its marker, too", () => {
    const found = { ...makeAdopted(untouched), text: link.text };
    expect(plan(linked("Dark theme", "Please", { links: [found] })).actions).toEqual([update]);
  });

  it("follows both", () => {
    expect(plan(linked("Dark theme", "Soon")).actions).toMatchObject([
      {
        title: "Dark theme",
        block: "Soon",
        reason: "the title and text that post and config make changed since #12 was last written",
      },
    ]);
  });

  it("comes after what is written to the post", () => {
    const row = linked("Dark theme", "Please", {
      links: [makeLink({ ...untouched, labels: ["started"] }, { text: link.text })],
    });
    expect(plan(row).actions.map(({ kind }) => kind)).toEqual(["patch-post", "update-issue"]);
  });

  it("stays where a template fails on the post, and holds up nothing that is written to the post", () => {
    const row = linked("Dark theme", "Please", {
      links: [makeLink({ ...untouched, labels: ["started"] }, { text: link.text })],
    });
    const failing = (error: Error): Partial<PlanContext> => ({
      render() {
        throw error;
      },
    });
    const { actions, notes } = plan(row, {}, failing(new TemplateError("issue.body: URI malformed")));
    expect(actions.map(({ kind }) => kind)).toEqual(["patch-post"]);
    expect(notes).toMatchObject([
      { kind: "undecided", cause: "template", message: expect.stringContaining("URI malformed") },
    ]);
    expect(() => plan(row, {}, failing(new Error("A bug")))).toThrow("A bug");
  });

  it("is followed under `writes: issues`", () => {
    expect(plan(linked("Dark theme", "Please"), { writes: "issues" }).actions).toEqual([update]);
  });

  it.each<[string, Row, Partial<Settings>]>([
    ["with `content: once`", linked("Dark theme", "Please"), { content: "once" }],
    ["with `writes: none`", linked("Dark theme", "Please"), { writes: "none" }],
    ["of an archived post", makeRow({ title: "Dark theme", isArchived: true }, { links: [link] }), {}],
    ["of a missing post", linked("Dark theme", "Please", { missing: 2 }), {}],
    ["that is being written", linked("Dark theme", "Please", { openIntents: ["update-issue"] }), {}],
    [
      "that was refused",
      linked("Dark theme", "Please", {
        notes: [makeParked("update-issue", refusalSignature(update, makeSettings()))],
      }),
      {},
    ],
  ])("is left alone %s", (_, row, settings) => {
    expect(plan(row, settings).actions).toEqual([]);
  });

  it("follows by parts, and a part that begins to follow catches up", () => {
    const both = linked("Dark theme", "Soon");
    const content = { title: "once", description: "follow" } as const;
    const [action, ...others] = plan(both, { content }).actions;
    expect(others).toEqual([]);
    expect(action).toMatchObject({
      title: undefined,
      block: "Soon",
      content: { titleHash: hashText("Dark mode") },
    });
    expect(plan(linked("Dark theme", "Please"), { content }).actions).toEqual([]);
    const text = { content: { titleHash: hashText("Dark mode"), blockHash: hashText("Soon") }, others: [] };
    const written = { ...both, links: [{ ...link, text }] };
    expect(plan(written, { content }).actions).toEqual([]);
    expect(plan(written, { content: { title: "follow" } }).actions).toMatchObject([{ title: "Dark theme" }]);
    expect(plan(both, { content: { description: "once" } }).actions).toMatchObject([{ block: undefined }]);
    expect(plan(both, { content: { title: "once", description: "once" } }).actions).toEqual([]);
  });

  it("is tried again where it was refused, or cut, once the issue has changed", () => {
    const known = { issue: makeIssue({ updatedAt: "2030-01-01T00:00:00Z" }) };
    const notes = [makeParked("update-issue", refusalSignature(update, makeSettings()))];
    expect(plan(linked("Dark theme", "Please", { notes, links: [{ ...link, known }] })).actions).toHaveLength(
      1,
    );
    const cut = { ...update.content, seenAt: update.seenAt };
    const left = (changes: Partial<LinkedIssue>, text: LeftText = cut) =>
      plan(
        linked("Dark theme", "Please", {
          links: [{ ...link, text: { content, others: [], left: text }, ...changes }],
        }),
      ).actions;
    expect(left({})).toEqual([]);
    expect(left({ known })).toHaveLength(1);
    expect(left({ known }, update.content)).toEqual([]);
    // What can't be said to have changed has not.
    expect(left({ known: undefined })).toEqual([]);
  });

  it.each<[string, LinkedIssue]>([
    ["is gone", { ...link, isGone: true }],
    ["people opened", makeAdopted(untouched)],
    ["stands first for another post", makeLink(untouched)],
  ])("is left alone where the issue %s", (_, other) => {
    expect(plan(linked("Dark theme", "Please", { links: [other] })).actions).toEqual([]);
  });
});
