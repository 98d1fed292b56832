import { expect, it } from "vitest";
import { type Action, changeOf, isNotifying, type PatchPost } from "../../../src/plan/ground/action.ts";
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
