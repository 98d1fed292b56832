import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { concealConfig, concealProblem, createStandIns } from "../../src/config/concealed.ts";
import { configJsonSchema, type JsonSchema } from "../../src/config/json-schema.ts";
import { loadConfig } from "../../src/config/load.ts";
import { everything, problemsOf, smallest, sourceOf, withProject } from "./support.ts";

function concealed(text: string): Readonly<Record<string, unknown>> {
  const content: unknown = parse(text);
  return Object(concealConfig(content, createStandIns(content)));
}

/** Every single text in a document, also those that are keys. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [
    ...(Array.isArray(value) ? [] : [key]),
    ...textsIn(part),
  ]);
}

/** Every key and every choice of the schema. */
function* wordsOf(schema: JsonSchema): Generator<string> {
  const { enum: choices, const: only } = schema as { enum?: readonly unknown[]; const?: unknown };
  for (const choice of [...(choices ?? []), only]) if (typeof choice === "string") yield choice;
  for (const part of [schema.items, ...(schema.anyOf ?? [])]) if (part !== undefined) yield* wordsOf(part);
  yield* schema.propertyNames?.enum ?? [];
  if (typeof schema.additionalProperties === "object") yield* wordsOf(schema.additionalProperties);
  for (const [key, part] of Object.entries(schema.properties ?? {})) {
    yield key;
    yield* wordsOf(part);
  }
}

const schemaWords = new Set(wordsOf(configJsonSchema()));

describe("a concealed config", () => {
  it("has its structure, numbers, times and choices, and a stand-in for each name", () => {
    expect(concealed(everything)).toMatchObject({
      board: {
        url: "https://host.invalid/api/v1",
        list: { items: "data.feedback", total: "meta.total" },
        paging: { kind: "cursor", param: "cursor", next: "meta.nextCursor", sizeParam: "limit", size: 100 },
        fields: { id: "uuid", status: "state", votes: "voteCount", url: "publicUrl" },
      },
      tracker: { trustedAuthors: ["trustedAuthors-1", "trustedAuthors-2"] },
      projects: [
        {
          project: "project-1",
          repo: "repo-1/repo-2",
          schedule: "*/2 * * * *",
          select: { statuses: ["planned", "in_progress"], categories: ["categories-1"], minVotes: 5 },
          issue: { categoryLabels: { "categories-1": "label-1" } },
          rules: [
            {
              when: { state: "closed", reason: "completed" },
              set: { status: "completed", roadmapColumn: "COMPLETED" },
            },
            { set: { status: "closed", onRoadmap: false } },
            { when: { state: "open" }, set: { status: "in_progress" } },
            { when: { assigned: true }, set: { roadmapOrder: 1.5, categoryId: null } },
            { when: { milestone: "any" }, set: { roadmapPublic: true } },
          ],
          content: { title: "once", description: "follow" },
          conflict: { status: "hold", labels: "board", default: "pause" },
        },
      ],
    });
  });

  it.each([
    ["settle: 90s", { settle: "90s" }],
    ["waits: { patch: 0s }\ntimezone: Europe/Berlin", { waits: { patch: "0s" }, timezone: "Europe/Berlin" }],
    ["http: { host: 10.1.2.3 }", { http: { host: "host-1" } }],
    ["http: false", { http: false }],
    ["state: /home/jane/canary.db", { state: "state-1" }],
    ["state: postgres://jane@db.example.com:5433/canary", { state: "state-1" }],
    ["heartbeat: https://jane.example/canary", { heartbeat: "heartbeat-1" }],
    ["tracker: { url: https://git.example.com/api/v3 }", { tracker: { url: "https://host.invalid/api/v3" } }],
    ["tracker: { url: https://api.acme.ghe.com }", { tracker: { url: "https://tenant.ghe.com" } }],
    ["tracker: { url: https://api.github.com }", { tracker: { url: "https://api.github.com" } }],
  ])("shows %j as %j", (more, expected) => {
    expect(concealed(smallest(more))).toMatchObject(expected);
  });

  it("keeps of an address what says how the API is laid out", () => {
    const at = (url: string): unknown =>
      Object(concealed(smallest().replace("https://board.example/api/v1", url))["board"]).url;
    expect(at("https://acme.example/tenants/acme/api/v1/")).toBe("https://host.invalid/…/…/api/v1");
    expect(at("http://localhost:4310/api/v1")).toBe("http://localhost:4310/api/v1");
    expect(at("https://acme.example:8443")).toBe("https://host.invalid:8443");
    expect(at("acme")).toBe("url-1");
  });

  it("shows a status as it is, unless it names somebody or looks like an id", () => {
    const config = withProject(
      "select: { statuses: [In progress, for acme, jane@private.example, id123456, Größe] }",
    );
    expect(concealed(config)).toMatchObject({
      projects: [{ select: { statuses: ["In progress", "status-1", "status-2", "status-3", "Größe"] } }],
    });
  });

  it("gives equal names one stand-in, in any case and under any setting", () => {
    const config = withProject("route: [{ label: Bug, repo: ACME/App }]\nissue: { labels: [bug, another] }");
    expect(concealed(config)).toMatchObject({
      projects: [
        {
          repo: "repo-1/project-1",
          route: [{ label: "label-1", repo: "repo-1/project-1" }],
          issue: { labels: ["label-1", "labels-1"] },
        },
      ],
    });
  });

  it("counts the projects beyond the tenth", () => {
    const projects = Array.from({ length: 13 }, (_, index) => `{ project: p${index}, repo: acme/r${index} }`);
    const text = `board: { url: "https://board.example/api/v1" }\nprojects: [${projects.join(", ")}]\n`;
    const shown = concealed(text);
    expect(shown["projects"]).toHaveLength(10);
    expect(shown["furtherProjects"]).toBe(3);
  });
});

