import { z } from "zod";
import { board } from "./schema/board.ts";
import { project } from "./schema/project.ts";
import { findAddressFault, holdsPassword, isAddress, isForShell, shellsPart } from "./state-address.ts";
import {
  apiUrl,
  cron,
  duration,
  gitHubUrl,
  host,
  login,
  name,
  timeZone,
  webAddress,
  wholeNumber,
} from "./values.ts";

/**
 * The whole config file; its larger parts stand in `schema/`, and `config/docs/reference/settings.md` is its prose. What is
 * read here is checked further in `consistency.ts` (what one setting says about another).
 */

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

const tracker = z
  .strictObject({
    kind: z.literal("github").default("github").describe("Which tracker it is."),
    url: gitHubUrl()
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
    .refine((state) => !isForShell(state), { error: shellsPart })
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
