import { expect, it } from "vitest";
import { bareIssue, isSameRepository, refOf } from "../../src/model/issue.ts";

it("a repository's name has no case", () => {
  expect(isSameRepository("Acme/App", "acme/app")).toBe(true);
  expect(isSameRepository("acme/app", "acme/apps")).toBe(false);
});

it("of an issue its identity is told alone, and one of which no more is known is open", () => {
  const ref = { repositoryId: 10, number: 7 };
  const issue = bareIssue({ ...ref, labels: ["bug"] });
  expect(issue).toMatchObject({ ...ref, state: "open", labels: ["bug"], assignees: [], milestone: null });
  expect(refOf(issue)).toEqual(ref);
});