describe("a word of the board", () => {
  const { word } = createStandIns({
    board: { url: "https://board.example.com" },
    projects: [{ project: "rocket", repo: "acme-corp/rocket", issue: { assignees: ["jane-doe", "bob"] } }],
  });

  it.each(["Waiting for Acme Corp", "Jane Doe", "janedoe asks", "bob asks", "With Bob", "079 123 45 67"])(
    "that names somebody of the config, however it is written, or holds a number: %s",
    (status) => {
      expect(word("status", status)).toMatch(/^status-\d$/);
    },
  );

  it.each(["planned", "in_progress", "On hold", "bobbin"])("that names nobody stays: %s", (status) => {
    expect(word("status", status)).toBe(status);
  });

  it("is covered also where a name is a part of a key", () => {
    const shown = ["acme_corp_ref", "bobId", "meta.JaneDoe", "(Jane <x>)"].map((key) => word("key", key));
    expect(shown).toEqual(["key-1", "key-2", "meta.key-3", "key-4"]);
    expect(word("key", "meta.githubIssueUrl")).toBe("meta.githubIssueUrl");
  });
});

/** A name that nobody may read: it can be found again in any case, and is good for every setting. */
const secretName = fc
  .tuple(fc.constantFrom("canary", "Canary", "CANARY"), fc.integer({ min: 0, max: 9 }))
  .map(([word, number]) => `${word}${number}`);
const someNames = fc.array(secretName, { minLength: 1, maxLength: 3 });
const status = fc.constantFrom("planned", "in_progress", "done");
const template = secretName.map(
  (name) => `${name} {{ post.title | append: "${name}" }} {% if post.votes %}${name}{% endif %}`,
);

const condition = fc.record(
  {
    state: fc.constantFrom("open", "closed"),
    reason: fc.constantFrom("completed", ["not_planned"]),
    labels: someNames,
    anyLabel: secretName,
    noLabel: someNames,
    milestone: secretName,
    type: secretName,
    projectStatus: fc.record({
      owner: secretName,
      project: fc.nat(9).map((number) => number + 1),
      field: secretName,
      is: someNames,
    }),
    pullRequest: fc.constantFrom("open", "merged"),
  },
  { requiredKeys: ["state"] },
);

const boardRule = fc.record({
  when: fc.record({ status, category: secretName }),
  set: fc.record(
    { addLabels: someNames, removeLabels: secretName, milestone: fc.option(secretName), comment: template },
    { requiredKeys: ["addLabels"] },
  ),
});

