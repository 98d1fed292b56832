import { z } from "zod";
import { findAddressFault, holdsPassword, isAddress } from "./state-address.ts";
import {
  apiUrl,
  cron,
  duration,
  host,
  instant,
  name,
  oneOrMany,
  repository,
  timeZone,
  webAddress,
  wholeNumber,
} from "./values.ts";

/**
 * The whole config file, from the top to the smallest part; `config/docs/reference/settings.md` is its prose. What is read
 * here is checked further in `consistency.ts` (what one setting says about another).
 */

/** Refuses a map with too few keys, unless something else is wrong with it and said already. */
function needsKeys(least: number, error: string) {
  return z.refine<object>((given) => Object.keys(given).length >= least, {
    error,
    when: ({ issues }) => issues.length === 0,
  });
}

/** A path into an answer of the board: keys with dots between. */
const answerPath = z
  .string()
  .max(200)
  .regex(/^[^.\s]+(\.[^.\s]+)*$/, {
    error: "must be a path of keys with dots between, such as `data.posts`",
  });

function fieldName(ours: string) {
  return name(100).describe(`What the board calls \`${ours}\`.`).exactOptional();
}

const listing = z
  .strictObject({
    items: answerPath
      .describe("Where the list of posts stands in an answer, such as `data.feedback`.")
      .exactOptional(),
    total: z
      .union([answerPath, z.literal(false)])
      .describe(
        "Where the number of all posts stands, such as `meta.total`; false where the board's total counts something else than the listed posts.",
      )
      .exactOptional(),
  })
  .describe("Where the posts stand in an answer, where this can't be recognised.");

const paging = z
  .strictObject({
    kind: z.enum(["cursor", "page", "offset", "none"]).describe("How one page follows another."),
    param: name(100)
      .describe("The query parameter that takes the cursor, the page or the offset.")
      .exactOptional(),
    first: wholeNumber(0, 1).describe("Number of the first page: 1 where left out.").exactOptional(),
    next: answerPath
      .describe(
        "Where the next cursor stands in an answer, such as `meta.nextCursor`; `lastId` where the id of a page's last post is the cursor.",
      )
      .exactOptional(),
    sizeParam: name(100).describe("The query parameter that takes the size of a page.").exactOptional(),
    size: wholeNumber(1, 10_000).describe("How many posts a page holds.").exactOptional(),
  })
  .describe("How the board's list is paged, where this can't be recognised.");

const fields = z
  .strictObject({
    id: fieldName("id"),
    title: fieldName("title"),
    description: fieldName("description"),
    status: fieldName("status"),
    categoryId: fieldName("categoryId"),
    votes: fieldName("votes"),
    url: fieldName("url"),
    roadmapColumn: fieldName("roadmapColumn"),
    roadmapOrder: fieldName("roadmapOrder"),
    roadmapPublic: fieldName("roadmapPublic"),
    onRoadmap: fieldName("onRoadmap"),
    isReviewed: fieldName("isReviewed"),
    isArchived: fieldName("isArchived"),
    createdAt: fieldName("createdAt"),
    updatedAt: fieldName("updatedAt"),
  })
  .describe("What the board calls the fields of a post, where its names differ from ours: `id: uuid`.");

const tool = z.strictObject({
  name: name(200).describe("What the MCP server calls the tool."),
  args: z
    .record(name(100), z.json())
    .prefault({})
    .describe("What it is called with; texts are templates, such as `{{ entry.title }}`."),
  result: answerPath
    .describe("Where the id stands in its answer (of a list: in each record), if it can't be recognised.")
    .exactOptional(),
  schema: z
    .string()
    .regex(/^[0-9a-f]{16}$/, { error: "must be 16 characters of `0-9a-f`, as `boardsync check` shows them" })
    .describe("The schema of its arguments that is agreed to; left out, the one of its first use.")
    .exactOptional(),
});

export const toolPurpose = z.enum([
  "categories",
  "changelogList",
  "changelogCreate",
  "changelogUpdate",
  "changelogPublish",
  "feedbackCreate",
]);
export type ToolPurpose = z.infer<typeof toolPurpose>;

const mcp = z
  .strictObject({
    url: apiUrl("https://feedback.example.com/api/mcp")
      .describe("The address of the MCP server; left out, `/api/mcp` on the board's origin.")
      .exactOptional(),
    tools: z
      .partialRecord(toolPurpose, tool)
      .prefault({})
      .describe("Which tool serves which purpose. No other one is ever called."),
  })
  .describe("The board's hosted MCP server, for what its REST API leaves open. It gets the same key.");

