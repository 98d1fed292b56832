import { describe, expect, it, vi } from "vitest";
import { load, problemsIn, smallest, withProject } from "./support.ts";

const aRule = "{ when: { state: closed }, set: { status: done } }";
const boardWith = (text: string) =>
  `board:\n  url: https://b.example\n  ${text}\nprojects: [{ project: p, repo: o/r }]`;
const address = (url: string) => `board: { url: "${url}" }\nprojects: [{ project: p, repo: o/r }]`;

describe("a mistake in the config is said with its line, column and path", () => {
  it.each<[string, string, string]>([
    [
      "a misspelt key at the top",
      smallest("projcts: []"),
      "3:1: projcts: unknown key `projcts` — did you mean `projects`?",
    ],
    [
      "a misspelt key of a group",
      boardWith("lsit: { items: a }"),
      "3:3: board.lsit: unknown key `lsit` — did you mean `list`?",
    ],
    [
      "a misspelt purpose of a tool",
      boardWith("mcp: { tools: { categorys: { name: a } } }"),
      "3:19: board.mcp.tools.categorys: unknown key `categorys` — did you mean `categories`?",
    ],
    [
      "a misspelt key of a tool",
      boardWith("mcp: { tools: { categories: { name: a, argz: {} } } }"),
      "3:42: board.mcp.tools.categories.argz: unknown key `argz` — did you mean `args`?",
    ],
    [
      "an MCP server that would show the key",
      boardWith("mcp: { url: 'http://mcp.example/' }"),
      "3:15: board.mcp.url: must be https, because http would show the key to the network; `board.allowInsecure: true` allows it",
    ],
    [
      "a misspelt key of a project",
      withProject("shedule: x"),
      "5:5: projects[0].shedule: unknown key `shedule` — did you mean `schedule`?",
    ],
    [
      "a misspelt key deep down",
      withProject("issue:\n  lables: [a]"),
      "6:7: projects[0].issue.lables: unknown key `lables` — did you mean `labels`?",
    ],
    [
      "a misspelt condition",
      withProject("rules:\n  - when: { stat: open }\n    set: { status: a }"),
      "6:17: projects[0].rules[0].when.stat: unknown key `stat` — did you mean `state`?",
    ],
    [
      "a misspelt key where false may stand, too",
      smallest("http: { prot: 1 }"),
      "3:9: http.prot: unknown key `prot` — did you mean `port`?",
    ],
    [
      "a key in other letters",
      smallest("timeZone: UTC"),
      "3:1: timeZone: unknown key `timeZone` — did you mean `timezone`?",
    ],
    [
      "a key like no other",
      smallest("guard: { zebra: 1 }"),
      "3:10: guard.zebra: unknown key `zebra`; known here: issues, statuses, flips",
    ],
    [
      "a key without a plain name",
      smallest("guard: { 'a b': 1 }"),
      '3:10: guard["a b"]: unknown key `a b`; known here: issues, statuses, flips',
    ],
    [
      "a key that is nothing",
      smallest("guard: { ~: 1 }"),
      '3:10: guard[""]: unknown key ``; known here: issues, statuses, flips',
    ],
    [
      "a key that would be endless or move the cursor",
      smallest(`guard: { "\\e[2J${"x".repeat(90)}": 1 }`),
      `3:10: guard["\\u001b[2J${"x".repeat(56)}…"]: unknown key \`?[2J${"x".repeat(56)}…\`; known here: issues, statuses, flips`,
    ],
    [
      "a key of the whole file in a project",
      withProject("settle: 10m"),
      "5:5: projects[0].settle: unknown key `settle` here: it belongs at the top of the file, for all projects",
    ],
    [
      "what a rule can't set, called like a key of the whole file",
      withProject("rules:\n  - set: { state: done }"),
      "6:16: projects[0].rules[0].set.state: unknown key `state`; known here: status, roadmapColumn, roadmapOrder, roadmapPublic, onRoadmap, isReviewed, isArchived, categoryId",
    ],
    [
      "a secret in the file",
      smallest("tracker: { token: ghp_1 }"),
      "3:12: tracker.token: unknown key `token`: secrets don't belong into this file, set BOARD_API_KEY and GITHUB_TOKEN in the environment",
    ],
    [
      "YAML's merge key",
      smallest("guard: &g {}\ntracker: { <<: *g }"),
      '4:12: tracker["<<"]: unknown key `<<`: YAML\'s merge keys are not supported, an alias for each setting is',
    ],

    ["no project", "board: { url: https://b.example }", "1:1: projects: is missing"],
    [
      "an empty list of projects",
      "board: { url: https://b.example }\nprojects: []",
      "2:11: projects: is an empty list: add to it or remove the line",
    ],
    [
      "a project without its repository",
      "board: { url: https://b.example }\nprojects:\n  - project: p",
      "3:5: projects[0].repo: is missing",
    ],
    [
      "a project that is no group",
      "board: { url: https://b.example }\nprojects: [acme]",
      "2:12: projects[0]: must be a group of settings, not text",
    ],
    [
      "a line without its value",
      smallest("state:"),
      "3:1: state: is empty: give it a value or remove the line",
    ],
    ...[
      "postgres://me:key@db/state",
      "postgresql://db/state?password=key",
      "postgres://me:1/key@db/state",
      "postgres://me:key@db:port/state",
    ].map((url): [string, string, string] => [
      `a password in the address of the state, as ${url}`,
      smallest(`state: ${url}`),
      "3:8: state: holds a password, which has no place in a config: leave it out of the address, and set BOARDSYNC_STATE_URL to the whole one",
    ]),
    [
      "an address of the state that is none",
      smallest("state: postgres://db:port/state"),
      "3:8: state: is no address: write a file's name, or postgres://host:5432/database, with % as %25",
    ],
    ...["~/boardsync.db", "$HOME/boardsync.db"].map((file): [string, string, string] => [
      `a state that a shell was to complete: ${file}`,
      smallest(`state: ${file}`),
      "3:8: state: begins with `~` or `$`, which only a shell puts in: write the whole name",
    ]),
    ["a list at the top", "- a", "1:1: (top level): must be a group of settings, not a list"],

    [
      "a number where text belongs",
      withProject("issue: { milestone: 12 }"),
      '5:25: projects[0].issue.milestone: must be text: put quotes around it, "12"',
    ],
    [
      "a number that is written in another way than it is read",
      withProject("issue: { milestone: 0123 }"),
      '5:25: projects[0].issue.milestone: must be text: put quotes around it, "0123"',
    ],
    [
      "a power of ten",
      withProject("select: { statuses: [a, 1e3] }"),
      '5:29: projects[0].select.statuses[1]: must be text: put quotes around it, "1e3"',
    ],
    [
      "a template without quotes",
      withProject("issue: { title: {{ post.title | upcase }}, labels: [a] }"),
      '5:21: projects[0].issue.title: must be text: put quotes around it, "{{ post.title | upcase }}"',
    ],
    [
      "a group where text belongs",
      withProject("issue: { milestone: { a: b } }"),
      "5:25: projects[0].issue.milestone: must be text, not a group of settings",
    ],
    [
      "text where a number belongs",
      smallest('guard: { issues: "5" }'),
      "3:18: guard.issues: must be a number, not text",
    ],
    [
      "true where a number belongs",
      smallest("guard: { issues: true }"),
      "3:18: guard.issues: must be a number, not true",
    ],
    ["a fraction", smallest("guard: { issues: 1.5 }"), "3:18: guard.issues: must be a whole number"],
    [
      "an endless number",
      withProject(`rules:\n  - set: { roadmapOrder: .inf }`),
      "6:30: projects[0].rules[0].set.roadmapOrder: must be a number or `byVotes`",
    ],
    [
      "yes for true",
      withProject("backlink: yes"),
      "5:15: projects[0].backlink: must be true or false, not text",
    ],
    [
      "text where a list belongs",
      withProject("issue: { labels: a }"),
      "5:22: projects[0].issue.labels: must be a list, not text",
    ],
    [
      "a number where one or a list belongs",
      withProject("select: { statuses: 4 }"),
      "5:25: projects[0].select.statuses: must be text or a list",
    ],
    [
      "a number within one or a list",
      withProject("select: { statuses: [a, 4] }"),
      '5:29: projects[0].select.statuses[1]: must be text: put quotes around it, "4"',
    ],
    [
      "an empty list within one or a list",
      withProject("select: { statuses: [] }"),
      "5:25: projects[0].select.statuses: is an empty list: add to it or remove the line",
    ],
    [
      "true where false or a group belongs",
      smallest("http: true"),
      "3:7: http: must be false or a group of settings",
    ],

    ["a number below its least", boardWith("retries: -1"), "3:12: board.retries: must be at least 0"],
    ["a number above its most", boardWith("retries: 11"), "3:12: board.retries: must be at most 10"],
    [
      "a pace of nothing",
      smallest("tracker: { pace: { createsPerMinute: 0 } }"),
      "3:38: tracker.pace.createsPerMinute: must be at least 1",
    ],
    [
      "a guard below nothing",
      smallest("guard: { statuses: -1 }"),
      "3:20: guard.statuses: must be at least 0",
    ],
    [
      "too long a label",
      withProject(`issue: { labels: [${"x".repeat(51)}] }`),
      "5:23: projects[0].issue.labels[0]: is longer than 50 characters",
    ],
    [
      "too many assignees",
      withProject(`issue: { assignees: [${"a, ".repeat(11)}] }`),
      "5:25: projects[0].issue.assignees: has more than 10 entries",
    ],
    ["an empty text", smallest('state: ""'), "3:8: state: is empty"],
    [
      "a text of two lines",
      smallest('state: "a\\nb"'),
      "3:8: state: must be one line without control characters",
    ],
    [
      "a text with a space around it",
      withProject('issue: { labels: [" a"] }'),
      "5:23: projects[0].issue.labels[0]: starts or ends with a space",
    ],
    [
      "a key of a map with a space around it",
      withProject('issue: { categoryLabels: { "a ": b } }'),
      '5:32: projects[0].issue.categoryLabels["a "]: this key starts or ends with a space',
    ],

    [
      "a choice that is none",
      withProject("writes: issue"),
      "5:13: projects[0].writes: must be `all`, `issues` or `none`, not `issue` — did you mean `issues`?",
    ],
    [
      "a word where true, false or another word belongs",
      withProject("followDuplicates: yes"),
      "5:23: projects[0].followDuplicates: must be true or false or `anyone`",
    ],
    [
      "a word where a number or another word belongs",
      withProject("rules:\n  - set: { roadmapOrder: votes }"),
      "6:30: projects[0].rules[0].set.roadmapOrder: must be a number or `byVotes`",
    ],
    [
      "a word where false or a group belongs",
      smallest("http: off"),
      "3:7: http: must be false or a group of settings",
    ],
    [
      "a choice like none of them",
      withProject("writes: sometimes"),
      "5:13: projects[0].writes: must be `all`, `issues` or `none`, not `sometimes`",
    ],
    [
      "a choice that is no text",
      withProject("writes: [all]"),
      "5:13: projects[0].writes: must be `all`, `issues` or `none`",
    ],
    [
      "another tracker",
      smallest("tracker: { kind: gitlab }"),
      "3:18: tracker.kind: must be `github`, not `gitlab`",
    ],
    [
      "a reason that is none",
      withProject("rules:\n  - when: { reason: complted }\n    set: { status: a }"),
      "6:25: projects[0].rules[0].when.reason: must be `completed`, `not_planned`, `duplicate`, `reopened` or `other`, not `complted` — did you mean `completed`?",
    ],
    [
      "a reason in a list that is none",
      withProject("rules:\n  - when: { reason: [duplicate, not_planed] }\n    set: { status: a }"),
      "6:37: projects[0].rules[0].when.reason[1]: must be `completed`, `not_planned`, `duplicate`, `reopened` or `other`, not `not_planed` — did you mean `not_planned`?",
    ],
    [
      "an unknown column",
      withProject("rules:\n  - set: { roadmapColumn: DONE }"),
      "6:31: projects[0].rules[0].set.roadmapColumn: must be `PLANNED`, `IN_PROGRESS` or `COMPLETED`, not `DONE`",
    ],

    [
      "a duration without its unit",
      smallest("settle: 30"),
      "3:9: settle: must be a duration with its unit, such as `30s`, `5m`, `2h` or `1d`",
    ],
    [
      "a host with its port",
      smallest('http: { host: "0.0.0.0:80" }'),
      "3:15: http.host: must be a host name or an address such as `127.0.0.1`",
    ],
    [
      "a duration of weeks",
      smallest("settle: 1w"),
      "3:9: settle: must be a duration with its unit, such as `30s`, `5m`, `2h` or `1d`",
    ],
    ["a duration that is a list", smallest("settle: [1m]"), "3:9: settle: must be text, not a list"],
    ["too short a duration", smallest("fullEvery: 1s"), "3:12: fullEvery: must be at least 1m"],
    ["too long a duration", boardWith("timeout: 1h"), "3:12: board.timeout: must be at most 10m"],
    ["a budget of nothing", smallest("budget: 0s"), "3:9: budget: must be at least 1s"],
    [
      "a time zone that is none",
      smallest("timezone: Europe/Berln"),
      "3:11: timezone: must be a time zone such as `UTC` or `Europe/Berlin`",
    ],
    [
      "a schedule that is none",
      smallest('schedule: "61 * * * *"'),
      "3:11: schedule: has `61` as minute: write `*`, `*/2`, or numbers from 0 to 59 such as `1`, `1,3` or `1-5`",
    ],
    [
      "a day that is none",
      withProject("select: { createdAfter: 2026-02-30 }"),
      "5:29: projects[0].select.createdAfter: must be a day such as `2026-01-31`, or a time such as `2026-01-31T09:00:00Z`",
    ],
    [
      "votes that are no number",
      withProject("issue: { voteLabels: { many: a } }"),
      "5:28: projects[0].issue.voteLabels.many: this key must be a number of votes",
    ],
    [
      "no label by votes",
      withProject("issue: { voteLabels: {} }"),
      "5:26: projects[0].issue.voteLabels: names no label: give one, or leave it out",
    ],
    [
      "one label for two numbers of votes",
      withProject("issue: { voteLabels: { 10: Hot, 50: hot } }"),
      '5:41: projects[0].issue.voteLabels["50"]: `hot` stands here twice; a label by votes must be one of its own',
    ],
    ...["labels: [Hot]", "categoryLabels: { c: Hot }"].map((other): [string, string, string] => [
      `a label by votes that ${other} gives, too`,
      withProject(`issue: { ${other}, voteLabels: { 10: hot } }`),
      expect.stringMatching(
        /voteLabels\["10"\]: `hot` is given by another setting, too; a label by votes must be one of its own$/,
      ),
    ]),
    ...["addLabels: hot", "removeLabels: [x, Hot]"].map((set): [string, string, string] => [
      `a label by votes that a board rule sets: ${set}`,
      withProject(
        `issue: { voteLabels: { 10: hot } }\nboardRules: [{ when: { archived: true }, set: { ${set} } }]`,
      ),
      '5:32: projects[0].issue.voteLabels["10"]: `hot` is given by another setting, too; a label by votes must be one of its own',
    ]),
    [
      "no room for labels by votes",
      withProject(
        `issue: { categoryLabels: { c: c1 }, voteLabels: { 10: hot }, labels: [${Array.from({ length: 99 }, (_, index) => `l${index}`).join()}] }`,
      ),
      "5:66: projects[0].issue.labels: are 99, and `c` of `issue.categoryLabels` and `10` of `issue.voteLabels` add one more; an issue has at most 100",
    ],
    [
      "a conflict of a field that is none",
      withProject("conflict: { stauts: hold }"),
      "5:17: projects[0].conflict.stauts: unknown key `stauts` — did you mean `status`?",
    ],
    [
      "a conflict that nobody wins",
      withProject("conflict: { status: nobody }"),
      "5:25: projects[0].conflict.status: must be `tracker`, `board`, `hold` or `pause`, not `nobody`",
    ],
    [
      "a part of the content that is none",
      withProject("content: { tilte: once }"),
      "5:16: projects[0].content.tilte: unknown key `tilte` — did you mean `title`?",
    ],
    [
      "a group of conditions without any",
      withProject("select: { any: [{ minVotes: 1 }, {}] }"),
      "5:38: projects[0].select.any[1]: has no condition: name one",
    ],
    [
      "an unknown condition in a group",
      withProject("select: { any: [{ not: { minvote: 1 } }] }"),
      "5:30: projects[0].select.any[0].not.minvote: unknown key `minvote` — did you mean `minVotes`?",
    ],
    [
      "votes that no post has",
      withProject("select: { not: { minVotes: 5, maxVotes: 4 } }"),
      "5:45: projects[0].select.not.maxVotes: is less than `minVotes: 5`, so no post would match",
    ],
    [
      "a time that is over before it begins",
      withProject("select: { createdAfter: 2026-02-01, createdBefore: 2026-01-31T23:00:00-01:00 }"),
      "5:56: projects[0].select.createdBefore: is not later than `createdAfter`, so no post would match",
    ],
    [
      "groups that stand in themselves",
      withProject("select: &all { any: [*all] }"),
      "5:26: projects[0].select.any[0].any[0].any[0].any[0].any[0].any[0].any[0].any[0].any[0].any[0].any[0]: stands in 10 other groups; fewer have to do",
    ],
    [
      "a repository without its owner",
      "board: { url: https://b.example }\nprojects: [{ project: p, repo: app }]",
      "2:32: projects[0].repo: must be a repository as `owner/name`, such as `acme/app`",
    ],
    [
      "a repository as an address",
      "board: { url: https://b.example }\nprojects: [{ project: p, repo: https://github.com/o/r }]",
      "2:32: projects[0].repo: must be a repository as `owner/name`, such as `acme/app`",
    ],
    [
      "a repository that climbs",
      withProject("route: [{ status: a, repo: o/.. }]"),
      "5:32: projects[0].route[0].repo: must be a repository as `owner/name`, such as `acme/app`",
    ],
    [
      "a repository with .git",
      withProject("route: [{ status: a, repo: o/r.git }]"),
      "5:32: projects[0].route[0].repo: must be `owner/name` without `.git`",
    ],
    [
      "a login that is none",
      smallest('tracker: { trustedAuthors: ["@me"] }'),
      "3:29: tracker.trustedAuthors[0]: must be a GitHub login, such as `octocat` or `my-app[bot]`",
    ],
    [
      "a path of keys with a hole",
      boardWith("list: { items: a..b }"),
      "3:18: board.list.items: must be a path of keys with dots between, such as `data.posts`",
    ],
    [
      "a host that is none",
      smallest("http: { host: 'http://x' }"),
      "3:15: http.host: must be a host name or an address such as `127.0.0.1`",
    ],
    [
      "a page of a post that is no address",
      withProject("issue: { postUrl: 'javascript:{{ post.id }}' }"),
      "5:23: projects[0].issue.postUrl: must be an address such as `https://feedback.example.com/p/{{ post.id }}`",
    ],

    [
      "an address that is none",
      address("board.example"),
      "1:15: board.url: must be an address such as `https://feedback.example.com/api/v1`",
    ],
    [
      "an address of another kind",
      address("ftp://b.example"),
      "1:15: board.url: must be an address such as `https://feedback.example.com/api/v1`",
    ],
    [
      "an address with a password",
      address("https://me:pw@b.example"),
      "1:15: board.url: must not hold a user name or password: secrets come from the environment",
    ],
    [
      "an address with a query",
      address("https://b.example/v1?key=1"),
      "1:15: board.url: must not have a `?` or `#` part",
    ],
    [
      "an address with a fragment",
      address("https://b.example/v1#a"),
      "1:15: board.url: must not have a `?` or `#` part",
    ],
    [
      "plain http to another machine",
      address("http://b.example/v1"),
      "1:15: board.url: must be https, because http would show the key to the network; `board.allowInsecure: true` allows it",
    ],
    [
      "plain http to a name that only looks like this machine",
      address("http://127.0.0.1.b.example"),
      "1:15: board.url: must be https, because http would show the key to the network; `board.allowInsecure: true` allows it",
    ],
    [
      "GitHub's pages as its API",
      smallest("tracker: { url: https://github.com }"),
      "3:17: tracker.url: is where people read GitHub; its API is `https://api.github.com`",
    ],
    [
      "pages of GitHub with data residency",
      smallest("tracker: { url: https://octocorp.ghe.com/api/v3 }"),
      "3:17: tracker.url: is where people read GitHub; its API is `https://api.octocorp.ghe.com`",
    ],
    [
      "plain http to the tracker",
      smallest("tracker: { url: http://ghe.lan/api/v3, allowInsecure: false }"),
      "3:17: tracker.url: must be https, because http would show the key to the network; `tracker.allowInsecure: true` allows it",
    ],

    [
      "a rule without an effect",
      withProject("rules: [{ when: { state: open } }]"),
      "5:13: projects[0].rules[0].set: is missing",
    ],
    [
      "a rule with an empty effect",
      withProject("rules: [{ when: { state: open }, set: {} }]"),
      "5:43: projects[0].rules[0].set: sets nothing: name a field",
    ],
    [
      "a rule with an empty condition",
      withProject("rules: [{ when: {}, set: { status: a } }]"),
      "5:21: projects[0].rules[0].when: has no condition: name one, or leave out `when` for a last rule that always matches",
    ],
    [
      "no rules where there is a list of them",
      withProject("rules: []"),
      "5:12: projects[0].rules: is an empty list: add to it or remove the line",
    ],
    [
      "a rule that sets the title",
      withProject("rules: [{ set: { title: x } }]"),
      "5:22: projects[0].rules[0].set.title: `title` is the board's own text; rules don't set it",
    ],
    [
      "a rule that sets the description",
      withProject("rules: [{ set: { description: x } }]"),
      "5:22: projects[0].rules[0].set.description: `description` is the board's own text; rules don't set it",
    ],
    [
      "a rule that sets the internal note",
      withProject("rules: [{ set: { internalNote: x } }]"),
      "5:22: projects[0].rules[0].set.internalNote: `internalNote` is the board's own text; rules don't set it",
    ],
    [
      "a rule that is never reached",
      withProject(`rules:\n  - set: { status: a }\n  - ${aRule}`),
      "7:9: projects[0].rules[1]: is never reached, because rules[0] has no `when` and always matches; move that one to the end",
    ],
    [
      "a rule of which rules that always match take all that it sets",
      withProject(
        "rules:\n  - set: { status: a }\n  - set: { onRoadmap: true }\n  - { when: { state: open }, set: { onRoadmap: false, status: b } }",
      ),
      "8:9: projects[0].rules[2]: is never reached, because rules[1] has no `when` and always matches; move that one to the end",
    ],
    [
      "a route without a condition",
      withProject("route: [{ repo: o/r }]"),
      "5:13: projects[0].route[0]: has no condition: name a `category`, a `status` or a `label`",
    ],
    [
      "a changelog without the tools that it needs",
      withProject("changelog: { releases: v* }"),
      "5:16: projects[0].changelog: needs a tool of the board's: name it in `board.mcp.tools.changelogCreate`",
    ],
    [
      "a route by a label that no category has",
      withProject("issue: { categoryLabels: { c: a } }\nroute: [{ label: b, repo: o/r }]"),
      "6:22: projects[0].route[0].label: `b` is none of the labels in `issue.categoryLabels`, so no post would match",
    ],
    [
      "more labels than an issue can have",
      withProject(
        `issue: { categoryLabels: { c: L1, d: more }, labels: [${Array.from({ length: 100 }, (_, index) => `l${index}`).join()}] }`,
      ),
      "5:50: projects[0].issue.labels: are 100, and `d` of `issue.categoryLabels` adds one more; an issue has at most 100",
    ],
  ])("%s", (_, text, problem) => {
    expect(problemsIn(text)).toEqual([problem]);
  });

  it("a project that stands twice, with both lines", () => {
    const text =
      "board: { url: https://b.example }\nprojects:\n  - { project: p, repo: o/r }\n  - { project: q, repo: o/r }\n  - { project: p, repo: o/s }";
    expect(problemsIn(text)).toEqual([
      "5:16: projects[2].project: `p` stands in line 3 already, and two entries would claim the same posts; a project stands once in the file",
    ]);
  });
});

