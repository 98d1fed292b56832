import { z } from "zod";
import {
  category,
  cron,
  issueType,
  label,
  login,
  milestone,
  name,
  needsKeys,
  repository,
  status,
} from "../values.ts";
import { boardRule, change, rule } from "./rules.ts";
import { select } from "./select.ts";

/* One entry of `projects`. */

const route = z
  .strictObject({
    category: category.describe("The post's category: its id or name.").exactOptional(),
    status: status.describe("The post's status.").exactOptional(),
    label: label.describe("The label that `issue.categoryLabels` gives to the post.").exactOptional(),
    repo: repository().describe("Where matching posts become issues."),
  })
  .check(needsKeys(2, "has no condition: name a `category`, a `status` or a `label`"))
  .describe("Sends matching posts to another repository. Every condition given must hold.");

const issue = z
  .strictObject({
    title: z.string().min(1).max(2000).default("{{ post.title }}").describe("The issue's title, in Liquid."),
    body: z.string().max(60_000).default("{{ post.description }}").describe("The issue's text, in Liquid."),
    labels: z.array(label).max(100).default([]).describe("Labels of every issue. Created when missing."),
    categoryLabels: z
      .record(category, label)
      .default({})
      .describe("The label for each category, by its id or name, beside `labels`."),
    voteLabels: z
      .record(z.string().regex(/^\d{1,9}$/, { error: "must be a number of votes" }), label)
      .check(needsKeys(1, "names no label: give one, or leave it out"))
      .describe(
        "By votes: an issue has the label of the highest number that its post has reached, and no other of these.",
      )
      .exactOptional(),
    assignees: z.array(login).max(10).default([]).describe("Logins that every issue is assigned to."),
    milestone: milestone.describe("The title of the milestone of every issue.").exactOptional(),
    type: issueType.describe("The name of the issue type of every issue.").exactOptional(),
    postUrl: z
      .string()
      .max(2000)
      .regex(/^(https?:\/\/|\{\{)/, {
        error: "must be an address such as `https://feedback.example.com/p/{{ post.id }}`",
      })
      .describe("The public page of a post, in Liquid. Without it the address that the board shows, if any.")
      .exactOptional(),
    redact: z
      .array(z.enum(["email", "phone"]))
      .max(2)
      .describe(
        "What is made unreadable in texts of posts. Without it: both where a repository of the project is public, nothing where all are private.",
      )
      .exactOptional(),
  })
  .prefault({})
  .describe("What an issue that boardsync opens looks like.");

const following = z.enum(["follow", "once"]);

const conflict = z.enum(["tracker", "board", "hold", "pause"]);

const importing = z
  .strictObject({
    labels: z.array(label).min(1).max(20).describe("An open issue with all of these labels becomes a post."),
    category: category
      .describe("The category of such a post: what `{{ issue.category }}` in the tool's `args` stands for.")
      .exactOptional(),
    fromAnyone: z
      .boolean()
      .default(false)
      .describe(
        "Whether an issue counts whoever opened it, and not only one by somebody with write access, or whose labels another person has set.",
      ),
  })
  .describe("Which issues become posts, by the tool `board.mcp.tools.feedbackCreate`. Left out: none does.");

const conflictField = z.enum([
  ...(Object.keys(change.shape) as (keyof typeof change.shape)[]),
  ...(["state", "milestone", "labels", "default"] as const),
]);

const changelog = z
  .strictObject({
    releases: name(200)
      .default("*")
      .describe("Tags of the releases that get an entry: `*` is any text, `?` one character."),
    prereleases: z.boolean().default(false).describe("Whether pre-releases get one, too."),
    title: z.string().min(1).max(2000).default("{{ release.name }}").describe("Its title, in Liquid."),
    body: z
      .string()
      .min(1)
      .max(60_000)
      .describe("Its text, in Liquid: without it the notes of the release, and the posts that it ships.")
      .exactOptional(),
    publish: z
      .enum(["never", "approve"])
      .default("never")
      .describe("Whether `boardsync approve` may publish a draft: nothing else does."),
  })
  .describe("What releases of `repo` become in the board's changelog: drafts.");

export const project = z.strictObject({
  project: name(200).describe("The board's project: its id or slug. Stands once in the file."),
  repo: repository().describe("The repository whose issues belong to it: owner/name."),
  writes: z
    .enum(["all", "issues", "none"])
    .default("all")
    .describe("What may be written: both sides, issues only, or nothing (look and say; the stop switch)."),
  schedule: cron().describe("When it runs, instead of the file's `schedule`.").exactOptional(),
  select,
  route: z
    .array(route)
    .max(100)
    .default([])
    .describe("Where matching posts go instead of `repo`. The first match wins."),
  issue,
  content: z
    .union([following, z.partialRecord(z.enum(["title", "description"]), following)])
    .default("follow")
    .describe(
      "Whether a later edit of the post updates its part of the issue; also by `title` and `description`. What a map leaves out follows.",
    ),
  rules: z
    .array(rule)
    .min(1)
    .max(100)
    .describe(
      "What the issue makes of the post, from the most advanced rule to the least: each field takes its value from the first rule that matches and names it. Without it only `roadmapColumn` is kept.",
    )
    .exactOptional(),
  whenNoRule: z
    .enum(["restore", "keep"])
    .default("restore")
    .describe(
      "When no matching rule names a field any more: put back what was there before, or keep what boardsync wrote.",
    ),
  boardRules: z
    .array(boardRule)
    .min(1)
    .max(100)
    .describe("What the post makes of the issue.")
    .exactOptional(),
  conflict: z
    .union([conflict, z.partialRecord(conflictField, conflict)])
    .default("tracker")
    .describe(
      "Who wins when both sides changed the same thing since the last run; `pause`: a person's change on the board pauses the post. Also by field: `{ status: hold, default: tracker }`.",
    ),
  several: z
    .enum(["all", "any", "primary"])
    .default("all")
    .describe(
      "Which of a post's several issues decides: the least advanced, the most advanced, or the first.",
    ),
  followDuplicates: z
    .union([z.boolean(), z.literal("anyone")])
    .default(true)
    .describe(
      "Whether the post of an issue closed as duplicate follows the other issue: one that our account or somebody with write access opened; `anyone`: whoever did.",
    ),
  changelog: changelog.exactOptional(),
  import: importing.exactOptional(),
  backlink: z
    .boolean()
    .default(false)
    .describe("Keep one line that names the issue in the post's internal note."),
});