const project = fc.record(
  {
    repo: fc.tuple(secretName, secretName).map((names) => names.join("/")),
    writes: fc.constantFrom("all", "issues", "none"),
    select: fc.record({ statuses: fc.array(status, { minLength: 1, maxLength: 2 }), categories: someNames }),
    route: fc.array(
      fc.record({ category: secretName, status, repo: secretName.map((name) => `${name}/${name}`) }),
      { maxLength: 2 },
    ),
    issue: fc.record(
      {
        title: template,
        body: template,
        labels: someNames,
        categoryLabels: fc.dictionary(secretName, secretName, { minKeys: 1, maxKeys: 3 }),
        assignees: someNames,
        milestone: secretName,
        type: secretName,
        postUrl: secretName.map((name) => `https://${name}.example/${name}/{{ post.id }}`),
      },
      { requiredKeys: [] },
    ),
    rules: fc.array(
      fc.record({ when: condition, set: fc.record({ status, categoryId: fc.option(secretName) }) }),
      { minLength: 1, maxLength: 3 },
    ),
    boardRules: fc.array(boardRule, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: ["repo"] },
);

const file = fc.record(
  {
    board: fc.record(
      {
        url: secretName.map((name) => `https://${name}.example/${name}/api/v1`),
        list: fc.record({
          items: secretName.map((name) => `${name}@x.data`),
          total: secretName.map((name) => `${name}@`),
        }),
      },
      { requiredKeys: ["url"] },
    ),
    tracker: fc.record({
      url: secretName.map((name) => `https://${name}.example/api/v3`),
      trustedAuthors: someNames,
    }),
    state: fc.oneof(
      secretName.map((name) => `/home/${name}/${name}.db`),
      secretName.map((name) => `postgres://${name}@${name}.example/${name}?application_name=${name}`),
    ),
    http: fc.record({ host: secretName }),
    heartbeat: secretName.map((name) => `https://${name}.example/${name}`),
    notices: secretName.map((name) => ({ url: `https://${name}.example/${name}` })),
    settle: fc.constantFrom("0s", "90s", "1d"),
    projects: fc
      .array(project, { minLength: 1, maxLength: 3 })
      .map((all) => all.map((one, index) => ({ project: `canary-project-${index}`, ...one }))),
  },
  { requiredKeys: ["board", "projects"] },
);

it("shows of any config nothing but the schema's words, statuses, numbers and stand-ins", () => {
  fc.assert(
    fc.property(file, (content) => {
      const shown = concealed(JSON.stringify(content));
      expect(JSON.stringify(shown)).not.toMatch(/canary/i);
      const others = textsIn(shown).filter((text) => !schemaWords.has(text) && !isHarmless(text));
      expect(others).toEqual([]);
    }),
  );
});

function isHarmless(text: string): boolean {
  const forms = [
    /^[A-Za-z]+-\d+(\/[A-Za-z]+-\d+)?$/,
    /^key-\d+(\.(key-\d+|data))*$/,
    /^(planned|in_progress|done|90s|1d|0s)$/,
    /^https:\/\/host\.invalid(\/(…|api|v1|v3))*$/,
  ];
  return forms.some((form) => form.test(text));
}

describe("a concealed mistake", () => {
  it.each<[string, string, Readonly<Record<string, string>>?]>([
    [smallest("canaryKey: 1"), "the config: 3:1: …: unknown key …"],
    [smallest("settle: canary"), "the config: 3:9: settle: must be a duration with its unit …"],
    [smallest("canary: [").replace("projects", "canary"), "the config: 4:1: this is not valid YAML …"],
    [
      smallest("http: { host: 'canary` canary' }"),
      "the config: 3:15: http.host: must be a host name or an address such as …",
    ],
    [withProject("whenNoRule: canary` or canary"), "the config: 5:17: projects[0].whenNoRule: must be …"],
    [
      withProject("issue: { title: '{{ canary' }"),
      "the config: 5:21: projects[0].issue.title: is not a valid template …",
    ],
    [withProject("'canary: \"canary': 1"), "the config: 5:5: projects[0]…: unknown key …"],
    [
      withProject("issue: { labels: [4711] }"),
      "the config: 5:23: projects[0].issue.labels[0]: must be text …",
    ],
    ["", "the config: 1:1: the file is empty …"],
    [
      smallest(),
      "BOARDSYNC_HTTP_HOST must be a host name or an address such as …",
      { BOARDSYNC_HTTP_HOST: "canary canary" },
    ],
    [smallest(), "BOARDSYNC_STATE_URL: that is no URL of PostgreSQL …", { BOARDSYNC_STATE_URL: "canary" }],
    [
      smallest("state: postgres://db.example/one"),
      "the config: state: names a PostgreSQL server …",
      { BOARDSYNC_STATE: "/home/canary" },
    ],
  ])("of %j is %j", (text, expected, environment = {}) => {
    const problems = problemsOf(() =>
      loadConfig(sourceOf(text, { environment, checkTemplate: () => "canary" })),
    );
    const shown = problems.map((problem) => concealProblem(problem, "c.yaml"));
    expect(shown).toContain(expected);
    expect(shown.join("\n")).not.toMatch(/canary|4711/i);
  });

  it("of a file that is not there does not name it", () => {
    const [problem = ""] = problemsOf(() => loadConfig(sourceOf("", { file: "/home/canary/c.yaml" })));
    expect(concealProblem(problem, "/home/canary/c.yaml")).toBe("the config: there is no such file …");
  });
});