const board = z
  .strictObject({
    url: apiUrl().describe("The address of the board's API: https, or http on loopback."),
    allowInsecure: z.boolean().default(false).describe("Allow plain http to another machine."),
    timeout: duration("1s", "10m").prefault("30s").describe("How long one request may take."),
    retries: wholeNumber(0, 10).default(3).describe("How often a failed read is repeated. Writes never are."),
    concurrency: wholeNumber(1, 32).default(4).describe("How many writes may be under way at once."),
    maxBytes: wholeNumber(1_048_576, 2 ** 40)
      .default(268_435_456)
      .describe(
        "A project's list that is longer than this, in bytes, is given up: the board goes on for ever, or fills the disk.",
      ),
    formerUrls: z
      .array(apiUrl())
      .max(100)
      .prefault([])
      .describe(
        "Earlier addresses of this same board: marks on issues that name one of them count like those of `url`. Never called.",
      ),
    list: listing.exactOptional(),
    paging: paging.exactOptional(),
    fields: fields.exactOptional(),
    mcp: mcp.exactOptional(),
  })
  .describe("The feedback board.");

const pace = z
  .strictObject({
    minIntervalMs: wholeNumber(0, 600_000).default(1000).describe("Milliseconds between two writes."),
    createsPerMinute: wholeNumber(1, 100_000).default(20).describe("Issues opened in a minute."),
    createsPerHour: wholeNumber(1, 100_000).default(150).describe("Issues opened in an hour."),
    writesPerHour: wholeNumber(1, 100_000)
      .default(450)
      .describe("All writes in an hour, opened issues included."),
  })
  .prefault({})
  .describe("How fast the tracker is written to. The defaults stay below GitHub's limits.");

const login = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$/, {
  error: "must be a GitHub login, such as `octocat` or `my-app[bot]`",
});

const tracker = z
  .strictObject({
    kind: z.literal("github").default("github").describe("Which tracker it is."),
    url: apiUrl()
      .prefault("https://api.github.com")
      .describe("The address of its API; of GitHub Enterprise Server https://HOST/api/v3."),
    allowInsecure: z.boolean().default(false).describe("Allow plain http to another machine."),
    timeout: duration("1s", "10m").prefault("20s").describe("How long one request may take, writes too."),
    pace,
    trustedAuthors: z
      .array(login)
      .max(100)
      .default([])
      .describe("Further logins whose marks on issues count, such as an earlier bot account."),
  })
  .prefault({})
  .describe("The issue tracker.");

const guard = z
  .strictObject({
    issues: wholeNumber(0, 1_000_000).default(50).describe("Issues created or changed in one run."),
    statuses: wholeNumber(0, 1_000_000)
      .default(25)
      .describe("Board writes that notify voters, in any 60 minutes. Approved ones don't count."),
    flips: wholeNumber(0, 1000)
      .default(3)
      .describe("Status changes of one post in 24 hours; one more needs you."),
  })
  .prefault({})
  .describe("What a project may do without being asked. More than this needs you: `approve` lets it go.");

const status = name(200);
const category = name(200);
const label = name(50);
const milestone = name(255);
const issueType = name(100);

const roadmapColumn = z.enum(["PLANNED", "IN_PROGRESS", "COMPLETED"]);

const onField = z.strictObject({
  statuses: oneOrMany(status).describe("The post has one of these statuses.").exactOptional(),
  categories: oneOrMany(category)
    .describe("The post has one of these categories: ids or names, as `boardsync check` lists them.")
    .exactOptional(),
  reviewed: z.boolean().describe("Whether the post is reviewed.").exactOptional(),
  onRoadmap: z.boolean().describe("Whether the post is on the roadmap.").exactOptional(),
  roadmapColumn: oneOrMany(roadmapColumn)
    .describe("The post is in one of these columns of the roadmap.")
    .exactOptional(),
  title: oneOrMany(name(200))
    .describe("One of these texts stands in the post's title, in any case. No patterns.")
    .exactOptional(),
  minVotes: wholeNumber(0, 1_000_000_000).describe("The post has at least this many votes.").exactOptional(),
  maxVotes: wholeNumber(0, 1_000_000_000).describe("The post has at most this many votes.").exactOptional(),
  archived: z
    .boolean()
    .describe("Whether the post is archived. Where no condition says so: not archived.")
    .exactOptional(),
  createdAfter: instant().describe("The post was created after this day or time (UTC).").exactOptional(),
  createdBefore: instant().describe("The post was created before this day or time (UTC).").exactOptional(),
  olderThan: duration("1s", "9999d").describe("The post was created so long ago.").exactOptional(),
});

interface Conditions extends z.output<typeof onField> {
  any?: Conditions[];
  not?: Conditions;
}

interface GivenConditions extends z.input<typeof onField> {
  any?: GivenConditions[];
  not?: GivenConditions;
}

