import { describe, expect, it } from "vitest";
import { postFields } from "../../../src/model/post.ts";
import type {
  Action,
  CommentIssue,
  CreateIssue,
  CreatePost,
  PatchPost,
  UpdateIssue,
} from "../../../src/plan/ground/action.ts";
import {
  approvalSignature,
  canonical,
  doubtSignature,
  hashBody,
  noteSignature,
  planSignature,
  readRules,
  refusalSignature,
  settingsPrint,
  signatureOf,
  writeRules,
} from "../../../src/plan/ground/identity.ts";
import type { PostValues, RenderedIssue } from "../../../src/plan/ground/settings.ts";
import { draftIssue, followContent } from "../../../src/plan/issue-text.ts";
import { aim, makeIssue, makeLink, makeRow, makeSettings, noTarget, postId } from "../make.ts";

it("the same content is the same text, whatever the order of its keys", () => {
  expect(canonical({ b: [2, 1], a: { d: null, c: undefined } })).toBe('{"a":{"d":null},"b":[2,1]}');
  expect(canonical({ a: { d: null }, b: [2, 1] })).toBe('{"a":{"d":null},"b":[2,1]}');
  expect(canonical({ a: [undefined] })).toBe('{"a":[null]}');
});

describe("the print of the settings", () => {
  it("changes with any setting and any template", () => {
    const prints = [
      settingsPrint(makeSettings()),
      settingsPrint(makeSettings({ settleMs: 1 })),
      settingsPrint(makeSettings(), { title: "{{ post.title }}" }),
    ];
    expect(new Set(prints).size).toBe(3);
    expect(settingsPrint(makeSettings())).toBe(prints[0]);
  });

  it("of the rules is their text, and can be read again", () => {
    const { rules, several, whenNoRule, followDuplicates, boardRules } = makeSettings({
      followDuplicates: true,
    });
    const settings = { rules, several, whenNoRule, followDuplicates, boardRules };
    const twoWay = {
      ...settings,
      boardRules: [{ when: { archived: true }, set: { state: "closed" } }],
    } as const;
    expect(readRules(writeRules(settings))).toEqual(settings);
    expect(readRules(writeRules(twoWay))).toEqual(twoWay);
    expect(readRules("3f786850e387550fdab836ed7e6dc881de23001b")).toBeUndefined();
  });

  it("of the rules changes with `rules`, `several`, `whenNoRule`, `followDuplicates` and `boardRules` only", () => {
    const print = writeRules(makeSettings());
    expect(writeRules(makeSettings({ settleMs: 1, content: "once", repo: "acme/b" }))).toBe(print);
    const others = [
      writeRules(makeSettings({ rules: [] })),
      writeRules(makeSettings({ several: "any" })),
      writeRules(makeSettings({ whenNoRule: "keep" })),
      writeRules(makeSettings({ followDuplicates: true })),
      writeRules(makeSettings({ boardRules: [{ when: { missing: true }, set: { state: "closed" } }] })),
    ];
    expect(new Set([print, ...others]).size).toBe(6);
  });
});

it("an approval is by nothing that its votes ask for: no label of a new issue, and no line of a text", () => {
  const issue = { labels: ["feedback"], voteLabels: { 10: "v10" }, categoryLabels: {}, assignees: [] };
  const settings = makeSettings({ issue });
  const render = ({ values }: PostValues): RenderedIssue => {
    const votes = `Votes: ${values["votes"]}`;
    const block = `b\n\n${votes}`;
    return { title: "t", block, body: block, votes, posts: [], titleHash: "t", blockHash: votes };
  };
  const text = { content: { titleHash: "t", blockHash: "b" }, others: [] };
  const rowOf = (votes: number) =>
    makeRow({ title: "t", description: "b", votes }, { links: [makeLink(makeIssue(), { text })] });
  const [few, many] = [9, 10].map((votes) => draftIssue(rowOf(votes), settings, render, "selected"));
  expect(many?.labels).toEqual(["feedback", "v10"]);
  expect(many && approvalSignature(many)).toBe(few && approvalSignature(few));
  const texts = [9, 10].flatMap((votes) =>
    followContent(rowOf(votes), settings, render, new Set(postFields)).map(approvalSignature),
  );
  expect([texts.length, new Set(texts).size]).toEqual([2, 1]);
});

