import { describe, expect, it } from "vitest";
import type { LabelledIssue } from "../../../src/model/issue.ts";
import type { ImportSettings } from "../../../src/plan/ground/settings.ts";
import { isLabelledByOther, needsLabeller, whyKept } from "../../../src/plan/imports/draft.ts";

const settings: ImportSettings = { labels: ["Idea", "big"], fromAnyone: false, args: {} };

function issue(facts: Partial<LabelledIssue["issue"]> = {}, isOutside = false): LabelledIssue {
  const shown = {
    ...{ repositoryId: 10, number: 7, nodeId: "I_7", state: "open" as const, stateReason: null },
    ...{ labels: ["idea", "Big", "other"], assignees: [], milestone: null, type: null, locked: false },
    ...{ createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z", ...facts },
  };
  const outside = isOutside ? { isOutside: true as const } : {};
  return { issue: shown, author: "Ada", title: "CSV", body: "", ...outside };
}

describe("an issue becomes a post", () => {
  it("where it is open and has all the labels, in any case", () => {
    expect(whyKept(issue(), settings)).toBeUndefined();
    expect(whyKept(issue({ state: "closed" }), settings)).toBe("it is closed");
    expect(whyKept(issue({ labels: ["big"] }), settings)).toBe("it has not the label Idea");
  });

  it("where somebody with write access opened it, or anybody may", () => {
    expect(needsLabeller(issue(), settings)).toBe(false);
    expect(needsLabeller(issue({}, true), settings)).toBe(true);
    expect(needsLabeller(issue({}, true), { ...settings, fromAnyone: true })).toBe(false);
  });

  it.each<[string, Record<string, string>, boolean]>([
    ["another person set one of the labels", { idea: "ada", big: "maintainer" }, true],
    ["its author set both", { idea: "ada", big: "ADA" }, false],
    ["nobody is known to have set any", { other: "maintainer" }, false],
  ])("or where %s", (_, labellers, isTaken) => {
    expect(isLabelledByOther(issue(), settings, new Map(Object.entries(labellers)))).toBe(isTaken);
  });

  it("whose author is gone, by whoever labelled it", () => {
    expect(isLabelledByOther({ author: null }, settings, new Map([["idea", "maintainer"]]))).toBe(true);
  });
});