describe("board rules", () => {
  it("need a condition and something to set", () => {
    expect(problemsIn(withProject("boardRules: [{ when: {}, set: {} }]"))).toEqual([
      "5:26: projects[0].boardRules[0].when: has no condition: name one",
      "5:35: projects[0].boardRules[0].set: sets nothing: name a field",
    ]);
  });

  it.each([
    ["{ reason: not_planned }", "`not_planned` is a reason of `state: closed`, which has to stand beside it"],
    [
      "{ state: closed, reason: reopened }",
      "`reopened` is a reason of `state: open`, which has to stand beside it",
    ],
    [
      "{ state: open, reason: completed }",
      "`completed` is a reason of `state: closed`, which has to stand beside it",
    ],
  ])("%s has no state of its reason", (set, message) => {
    const [problem] = problemsIn(withProject(`boardRules: [{ when: { archived: true }, set: ${set} }]`));
    expect(problem).toContain(`projects[0].boardRules[0].set.reason: ${message}`);
  });

  it("and issues name values that a template never sees", () => {
    const checkTemplate = (_: string, kind: string) => ({ name: "post.tittle", known: ["post.title", kind] });
    const text = withProject(
      'issue: { title: a, postUrl: "https://x.example/1" }\nboardRules: [{ when: { archived: true }, set: { comment: x } }]',
    );
    const problem = (at: string, kind: string): string =>
      `${at}: names \`post.tittle\`, which nothing ever fills; there are post.title, ${kind} — did you mean \`post.title\`?`;
    expect(problemsIn(text, { checkTemplate }).map((line) => line.replace(/^[\d:]+ /, ""))).toEqual([
      problem("projects[0].issue.title", "text"),
      problem("projects[0].issue.postUrl", "address"),
      problem("projects[0].boardRules[0].set.comment", "text"),
    ]);
  });

  it("have comments whose templates can be read", () => {
    const checkTemplate = (): string => "a tag is not closed";
    const text = withProject("boardRules: [{ when: { archived: true }, set: { comment: x } }]");
    expect(problemsIn(text, { checkTemplate }).join()).toContain(
      "projects[0].boardRules[0].set.comment: is not a valid template: a tag is not closed",
    );
  });
});