it("an order by votes is refused as such, and no other one with it", () => {
  const patchTo = (value: number): PatchPost => ({
    kind: "patch-post",
    post: postId,
    writes: [
      { field: "roadmapOrder", before: 1, value, target: aim(value) },
      { field: "onRoadmap", before: false, value: true, target: aim(true) },
    ],
    reason: "one",
    notifies: 0,
    hold: undefined,
  });
  const settings = makeSettings({ rules: [{ when: {}, set: { roadmapOrder: "byVotes" } }] });
  const refused = [-30, -31, 7].map((value) => refusalSignature(patchTo(value), settings));
  expect(refused[1]).toBe(refused[0]);
  expect(refused[2]).not.toBe(refused[0]);
  expect(refusalSignature(patchTo(-30), makeSettings())).not.toBe(
    refusalSignature(patchTo(-31), makeSettings()),
  );
});

describe("the signature of a refused action", () => {
  const content = { titleHash: "t", blockHash: "b" };
  const patch: PatchPost = {
    kind: "patch-post",
    post: postId,
    writes: [{ field: "status", before: "open", value: "planned", target: aim("planned") }],
    reason: "one",
    notifies: 1,
    hold: undefined,
  };
  const create: CreateIssue = {
    kind: "create-issue",
    post: postId,
    repo: "acme/app",
    title: "t",
    body: "b",
    labels: [],
    assignees: [],
    milestone: undefined,
    type: undefined,
    content,
    reason: "one",
    followUp: patch,
  };
  const update: UpdateIssue = {
    kind: "update-issue",
    post: postId,
    issue: { repositoryId: 1, number: 2 },
    title: "t",
    block: undefined,
    posts: [postId],
    previous: content,
    content,
    seenAt: "2026-01-01T00:00:00Z",
    reason: "one",
  };
  const sign = (action: Action) => signatureOf(action, makeSettings());

  it.each<{ readonly name: string; readonly one: Action; readonly other: Action; readonly isSame: boolean }>([
    { name: "a PATCH with more voters", one: patch, other: { ...patch, notifies: 9 }, isSame: true },
    { name: "another PATCH", one: patch, other: { ...patch, writes: [] }, isSame: false },
    {
      name: "a new issue whose post has more votes",
      one: { ...create, body: "b\n\nVotes: 20+\n\nhttps://b/1", votes: "Votes: 20+" },
      other: { ...create, body: "b\n\nVotes: 100+\n\nhttps://b/1", votes: "Votes: 100+" },
      isSame: true,
    },
    {
      name: "a new issue whose post has its first vote",
      one: { ...create, body: "b\n\nhttps://b/1" },
      other: { ...create, body: "b\n\nVotes: 1\n\nhttps://b/1", votes: "Votes: 1" },
      isSame: true,
    },
    {
      name: "a new issue whose post has votes, beside a category",
      one: { ...create, body: "b\n\nCategory: x · Votes: 5+", votes: "Votes: 5+" },
      other: { ...create, body: "b\n\nCategory: x" },
      isSame: true,
    },
    { name: "a new issue of another text", one: create, other: { ...create, body: "c" }, isSame: false },
    { name: "one without its PATCH", one: create, other: { ...create, followUp: undefined }, isSame: false },
    {
      name: "a text with more votes",
      one: { ...update, block: "b\n\nVotes: 5+", votes: "Votes: 5+" },
      other: { ...update, block: "b\n\nVotes: 10+", votes: "Votes: 10+" },
      isSame: true,
    },
    {
      name: "a line of people's that looks like ours",
      one: { ...create, body: "Please\n\nVotes: 5\nmore\n\nVotes: 5", votes: "Votes: 5" },
      other: { ...create, body: "Please\n\nVotes: 6\nmore\n\nVotes: 5", votes: "Votes: 5" },
      isSame: false,
    },
    {
      name: "the last line of people's, where no votes are told",
      one: { ...update, block: "Please\n\nVotes: 5" },
      other: { ...update, block: "Please\n\nVotes: 6" },
      isSame: false,
    },
    { name: "another title", one: update, other: { ...update, title: "u" }, isSame: false },
  ])("by which an approval knows it: $name", ({ one, other, isSame }) => {
    expect(approvalSignature(one) === approvalSignature(other)).toBe(isSame);
  });

  it("by which an approval knows it is that of older versions where nothing follows and no votes are told", () => {
    const change: Action = {
      kind: "change-issue",
      post: postId,
      changes: [],
      reason: "one",
      hold: undefined,
    };
    const comment: Action = { kind: "comment-issue", post: postId, comments: [], reason: "one" };
    for (const action of [patch, { ...create, followUp: undefined }, update, change, comment])
      expect(approvalSignature(action)).toBe(signatureOf(action));
  });

  it("stays while the same would be written, however it is reasoned", () => {
    expect(sign({ ...patch, reason: "two", notifies: 9 })).toBe(sign(patch));
    expect(sign({ ...create, reason: "two", followUp: undefined })).toBe(sign(create));
    expect(sign({ ...update, reason: "two" })).toBe(sign(update));
    expect(sign({ ...patch, writes: patch.writes.map((write) => ({ ...write, target: noTarget })) })).toBe(
      sign(patch),
    );
  });

  it("is another one than that of its content, which is the same whatever the settings are", () => {
    expect(signatureOf({ ...patch, reason: "two" })).toBe(signatureOf(patch));
    expect(new Set([patch, create, update].map((action) => signatureOf(action))).size).toBe(3);
    expect(signatureOf(patch)).not.toBe(sign(patch));
  });

  it("that nobody hears of and that is in doubt is that of all its values", () => {
    const quiet = (value: boolean, before: boolean): PatchPost => ({
      ...patch,
      writes: [{ field: "onRoadmap", before, value, target: noTarget }],
    });
    expect(doubtSignature(quiet(true, true))).toBe(doubtSignature(quiet(true, false)));
    expect(doubtSignature(quiet(true, true))).not.toBe(doubtSignature(quiet(false, true)));
    const loud = { ...patch, writes: [...patch.writes, ...quiet(true, true).writes] };
    expect(doubtSignature(loud)).toBe(doubtSignature(patch));
  });

  it("stays when `writes` changes, which a plan looks past", () => {
    expect(signatureOf(patch, makeSettings({ writes: "none" }))).toBe(sign(patch));
  });

  it("changes with what would be written, with the post, and with the settings", () => {
    const [write] = patch.writes;
    const signatures = [
      sign(patch),
      sign({
        ...patch,
        writes: [{ field: "status", before: "new", value: "planned", target: aim("planned") }],
      }),
      sign({
        ...patch,
        writes: [{ field: "status", before: "open", value: "done", target: aim("planned") }],
      }),
      sign({
        ...patch,
        writes: [
          ...(write ? [write] : []),
          { field: "onRoadmap", before: true, value: false, target: noTarget },
        ],
      }),
      sign(create),
      sign({ ...create, labels: ["x"] }),
      sign(update),
      sign({ ...update, block: "b" }),
      signatureOf(patch, makeSettings({ repo: "acme/b" })),
    ];
    expect(new Set(signatures).size).toBe(signatures.length);
  });
});

