import { expect, it } from "vitest";
import {
  type Action,
  changeOf,
  countIssues,
  isNotifying,
  type PatchPost,
} from "../../../src/plan/ground/action.ts";
import { aim, postId } from "../make.ts";

const content = { titleHash: "t", blockHash: "b" };
const silent: PatchPost = {
  kind: "patch-post",
  post: postId,
  writes: [{ field: "onRoadmap", before: false, value: true, target: aim(true) }],
  reason: "",
  notifies: 0,
  hold: undefined,
};
const loud: PatchPost = {
  ...silent,
  writes: [...silent.writes, { field: "status", before: "open", value: "planned", target: aim("planned") }],
};
const create: Action = {
  kind: "create-issue",
  post: postId,
  repo: "acme/app",
  title: "",
  body: "",
  labels: [],
  assignees: [],
  milestone: undefined,
  type: undefined,
  content,
  reason: "",
  followUp: undefined,
};

it("a PATCH carries the fields that differ", () => {
  expect(changeOf(loud)).toEqual({ onRoadmap: true, status: "planned" });
});

it.each<[string, Action, boolean]>([
  ["a change of status", loud, true],
  ["a change of anything else", silent, false],
  ["a new issue whose PATCH changes the status", { ...create, followUp: loud }, true],
  ["a new issue whose PATCH does not", { ...create, followUp: silent }, false],
  ["a new issue alone", create, false],
  [
    "new text for an issue",
    {
      kind: "update-issue",
      post: postId,
      issue: { repositoryId: 1, number: 2 },
      title: "t",
      block: undefined,
      posts: [postId],
      previous: content,
      content,
      seenAt: "",
      reason: "",
    },
    false,
  ],
])("voters hear of %s: %s", (_, action, expected) => {
  expect(isNotifying(action)).toBe(expected);
});

const issue = { repositoryId: 1, number: 2 };
const other = { repositoryId: 1, number: 3 };
const comment = {
  seenAt: "",
  body: "Declined",
  write: { field: "comment", before: null, value: "1", target: aim("1") },
} as const;

it.each<[string, Action, number]>([
  ["a new issue", { ...create, followUp: loud }, 1],
  [
    "a change of all issues of a post",
    {
      kind: "change-issue",
      post: postId,
      changes: [issue, other].map((one) => ({ issue: one, seenAt: "", writes: [] })),
      reason: "",
      hold: undefined,
    },
    2,
  ],
  [
    "comments",
    {
      kind: "comment-issue",
      post: postId,
      comments: [issue, other].map((one) => ({ ...comment, issue: one })),
      reason: "",
    },
    2,
  ],
  ["a PATCH, which no limit on issues is about", loud, 0],
  [
    "a post that an issue becomes",
    {
      kind: "create-post",
      post: postId,
      issue,
      title: "",
      body: "",
      address: "",
      category: undefined,
      reason: "",
    },
    1,
  ],
])("the issues of %s are counted", (_, action, expected) => {
  expect(countIssues(action)).toBe(expected);
});
