import { z } from "zod";
import {
  category,
  issueType,
  label,
  milestone,
  name,
  needsKeys,
  oneOrMany,
  roadmapColumn,
  status,
  wholeNumber,
} from "../values.ts";

/* `rules` and `boardRules`: what one side makes of the other. */

const projectStatus = z
  .strictObject({
    owner: name(100).describe("Who owns the project. Without it: the repository's owner.").exactOptional(),
    project: wholeNumber(1, 1_000_000_000).describe("The project's number."),
    field: name(100).default("Status").describe("The field's name."),
    is: oneOrMany(name(100)).describe("The option's name, or several: in any case."),
  })
  .describe("The value of a field of a GitHub project.");

const condition = z
  .strictObject({
    state: z.enum(["open", "closed"]).describe("The issue's state.").exactOptional(),
    reason: oneOrMany(z.enum(["completed", "not_planned", "duplicate", "reopened", "other"]))
      .describe(
        "Why the issue is in this state: one of these. `other`: closed for no reason, or for one that no rule of the project names.",
      )
      .exactOptional(),
    labels: oneOrMany(label).describe("The issue has all of these labels.").exactOptional(),
    anyLabel: oneOrMany(label).describe("The issue has at least one of these labels.").exactOptional(),
    noLabel: oneOrMany(label).describe("The issue has none of these labels.").exactOptional(),
    assigned: z.boolean().describe("Whether anyone is assigned.").exactOptional(),
    milestone: milestone.describe("`any`, `none`, or a milestone's title.").exactOptional(),
    milestoneState: z
      .enum(["open", "closed"])
      .describe("The state of the issue's milestone.")
      .exactOptional(),
    type: issueType.describe("The name of the issue's type.").exactOptional(),
    subIssues: z
      .enum(["all-closed", "some-closed"])
      .describe(
        "The state of its sub-issues: all are closed, or at least one is. An issue without any has neither.",
      )
      .exactOptional(),
    projectStatus: projectStatus.exactOptional(),
    pullRequest: z
      .enum(["open", "ready", "merged", "none"])
      .describe(
        "The linked pull requests: `open` (one is open, drafts included), `ready` (one is open and no draft), `merged` (one is merged, and none open) or `none` (neither).",
      )
      .exactOptional(),
    fromAnyone: z
      .boolean()
      .describe(
        "Beside `pullRequest`: whether open pull requests count whoever opened them, and not only those of people with write access.",
      )
      .exactOptional(),
    released: z
      .boolean()
      .describe(
        "Whether its milestone is closed, or a published release contains the merge of a linked pull request.",
      )
      .exactOptional(),
  })
  .check(needsKeys(1, "has no condition: name one, or leave out `when` for a last rule that always matches"))
  .refine(({ pullRequest, fromAnyone }) => fromAnyone === undefined || pullRequest !== undefined, {
    path: ["fromAnyone"],
    error: "says who counts in `pullRequest`, and there is none beside it",
  })
  .describe("What must hold of the issue. Without it the rule always matches.")
  .meta({ minProperties: 1 });

export const change = z
  .strictObject({
    status: status.describe("The status, in the board's own word. A change notifies voters.").exactOptional(),
    roadmapColumn: roadmapColumn.describe("The roadmap's column.").exactOptional(),
    roadmapOrder: z
      .union([z.number(), z.literal("byVotes")])
      .describe(
        "The place in its column; `byVotes`: the most votes first, sent at most once each `fullEvery`.",
      )
      .exactOptional(),
    roadmapPublic: z.boolean().describe("Whether the roadmap shows it to everyone.").exactOptional(),
    onRoadmap: z.boolean().describe("Whether it is on the roadmap.").exactOptional(),
    isReviewed: z.boolean().describe("Whether it is reviewed.").exactOptional(),
    isArchived: z.boolean().describe("Whether it is archived.").exactOptional(),
    categoryId: category.nullable().describe("The category's id or name, or null for none.").exactOptional(),
  })
  .check(needsKeys(1, "sets nothing: name a field"))
  .describe("The post's fields while the rule matches.")
  .meta({ minProperties: 1 });

export const rule = z.strictObject({ when: condition.exactOptional(), set: change });

export const boardRule = z.strictObject({
  when: z
    .strictObject({
      status: status.describe("The post's status.").exactOptional(),
      archived: z.boolean().describe("Whether it is archived.").exactOptional(),
      category: category.describe("Its category: its id or name.").exactOptional(),
      onRoadmap: z.boolean().describe("Whether it is on the roadmap.").exactOptional(),
      reviewed: z.boolean().describe("Whether it is reviewed.").exactOptional(),
      missing: z.boolean().describe("Whether it is gone from the board.").exactOptional(),
    })
    .check(needsKeys(1, "has no condition: name one"))
    .describe("What must hold of the post.")
    .meta({ minProperties: 1 }),
  set: z
    .strictObject({
      state: z.enum(["open", "closed"]).describe("The issue's state.").exactOptional(),
      reason: z
        .enum(["completed", "not_planned", "duplicate", "reopened"])
        .describe("Why it gets this state.")
        .exactOptional(),
      addLabels: oneOrMany(label).describe("Labels to add.").exactOptional(),
      removeLabels: oneOrMany(label).describe("Labels to remove.").exactOptional(),
      milestone: milestone.nullable().describe("A milestone's title, or null for none.").exactOptional(),
      comment: z
        .string()
        .min(1)
        .max(60_000)
        .describe("A comment, in Liquid, made once for each time that the rule begins to hold.")
        .exactOptional(),
    })
    .check(needsKeys(1, "sets nothing: name a field"))
    .describe("What the issue gets.")
    .meta({ minProperties: 1 }),
});