describe("what a saved plan knows an action by", () => {
  it("is what it would write, and for a new issue the PATCH that comes along", () => {
    const patch: PatchPost = {
      kind: "patch-post",
      post: postId,
      writes: [{ field: "status", before: "open", value: "planned", target: aim("planned") }],
      reason: "#1 open → rule 1",
      notifies: 3,
      hold: undefined,
    };
    const create: CreateIssue = {
      kind: "create-issue",
      post: postId,
      repo: "acme/app",
      title: "Dark mode",
      body: "Please.",
      labels: [],
      assignees: [],
      milestone: undefined,
      type: undefined,
      content: { titleHash: "t", blockHash: "b" },
      reason: "selected",
      followUp: undefined,
    };
    expect(planSignature(patch)).toBe(signatureOf(patch));
    expect(planSignature(create)).toBe(signatureOf(create));
    const followed = planSignature({ ...create, followUp: patch });
    expect(followed).not.toBe(signatureOf(create));
    expect(planSignature({ ...create, followUp: { ...patch, notifies: 9 } })).toBe(followed);
    expect(planSignature({ ...create, followUp: { ...patch, writes: [] } })).not.toBe(followed);
  });
});

it("a note is known by our line, and a request by all of its text", () => {
  expect(noteSignature("acme/app#1")).not.toBe(noteSignature(undefined));
  expect(noteSignature(undefined)).toBe(noteSignature(""));
  expect(hashBody({ status: "planned", onRoadmap: true })).not.toBe(hashBody({ status: "planned" }));
});