describe("an address that is called", () => {
  const noAddress = "must be an address such as `https://example.com/ping`";
  it.each([
    ["x", noAddress],
    ["ftp://hc.example/1", noAddress],
    ["https://", noAddress],
    ["https://a b.example/1", noAddress],
    ["https://ada:secret@hc.example/1", "must not hold a user name or password"],
    ["http://hc.example/1", "must be https; http goes to this machine alone"],
  ])("is refused: %s", (address, message) => {
    expect(problemsIn(smallest(`heartbeat: "${address}"`))).toEqual([`3:12: heartbeat: ${message}`]);
    expect(problemsIn(smallest(`notices: { url: "${address}" }`))).toEqual([`3:17: notices.url: ${message}`]);
  });

  it.each(["https://hc.example/ping/1?x=y", "http://127.0.0.1:9000/1", "http://localhost/1"])(
    "may be %s",
    (address) => {
      expect(load(smallest(`heartbeat: "${address}"`)).heartbeat).toBe(address);
    },
  );
});

describe("all mistakes are said at once, in the order of their lines", () => {
  it("those of the schema, between settings, and of repeated keys", () => {
    const text = withProject(
      "boardRules: [{ when: { missing: true }, set: { reason: completed } }]\nwrites: x\nroute: [{ label: b, repo: o/r }]\nwrites: all\nissue: { title: '{{ x' }",
    );
    const checkTemplate = (template: string) => (template.endsWith("}}") ? undefined : "a tag is not closed");
    expect(
      problemsIn(`zebra: 1\nheartbeat: http://hc.example/1\n${text}`, { checkTemplate }).map((line) =>
        line.split(": ").slice(0, 2).join(": "),
      ),
    ).toEqual([
      "1:1: zebra",
      "2:12: heartbeat",
      "7:60: projects[0].boardRules[0].set.reason",
      "9:22: projects[0].route[0].label",
      "10:5: projects[0].writes",
      "11:21: projects[0].issue.title",
    ]);
  });

  it("but of tens of thousands only the first", { tags: "long" }, () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `zebra${index}: 1`);
    const problems = problemsIn(smallest(lines.join("\n")));
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toContain("mend these first");
    const repeated = lines.concat(lines).join("\n");
    expect(problemsIn(smallest(repeated)).filter((line) => line.includes("already"))).toHaveLength(10);
  });

  it("and what projects share by an alias is said once", () => {
    const text =
      "board: { url: https://b.example }\nprojects:\n  - { project: p, repo: o/r, rules: &r [{ set: { status: 1 } }] }\n  - { project: q, repo: o/r, rules: *r }";
    expect(problemsIn(text)).toEqual([
      '3:58: projects[0].rules[0].set.status: must be text: put quotes around it, "1"',
    ]);
  });

  it("also where an alias stands for the part with the mistake alone", () => {
    const text =
      "board: &b { url: https://b.example }\nprojects: [{ project: p, repo: o/r }]\ntracker: *b\nguard: *b";
    expect(problemsIn(text)).toEqual([
      "1:13: guard.url: unknown key `url`; known here: issues, statuses, flips",
    ]);
  });
});

