import { describe, expect, it } from "vitest";
import { withFields } from "../../../src/plan/ground/issue-fields.ts";
import { makeIssue } from "../make.ts";

const next = { number: 4, title: "Next", state: "closed" } as const;

describe("an issue with the values of a write", () => {
  it("has its state and its reason", () => {
    expect(withFields(makeIssue(), [{ field: "state", value: "closed:not_planned" }], [])).toEqual(
      makeIssue({ state: "closed", stateReason: "not_planned" }),
    );
    const closed = makeIssue({ state: "closed", stateReason: "completed" });
    expect(withFields(closed, [{ field: "state", value: "open" }], [])).toEqual(makeIssue());
  });

  it("has the milestone that is known by its title, an open one where none is, or none", () => {
    const to = (value: string | null) =>
      withFields(makeIssue({ milestone: next }), [{ field: "milestone", value }], [next]).milestone;
    expect(to("Next")).toEqual(next);
    expect(to("Later")).toEqual({ number: 0, title: "Later", state: "open" });
    expect(to(null)).toBeNull();
  });

  it("has each label once, in any case, and the id of no other one", () => {
    const issue = makeIssue({ labels: ["Bug", "ui"], labelIds: ["L1", "L2"] });
    const values = [
      { field: "label:bug", value: false },
      { field: "label:declined", value: true },
    ] as const;
    expect(withFields(issue, values, [])).toEqual({
      ...issue,
      labels: ["ui", "declined"],
      labelIds: ["L2", ""],
    });
    const { labels, labelIds } = withFields(issue, [{ field: "label:ui", value: true }], []);
    expect([labels, labelIds]).toEqual([
      ["Bug", "ui"],
      ["L1", ""],
    ]);
  });

  it("names no ids where the tracker gave none", () => {
    const labelled = withFields(makeIssue({ labels: ["a"] }), [{ field: "label:b", value: true }], []);
    expect(labelled).toEqual(makeIssue({ labels: ["a", "b"] }));
  });

  it("is what it was after a comment", () => {
    expect(withFields(makeIssue(), [{ field: "comment", value: "0123" }], [])).toEqual(makeIssue());
  });
});