it("what is kept is recognised by every later version", () => {
  const patch: PatchPost = {
    kind: "patch-post",
    post: postId,
    writes: [{ field: "status", before: "open", value: "in_progress", target: aim("in_progress") }],
    reason: "one",
    notifies: 1,
    hold: undefined,
  };
  const signature = "517292540099d8d802160b628f513fcd987d1a9f86616dd5836e9432f7e0b79e";
  expect(signatureOf(patch)).toBe(signature);
  expect(planSignature(patch)).toBe(signature);
  expect(doubtSignature(patch)).toBe("bcbb4d4ef4ead90af5e2f938e4ffe8783f65a9c6b049c2d8a401d1e58e7d5d13");
  expect(noteSignature("acme/app#1")).toBe(
    "75d9d023c5cd82fce97dec0fc2d8af7c51318d23c99eb23becb589f93dabf30c",
  );
  expect(hashBody({ status: "planned" })).toBe(
    "c7456a9e65269463d26d8e91373612bb6d3a33d71528f76c018ec64971119464",
  );
});

describe("an issue that is written", () => {
  const comment: CommentIssue = {
    kind: "comment-issue",
    post: postId,
    comments: [
      {
        issue: { repositoryId: 7, number: 12 },
        seenAt: "2026-01-01T00:00:00Z",
        write: { field: "comment", before: undefined, value: "0123", target: aim("0123") },
        body: "Declined",
      },
    ],
    reason: "rule 1",
  };

  it("lets a refused comment go again when it has changed since, as people may have unlocked it", () => {
    const settings = makeSettings();
    const later = comment.comments.map((one) => ({ ...one, seenAt: "2026-01-02T00:00:00Z" }));
    const refused = refusalSignature(comment, settings);
    expect(refusalSignature({ ...comment, reason: "rule 2" }, settings)).toBe(refused);
    expect(refusalSignature({ ...comment, comments: later }, settings)).not.toBe(refused);
    expect(signatureOf({ ...comment, comments: later })).toBe(signatureOf(comment));
  });

  it("is known by what the rules ask to be said there, not by how the post words it today", () => {
    const [one] = comment.comments;
    const reworded = one ? [{ ...one, body: "Declined (5 votes)" }] : [];
    const other = one ? [{ ...one, write: { ...one.write, target: aim("4567") } }] : [];
    expect(signatureOf({ ...comment, comments: reworded })).toBe(signatureOf(comment));
    expect(signatureOf({ ...comment, comments: other })).not.toBe(signatureOf(comment));
  });
});

it("a post that is to be made is known by the issue and by all that the board is told of it", () => {
  const create: CreatePost = {
    kind: "create-post",
    post: postId,
    issue: { repositoryId: 7, number: 12 },
    title: "Dark mode",
    body: "Please.",
    address: "https://github.com/acme/app/issues/12",
    category: undefined,
    reason: "label `feedback`",
  };
  const same = { ...create, reason: "rule 2", address: "https://github.com/acme/other/issues/12" };
  expect(signatureOf(same)).toBe(signatureOf(create));
  const others: readonly Partial<CreatePost>[] = [
    { issue: { repositoryId: 7, number: 13 } },
    { title: "Night mode" },
    { body: "Now." },
    { category: "c1" },
  ];
  const signatures = others.map((change) => signatureOf({ ...create, ...change }));
  expect(new Set([signatureOf(create), ...signatures]).size).toBe(5);
});