describe("templates", () => {
  it.each(["title", "body", "postUrl"])("a broken %s is said with what is wrong in it", (key) => {
    const text = withProject(`issue: { ${key}: 'https://{{ x' }`);
    const checkTemplate = (template: string) => (template.endsWith("}}") ? undefined : "a tag is not closed");
    const column = "    issue: { : ".length + key.length + 1;
    expect(problemsIn(text, { checkTemplate })).toEqual([
      `5:${column}: projects[0].issue.${key}: is not a valid template: a tag is not closed`,
    ]);
  });

  it("of the wrong type are left to the schema", () => {
    expect(problemsIn(withProject("issue: { title: 1 }"), { checkTemplate: () => "never asked" })).toEqual([
      '5:21: projects[0].issue.title: must be text: put quotes around it, "1"',
    ]);
  });
});

describe("YAML that can't be read", () => {
  it.each<[string, string, string]>([
    ["an empty file", "", "1:1: the file is empty; `boardsync init` writes one from what your board shows"],
    [
      "nothing but comments",
      "# hello\n\n# world\n",
      "1:1: the file is empty; `boardsync init` writes one from what your board shows",
    ],
    [
      "a quote that never ends",
      "board: 'secret",
      "1:15: a quote that begins on this line is not closed; close it",
    ],
    [
      "a quote that never ends, with many lines below",
      `board:\n  url: "https://b.example\n${"a: b\n".repeat(60)}`,
      "2:8: the quote that begins here is not closed on its line; close it",
    ],
    [
      "a quote that the next one closes",
      `board:\n  url: 'https://b.example\n${"a: b\n".repeat(20)}c: 'd'\n`,
      "2:26: a quote that begins on this line is not closed; close it",
    ],
    [
      "a list that is not closed, where the error is lines below",
      withProject("issue:\n  labels: [a, b\n\n  assignees: [c]"),
      "6:15: the `[` that begins here is not closed; close it",
    ],
    [
      "a group that is not closed",
      withProject("rules:\n  - when: { state: closed\n    set: { status: a }"),
      "6:15: the `{` that begins here is not closed; close it",
    ],
    [
      "a list that is not closed in a group that is not closed",
      withProject("issue: { labels: [a }\nwrites: all"),
      "5:22: the `[` that begins here is not closed; close it",
    ],
    ["a tab", "board:\n\turl: x", "2:1: this is not valid YAML: Tabs are not allowed as indentation"],
    ["two documents", "a: 1\n---\nb: 2", "2:1: the file must hold one document, without further `---` lines"],
    ["an unknown tag", smallest("state: !env STATE"), "3:8: this is not valid YAML: Unresolved tag: !env"],
    [
      "an alias of nothing",
      "state: *a",
      "1:8: `*` begins an alias of YAML, and no anchor of its name stands above; put quotes around the whole text",
    ],
    [
      "an alias before its anchor",
      "a: *b\nb: &b c",
      "1:4: `*` begins an alias of YAML, and no anchor of its name stands above; put quotes around the whole text",
    ],
    [
      "a value behind a value",
      withProject("issue:\n  title: [feedback] {{ post.title }}"),
      "6:25: a value has ended before this; put quotes around the whole text",
    ],
    [
      "a quote before a key, which would make a key of several lines",
      withProject("'rules:\n  - when: { state: closed }"),
      "5:5: the quote that begins here is not closed on its line; close it",
    ],
  ])("%s", (_, text, problem) => {
    expect(problemsIn(text)[0]).toBe(problem);
  });

  it.each<[string, string, string]>([
    [
      "a key further in than its neighbours",
      "board:\n  url: x\n   key: y",
      "2:8: this is not valid YAML: Nested mappings are not allowed in compact mappings",
    ],
    ["a key behind a list, as far out as that", "- a\nb: c", "2:1: a value has ended before this"],
  ])("of lines that are not indented alike: %s", (_, text, problem) => {
    expect(problemsIn(text)).toContain(`${problem}; check how far the lines here are indented`);
  });

  it("does not call an alias one of nothing because the line of its anchor can't be read", () => {
    const problems = problemsIn("waits:&w [1h]\nother: *w\nrules: *r");
    expect(problems.filter((problem) => problem.includes("alias"))).toEqual([
      expect.stringMatching(/^3:8: `\*` begins an alias/),
    ]);
  });

  it.each<[string, string, string]>([
    [
      "a milestone with an @",
      withProject("issue:\n  milestone: @next"),
      "6:18: this is not valid YAML: Plain value cannot start with reserved character @",
    ],
    [
      "a milestone with a colon",
      withProject("issue:\n  milestone: Q1: launch"),
      "6:18: this is not valid YAML: Nested mappings are not allowed in compact mappings",
    ],
  ])("text that needs quotes, once, with what is to be done: %s", (_, text, problem) => {
    expect(problemsIn(text)).toEqual([`${problem}; put quotes around the whole text`]);
  });

  it("a repeated key, with the path of each", () => {
    const text = withProject("writes: all\nroute:\n  - { status: a, repo: o/r, repo: o/s }\nwrites: none");
    expect(problemsIn(text)).toEqual([
      "7:33: projects[0].route[0].repo: this key stands here already; keep one of them",
      "8:5: projects[0].writes: this key stands here already; keep one of them",
    ]);
  });

  it.each([
    ["as a number and as text", '{ 10: hot, "10": hotter }', '["10"]', "6:30"],
    ["as a number in two ways", "{ 10: hot, 0xa: hotter }", '["10"]', "6:30"],
    ["by an alias", "{ &few 10: hot, *few : hotter }", '["10"]', "6:35"],
  ])("a key that stands twice: %s", (_, labels, key, at) => {
    expect(problemsIn(withProject(`issue:\n  voteLabels: ${labels}`))).toEqual([
      `${at}: projects[0].issue.voteLabels${key}: this key stands here already; keep one of them`,
    ]);
  });

  it("a bomb of aliases", () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(10)}]`,
    );
    expect(problemsIn(["l0: &l0 [x]", ...levels].join("\n"))).toEqual([
      "1:1: the YAML uses its anchors too often",
    ]);
  });

  it("a schedule without quotes: one line, which says so", () => {
    expect(problemsIn(smallest("schedule: */5 * * * *"))).toEqual([
      "3:11: `*` begins an alias of YAML, and no anchor of its name stands above; put quotes around the whole text",
    ]);
  });

  it("nested without end: a few lines, not thousands", { tags: "long" }, () => {
    const problems = problemsIn("[".repeat(20_000));
    expect(problems.length).toBeLessThanOrEqual(10);
    expect(problems).toContainEqual(expect.stringMatching(/the file is nested too deeply$/));
  });

  it("is said by boardsync alone: the library behind it writes nothing to stderr", () => {
    const warned = vi.spyOn(process, "emitWarning");
    problemsIn(withProject("issue: { title: {{ post.title }} }"));
    expect(warned).not.toHaveBeenCalled();
  });

  it("never shows what stands in the file", () => {
    expect(problemsIn("token: 'ghp_verysecret\nboard: {").join("\n")).not.toContain("verysecret");
  });
});
