/** Who sends a request. Neither side has an account for `nobody`, whose token it does not know. */
export type Who = "us" | "person" | "outsider" | "nobody";

/** One request that both sides are sent, in this order. */
export interface Step {
  readonly name: string;
  /**
   * Method and path: below the repository, or from the root after `~`. `ID` is the repository's id, `LAST` the
   * time of the last request that is no GET, to the second.
   */
  readonly request: string;
  readonly body?: unknown;
  /** `us` without it. */
  readonly who?: Who;
  readonly headers?: Readonly<Record<string, string>>;
  /** With the ETag of the last answer, where it had one. */
  readonly isConditional?: true;
}

const label = { name: "feedback", color: "a1b2c3", description: "From the board" };
const issue = { title: "Dark mode", body: "<!-- mark -->\nPlease." };
const latest = "state=all&sort=updated&direction=desc&per_page=100";

const around: readonly Step[] = [
  { name: "our account", request: "GET ~/user" },
  { name: "an unknown token", request: "GET ~/user", who: "nobody" },
  { name: "the server", request: "GET ~/meta" },
  { name: "our repositories", request: "GET ~/user/repos?per_page=100&sort=pushed" },
  { name: "the repository", request: "GET " },
  { name: "the repository in another case", request: "GET ~/repos/Acme/APP" },
  { name: "the repository by its id", request: "GET ~/repositories/ID" },
  { name: "no such repository", request: "GET ~/repos/acme/none" },
  { name: "an unknown API version", request: "GET ", headers: { "x-github-api-version": "2000-01-01" } },
  { name: "who can be assigned", request: "GET /assignees/dana" },
  { name: "who can't be assigned", request: "GET /assignees/nobody" },
  { name: "issue types", request: "GET /issue-types" },
  { name: "GraphQL", request: "POST ~/graphql", body: { query: "{ viewer { login } }" } },
  { name: "a label is made", request: "POST /labels", body: label },
  { name: "a label that is there", request: "POST /labels", body: label },
  { name: "a label without a name", request: "POST /labels", body: { color: "a1b2c3" } },
  { name: "a label in no colour", request: "POST /labels", body: { name: "red", color: "red" } },
  { name: "a second label", request: "POST /labels", body: { name: "ui", color: "ededed" } },
  { name: "labels, first page", request: "GET /labels?per_page=1" },
  { name: "labels, last page", request: "GET /labels?per_page=1&page=2" },
  { name: "labels", request: "GET /labels?per_page=100" },
  { name: "labels again", request: "GET /labels?per_page=100", isConditional: true },
  {
    name: "a closed milestone is made",
    request: "POST /milestones",
    body: { title: "1.0", state: "closed", description: "Old", due_on: "2026-01-31T08:00:00Z" },
  },
  { name: "an open milestone", request: "POST /milestones", body: { title: "Backlog" } },
  { name: "milestones of all states", request: "GET /milestones?state=all&per_page=100" },
  { name: "open milestones", request: "GET /milestones" },
];

const opening: readonly Step[] = [
  { name: "an issue without a title", request: "POST /issues", body: { body: "b" } },
  { name: "an issue with an empty title", request: "POST /issues", body: { title: " " } },
  { name: "an issue with a wrong assignee", request: "POST /issues", body: { ...issue, assignees: ["x"] } },
  { name: "an issue with a wrong milestone", request: "POST /issues", body: { ...issue, milestone: 99 } },
  {
    name: "an issue with labels that are no list",
    request: "POST /issues",
    body: { ...issue, labels: "ui" },
  },
  { name: "an issue that is no JSON", request: "POST /issues", body: "{" },
  {
    name: "an issue is opened",
    request: "POST /issues",
    body: { ...issue, labels: ["feedback"], assignees: ["dana"], milestone: 2 },
  },
  { name: "an issue of few words", request: "POST /issues", body: { title: "a" }, who: "person" },
  { name: "an issue with a new label", request: "POST /issues", body: { ...issue, labels: ["new"] } },
  {
    name: "an outsider's issue with a label",
    request: "POST /issues",
    body: { ...issue, labels: ["ui"] },
    who: "outsider",
  },
  {
    name: "an issue with spaces around its title",
    request: "POST /issues",
    body: { title: " c " },
  },
];

const reading: readonly Step[] = [
  { name: "the latest issues", request: `GET /issues?${latest}` },
  { name: "the latest issues again", request: `GET /issues?${latest}`, isConditional: true },
  { name: "open issues", request: "GET /issues" },
  { name: "issues, a page between", request: "GET /issues?state=all&per_page=1&page=2" },
  { name: "issues that one account opened", request: "GET /issues?state=all&creator=dana" },
  { name: "issues that nobody opened", request: "GET /issues?state=all&creator=nobody" },
  { name: "issues since their own second", request: "GET /issues?state=all&since=LAST" },
  { name: "issues in no order", request: "GET /issues?sort=sideways" },
  { name: "issues since no time", request: "GET /issues?since=yesterday" },
  { name: "one issue", request: "GET /issues/1" },
  { name: "one issue by the repository's id", request: "GET ~/repositories/ID/issues/1" },
  { name: "no such issue", request: "GET /issues/99" },
];

