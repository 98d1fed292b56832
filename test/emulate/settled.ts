/** Who is right where the two differ, and what decides it. */
export interface Settled {
  readonly about: string;
  /** What `emulate` does. */
  readonly emulate: string;
  /** What the sandbox does. */
  readonly sandbox: string;
  readonly because: string;
  /** The lines of the comparison that it accounts for. */
  readonly lines: readonly RegExp[];
  /** Names of what the contract of a tracker promises and `emulate` so can't be held to. */
  readonly promises?: readonly string[];
}

const described = "GitHub's description";
const documents = "GitHub's documents";

/** In most rows `emulate` is wrong. Where the sandbox was, it has been mended, and the row says so. */
export const settled: readonly Settled[] = [
  {
    about: "ETags",
    emulate: "none; whoever asks conditionally gets everything again",
    sandbox: "one for each GET, and 304",
    because: `${described} has 304 for an issue; ${documents} promise it for most GETs`,
    lines: [/ · etag · none · there$/u, / again · status · 200 · 304$/u],
    promises: [
      "answers with nothing more than that a list of labels has not changed",
      "answers that the latest issues have not changed, until they have",
      "lists the open issues that have all of some labels, and that nothing has changed",
    ],
  },
  {
    about: "a token that it never gave out",
    emulate: "it answers as the first account",
    sandbox: "401",
    because: `${described} has 401`,
    lines: [/^an unknown token · status · 200 · 401$/u],
    promises: ["refuses a token that the tracker does not accept"],
  },
  {
    about: "who may write",
    emulate: "every account may label and edit in a public repository",
    sandbox: "403 without push access; labels of a new issue are dropped silently",
    because: `${described}: only users with push access can set labels, which are silently dropped otherwise`,
    lines: [
      /^an outsider \w+( an issue)? · status · 200 · 403$/u,
      /^(an outsider's issue with a label|the latest issues|open issues|issues, a page between) · body(\[\d\])?\.labels(\.length|\[0\]\.\w+) · .* · (0|none)$/u,
    ],
  },
  {
    about: "addresses by the repository's id",
    emulate: "`/repositories/1` alone, nothing below it; `Link` goes by name",
    sandbox: "everything below it, and `Link` goes there",
    because:
      "recorded from GitHub (npm's @octokit/fixtures): links and redirects lead there. `emulated.ts` rewrites these addresses",
    lines: [
      / by the repository's id · status · 404 · 200$/u,
      / · link to \w+ · \/repos\/… · \/repositories\/…$/u,
    ],
  },
  {
    about: "case",
    emulate: "`Acme/APP` is no repository, and `FEEDBACK` is another label than `feedback`",
    sandbox: "case makes no difference",
    because: "GitHub's names ignore case. Its description is silent, so this is from experience",
    lines: [/ in another case · (status|body\.length) · /u],
    promises: [
      "finds a repository whatever the case of its name",
      "takes a label for the same whatever its case",
    ],
  },
  {
    about: "pull requests",
    emulate: "in no list of issues, and no issue by their number",
    sandbox: "in both",
    because: `${described} considers every pull request an issue, with the key \`pull_request\``,
    lines: [
      /^(issues beside a pull request · body\.length · 0 · 1|a pull request as an issue · status · 404 · 200)$/u,
    ],
  },
  {
    about: "`since`",
    emulate: "compared as text: what changed in that very second is left out",
    sandbox: "what changed in that very second is there",
    because: `${documents} say both. The program asks for one second more, so either will do`,
    lines: [/^issues since their own second · body\.length · 0 · 1$/u],
  },
  {
    about: "times",
    emulate: "to the millisecond",
    sandbox: "to the second",
    because: `the examples in ${described} are in seconds. The program reads both`,
    lines: [/_at · time in milliseconds · time in seconds$/u],
  },
  {
    about: "the errors of a 422",
    emulate: "`message` alone",
    sandbox: "`errors`, too: resource, field and code",
    because: `${described}: \`validation-error\`. The program reads there that a label exists, and which assignee to leave out`,
    lines: [/ · body\.(errors.*|message) · ("Validation failed"|none) · /u],
    promises: [
      "is content where a label that is to be made is there",
      "is told which part of an issue the tracker refuses",
    ],
  },
  {
    about: "removing a label that the issue has not",
    emulate: '404 "Not Found", as for an issue that is not there',
    sandbox: '404 "Label does not exist"',
    because: "GitHub's own words, by which the program tells the two apart",
    lines: [/^a label goes that is not there · body\.message · "Not Found" · "Label does not exist"$/u],
    promises: ["is content where a label that is to go is not there"],
  },
  {
    about: "invalid values",
    emulate: "an unknown state or order, an empty title and `since=yesterday` are ignored or taken",
    sandbox: "422",
    because: `${described} lists the values, and has 422`,
    lines: [/^(issues in no order|issues since no time|a wrong state|an empty title) · status · 200 · 422$/u],
  },
  {
    about: "texts that are too long",
    emulate: "taken",
    sandbox: "422: 65,536 characters of a body, 256 of a title, 50 of a label",
    because: "GitHub's own error messages, quoted in public issues",
    lines: [/^(too long a \w+|a label of 51 characters) · status · 201 · 422$/u],
    promises: ["writes no text that is too long"],
  },
  {
    about: "two milestones of one title",
    emulate: "made",
    sandbox: "422 `already_exists`",
    because: `${described} has 422. The program makes none`,
    lines: [/^a milestone that is there · status · 201 · 422$/u],
  },
  {
    about: "the order of milestones",
    emulate: "by due date, latest first",
    sandbox: "by due date, earliest first. **It was by number: mended**",
    because: `${described}: \`due_on\`, ascending. The program reads all of them, in any order`,
    lines: [/^milestones of all states · body\[\d\]\./u],
  },
  {
    about: "closing as a duplicate",
    emulate: "closed as completed",
    sandbox: "closed as a duplicate",
    because: `${described} has the reason`,
    lines: [/^closed as a duplicate · body\.state_reason · "completed" · "duplicate"$/u],
    promises: ["shows that an issue was closed as a duplicate"],
  },
  {
    about: "`state_reason` without a change of `state`",
    emulate: "stored",
    sandbox: "ignored",
    because: `${described}: "Ignored unless \`state\` is changed"`,
    lines: [
      /^a reason alone · body\.state_reason · "completed" · null$/u,
      /^closed again with another reason · body\.state_reason · "not_planned" · "completed"$/u,
    ],
  },
  {
    about: "closing with the reason `reopened`",
    emulate: "taken",
    sandbox: "422",
    because: "unknown, so both stay. The program never sends it",
    lines: [/^closed as reopened · status · 200 · 422$/u],
  },
  {
    about: "spaces around a title",
    emulate: "taken away",
    sandbox: "kept",
    because:
      "unknown, so both stay. The program trims its titles, and never compares them with those that it reads",
    lines: [/ · body(\[0\])?\.title · "c" · " c "$/u],
  },
  {
    about: "an archived repository",
    emulate: "takes new issues",
    sandbox: '403 "Repository was archived so is read-only."',
    because: "GitHub's own error message, quoted in public issues",
    lines: [/^an issue in an archive · status · 201 · 403$/u],
  },
  {
    about: "issues switched off",
    emulate: "404",
    sandbox: "410 for a write; a list is empty, or 404 or 410 where a test says so",
    because: `${described} has 410`,
    lines: [
      /^(an issue where they are off · status · 404 · 410|issues where they are off · status · 404 · 200)$/u,
    ],
  },
  {
    about: "who can be assigned",
    emulate: "not known: 404 for everybody",
    sandbox: "204 or 404",
    because: described,
    lines: [/^who can be assigned · status · 404 · 204$/u],
    promises: ["knows who can be assigned"],
  },
  {
    about: "GraphQL",
    emulate: "not known: 404",
    sandbox: "answered with the types of GitHub's own schema",
    because: "GitHub has it. What is read by GraphQL (signals, `rebuild`) is tried with the sandbox alone",
    lines: [/^GraphQL · status · 404 · 200$/u],
    promises: ["reads the signals of an issue"],
  },
  {
    about: "our repositories",
    emulate: "our own only",
    sandbox: "also those of organisations. **A row lacked `has_downloads`: mended**",
    because: `${described}: \`affiliation\` includes collaborators and members by default`,
    lines: [/^our repositories · body\.length · 0 · 1$/u],
  },
  {
    about: "headers",
    emulate: "no `Location` with a 201, no `x-ratelimit-used`",
    sandbox: "both",
    because: `${described} has \`Location\`, ${documents} the other. The program reads neither`,
    lines: [/ · (location|x-ratelimit-used) · none · there$/u],
  },
  {
    about: "versions of the API that don't exist",
    emulate: "ignored",
    sandbox: "400",
    because: documents,
    lines: [/^an unknown API version · status · 200 · 400$/u],
  },
  {
    about: "a repository, as described",
    emulate: "lacks `network_count`, `subscribers_count` and eight addresses of its owner",
    sandbox: "agrees",
    because: `${described}: \`full-repository\` and \`simple-user\` require them. The program reads none of them`,
    lines: [/ · emulate · GET \/repos\/\{owner\}\/\{repo\} → 200(\/owner)?: must have required property /u],
  },
];
