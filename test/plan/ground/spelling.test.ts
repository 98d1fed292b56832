import { describe, expect, it } from "vitest";
import { spellStatus } from "../../../src/plan/ground/fields.ts";
import { planRow } from "../../../src/plan/plan.ts";
import { done, makeContext, makeLink, makeRow } from "../make.ts";

describe("a status that is written", () => {
  it.each<[string, readonly string[], string]>([
    ["in_progress", ["open", "In Progress"], "In Progress"],
    ["In Progress", ["in-progress"], "in-progress"],
    ["planned", ["PLANNED", "Planned"], "PLANNED"],
    ["planned", ["PLANNED", "planned"], "planned"],
    ["done", ["open"], "done"],
    ["done", [], "done"],
  ])("%j is %j's %j", (status, shown, spelling) => {
    expect(spellStatus(status, shown)).toBe(spelling);
  });

  it("is written as posts show it, and is still the rule's for the base", () => {
    const row = makeRow({ status: "Open" }, { links: [makeLink(done)] });
    const { actions, base } = planRow(row, makeContext({ statuses: ["Open", "COMPLETED"] }));
    expect(actions).toEqual([
      expect.objectContaining({
        writes: [
          {
            field: "status",
            before: "Open",
            value: "COMPLETED",
            target: { kind: "value", value: "completed" },
          },
        ],
      }),
    ]);
    expect(base.status?.pending?.target).toEqual({ kind: "value", value: "completed" });
  });
});