const changing: readonly Step[] = [
  { name: "another title", request: "PATCH /issues/1", body: { title: "Darker mode" } },
  { name: "no body", request: "PATCH /issues/1", body: { body: null } },
  { name: "no milestone", request: "PATCH /issues/1", body: { milestone: null } },
  { name: "a wrong milestone", request: "PATCH /issues/1", body: { milestone: 99 } },
  { name: "a wrong state", request: "PATCH /issues/1", body: { state: "done" } },
  { name: "a reason alone", request: "PATCH /issues/2", body: { state_reason: "completed" } },
  { name: "closed", request: "PATCH /issues/1", body: { state: "closed" } },
  {
    name: "closed again with another reason",
    request: "PATCH /issues/1",
    body: { state: "closed", state_reason: "not_planned" },
  },
  { name: "opened again", request: "PATCH /issues/1", body: { state: "open" } },
  {
    name: "closed as not planned",
    request: "PATCH /issues/1",
    body: { state: "closed", state_reason: "not_planned" },
  },
  {
    name: "opened again with the reason",
    request: "PATCH /issues/1",
    body: { state: "open", state_reason: "reopened" },
  },
  {
    name: "closed as a duplicate",
    request: "PATCH /issues/1",
    body: { state: "closed", state_reason: "duplicate" },
  },
  {
    name: "closed as reopened",
    request: "PATCH /issues/3",
    body: { state: "closed", state_reason: "reopened" },
  },
  { name: "no such issue is changed", request: "PATCH /issues/99", body: { title: "x" } },
  { name: "labels are added", request: "POST /issues/1/labels", body: { labels: ["ui", "a/b"] } },
  { name: "a label goes", request: "DELETE /issues/1/labels/a%2Fb" },
  { name: "a label goes that is not there", request: "DELETE /issues/1/labels/none" },
  { name: "a label goes from no issue", request: "DELETE /issues/99/labels/ui" },
  { name: "a comment", request: "POST /issues/1/comments", body: { body: "Planned." } },
  { name: "an empty comment", request: "POST /issues/1/comments", body: { body: "" } },
  { name: "a comment on no issue", request: "POST /issues/99/comments", body: { body: "x" } },
  { name: "comments", request: "GET /issues/1/comments?per_page=100" },
  {
    name: "comments by the repository's id",
    request: "GET ~/repositories/ID/issues/1/comments?per_page=100",
  },
  { name: "comments on no issue", request: "GET /issues/99/comments" },
];

/** What one side may take and the other refuse leaves something behind, and so comes last. */
const refused: readonly Step[] = [
  { name: "an empty title", request: "PATCH /issues/2", body: { title: "" } },
  { name: "an outsider changes an issue", request: "PATCH /issues/2", body: { title: "x" }, who: "outsider" },
  { name: "an outsider labels", request: "POST /issues/2/labels", body: { labels: ["ui"] }, who: "outsider" },
  { name: "a label is added in another case", request: "POST /issues/2/labels", body: { labels: ["UI"] } },
  { name: "a label in another case", request: "POST /labels", body: { ...label, name: "FEEDBACK" } },
  { name: "a label of 51 characters", request: "POST /labels", body: { ...label, name: "x".repeat(51) } },
  { name: "a milestone that is there", request: "POST /milestones", body: { title: "1.0" } },
  { name: "too long a comment", request: "POST /issues/1/comments", body: { body: "x".repeat(65_537) } },
  { name: "too long a title", request: "POST /issues", body: { title: "x".repeat(257) } },
  { name: "too long a body", request: "POST /issues", body: { ...issue, body: "x".repeat(65_537) } },
  { name: "too long a label", request: "POST /issues", body: { ...issue, labels: ["x".repeat(51)] } },
];

/** Every endpoint that the program uses, as it uses it, and refused. */
export const steps: readonly Step[] = [...around, ...opening, ...reading, ...changing, ...refused];

/** A repository in another state. */
export type StageName = "a pull request" | "an archive" | "no issues";

/** What is asked of each. */
export const stages: Readonly<Record<StageName, readonly Step[]>> = {
  "a pull request": [
    { name: "issues beside a pull request", request: `GET /issues?${latest}` },
    { name: "a pull request as an issue", request: "GET /issues/1" },
  ],
  "an archive": [{ name: "an issue in an archive", request: "POST /issues", body: issue }],
  "no issues": [
    { name: "an issue where they are off", request: "POST /issues", body: issue },
    { name: "issues where they are off", request: "GET /issues" },
  ],
};

export const stageNames: readonly StageName[] = ["a pull request", "an archive", "no issues"];