/** Groups may stand in groups. */
const innerConditions: z.ZodType<Conditions, GivenConditions> = onField
  .extend({
    get any() {
      return anyOf();
    },
    get not() {
      return innerConditions.exactOptional();
    },
  })
  .check(needsKeys(1, "has no condition: name one"))
  .describe("Conditions that hold together.")
  .meta({ id: "conditions", minProperties: 1 });

function anyOf() {
  return z
    .array(innerConditions)
    .min(1)
    .max(100)
    .describe("At least one of these groups holds.")
    .exactOptional();
}

const select = z
  .strictObject({ ...onField.shape, any: anyOf(), not: innerConditions.exactOptional() })
  .prefault({})
  .describe("Which posts become issues; every condition must hold. A linked post stays linked.");

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

const change = z
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

const rule = z.strictObject({ when: condition.exactOptional(), set: change });

const boardRule = z.strictObject({
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

const project = z.strictObject({
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

const http = z
  .union([
    z.literal(false),
    z
      .strictObject({
        host: host().default("127.0.0.1").describe("Where to listen."),
        port: wholeNumber(0, 65_535).default(8787).describe("The port; 0 takes a free one."),
        url: apiUrl("https://tools.example.com/sync")
          .describe("Where people open the status page, where a proxy stands before it.")
          .exactOptional(),
        webhooksPort: wholeNumber(0, 65_535)
          .exactOptional()
          .describe("A port for webhooks alone, so that a proxy need show nothing else."),
        orders: z
          .boolean()
          .default(true)
          .describe(
            "Whether orders can be given on the status page, by anyone who has more than the reading token.",
          ),
      })
      .refine(({ port, webhooksPort }) => port === 0 || webhooksPort !== port, {
        path: ["webhooksPort"],
        error: "must be another port than `http.port`; leave it out for webhooks on that one",
      }),
  ])
  .prefault({})
  .describe("The HTTP server of the daemon; false turns it off.");

/** The schema of the config file. Its input is what a person writes, its output is `Config`. */
export const configSchema = z.strictObject({
  board,
  tracker,
  state: name(4096)
    .refine((state) => !isAddress(state) || holdsPassword(state) || findAddressFault(state) === undefined, {
      error: "is no address: write a file's name, or postgres://host:5432/database, with % as %25",
    })
    .refine((state) => !holdsPassword(state), {
      error:
        "holds a password, which has no place in a config: leave it out of the address, and set BOARDSYNC_STATE_URL to the whole one",
    })
    .default("data/boardsync.db")
    .describe(
      "The SQLite file that remembers, relative to the working directory; or postgres://host/database, without a password.",
    ),
  lease: duration("5s", "10m")
    .prefault("30s")
    .describe(
      "PostgreSQL: a replica that is silent for so long is replaced. At least a request's time-out and 5 s.",
    ),
  schedule: cron()
    .default("*/5 * * * *")
    .describe("When the daemon runs a project, as cron; a field of seconds is allowed."),
  timezone: timeZone().default("UTC").describe("The time zone of every `schedule`."),
  settle: duration("0s", "30d")
    .prefault("0s")
    .describe(
      "How long a change must stay before voters are notified. Without it the next run notifies them.",
    ),
  fullEvery: duration("1m", "30d")
    .prefault("6h")
    .describe("How often every linked issue is read, whatever changed."),
  waits: z
    .strictObject({
      create: duration("0s", "1d").prefault("15m").describe("After opening an issue."),
      patch: duration("0s", "1d").prefault("2m").describe("After a write to a post."),
    })
    .prefault({})
    .describe("How long a write of unknown outcome rests before it is looked up."),
  guard,
  budget: duration("1s", "1d")
    .prefault("10m")
    .describe(
      "A run starts nothing new after this. Reading takes at most half of it while something is known that could be written.",
    ),
  http,
  keep: duration("1d", "9999d").prefault("180d").describe("How long the history is kept."),
  heartbeat: webAddress().describe("Called after each run without failures.").exactOptional(),
  notices: z
    .strictObject({
      url: webAddress().describe("Where to post them."),
      kind: z
        .enum(["slack", "discord", "teams", "generic"])
        .default("slack")
        .describe("What reads them there; `generic`: JSON with `about` and a plain `text`."),
      digest: z
        .enum(["daily", "weekly", "never"])
        .default("never")
        .describe(
          "How often one message says what was opened, which voters were notified, what needs you and what fails.",
        ),
    })
    .describe("One message a run about what waits for a person.")
    .exactOptional(),
  projects: z.array(project).min(1).max(1000).describe("What is kept in step with what."),
});

/** `T` all the way down, for reading only. */
type Immutable<T> = T extends readonly (infer Element)[]
  ? readonly Immutable<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;

/** A config that has passed every check: defaults filled in, durations in milliseconds, lists where one value is allowed. */
export type Config = Immutable<z.output<typeof configSchema>>;
/** One entry of `projects`. */
export type ProjectConfig = Config["projects"][number];
