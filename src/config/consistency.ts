import { type Fault, type FoundValue, findAll, hasKey, type Path, quote } from "./paths.ts";
import { suggest } from "./suggest.ts";
import { instant, isExposed } from "./values.ts";

/** Says what is wrong with the syntax of a Liquid template; undefined when nothing is. */
export type CheckTemplate = (
  text: string,
  kind: "text" | "entry" | "address",
) => string | { readonly name: string; readonly known: readonly string[] } | undefined;

/** What a check needs to know besides the content. */
export interface CheckContext {
  readonly checkTemplate: CheckTemplate | undefined;
  /** The line on which the setting of a path stands. */
  readonly lineOf: (path: Path) => number;
}

/**
 * What is wrong between settings that are each fine by themselves. Looks at the content as it was written, so that these
 * faults are reported together with those of the schema; what has the wrong type is left to the schema.
 */
export function findInconsistencies(content: unknown, context: CheckContext): readonly Fault[] {
  return [
    ...findExposedKeys(content),
    ...findRepeatedProjects(content, context),
    ...findNoDrafts(content),
    ...findIdleImports(content),
    ...findAll(content, "projects.*").flatMap((project) => [
      ...findUnreachableRules(project),
      ...findStrayLabels(project),
      ...findIdleReasons(project),
      ...findTooManyLabels(project),
      ...findSharedLabels(project),
      ...findIdleConditions(project),
    ]),
    ...findIdleChangelogs(content),
    ...findBrokenTemplates(content, context.checkTemplate),
  ];
}

/** Over plain http anyone on the way can read the key. */
function findExposedKeys(content: unknown): readonly Fault[] {
  return (
    [
      ["board", "url"],
      ["board", "mcp.url"],
      ["tracker", "url"],
    ] as const
  ).flatMap(([side, address]): readonly Fault[] =>
    findAll(content, `${side}.${address}`)
      .filter(({ value }) => typeof value === "string" && URL.canParse(value) && isExposed(value))
      .filter(() => !findAll(content, `${side}.allowInsecure`).some(({ value }) => value === true))
      .map(({ path }) => ({
        path,
        at: "value",
        message: `must be https, because http would show the key to the network; \`${side}.allowInsecure: true\` allows it`,
      })),
  );
}

/** What says in the arguments of a tool that an entry is a draft. */
const draftWords: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^(?:is_?)?publish(?:ed)?$/i, /^false$/],
  [/^(?:is_?)?draft$/i, /^true$/],
  [/^(?:status|state|visibility)$/i, /^(?:draft|unpublished|private)$/i],
  [/^publish(?:ed)?_?at$/i, /^null$/],
];

/** Subscribers may be mailed about what is published, so nothing is made that is not a draft. */
function findNoDrafts(content: unknown): readonly Fault[] {
  return findAll(content, "board.mcp.tools.changelogCreate").flatMap(({ path, value }): readonly Fault[] => {
    if (typeof value !== "object" || value === null || saysDraft(Object(value)["args"])) return [];
    const message =
      "must make a draft, and no argument says so; the tool's may be called `publish: false`, `draft: true`, `status: draft` or `publishedAt: null`. One that can't make a draft can't be used";
    return [{ path, at: "key", message }];
  });
}

function saysDraft(args: unknown, depth = 0): boolean {
  return Object.entries(Object(args)).some(([name, value]) => {
    if (typeof value === "object" && value !== null) return depth < deepest && saysDraft(value, depth + 1);
    return draftWords.some(([key, said]) => key.test(name) && said.test(String(value)));
  });
}

/** Two entries for one project would both open issues for its posts. */
function findRepeatedProjects(content: unknown, { lineOf }: CheckContext): readonly Fault[] {
  const first = new Map<unknown, Path>();
  return findAll(content, "projects.*.project").flatMap(({ path, value }): readonly Fault[] => {
    const earlier = first.get(value);
    if (earlier === undefined) {
      first.set(value, path);
      return [];
    }
    const message = `${quote(String(value))} stands in line ${lineOf(earlier)} already, and two entries would claim the same posts; a project stands once in the file`;
    return [{ path, at: "value", message }];
  });
}

/** Posts are made by the board's own tool alone. */
function findIdleImports(content: unknown): readonly Fault[] {
  const [tool] = findAll(content, "board.mcp.tools.feedbackCreate");
  const names = JSON.stringify(Object(tool?.value)["args"] ?? {}).includes("issue.category");
  return findAll(content, "projects.*.import").flatMap(({ path, value }): readonly Fault[] => {
    if (tool === undefined) {
      const message =
        "makes posts by `board.mcp.tools.feedbackCreate`, which is not in the config; `boardsync check` shows the board's tools";
      return [{ path, at: "key", message }];
    }
    if (!hasKey(value, "category") || names) return [];
    const message = "goes nowhere: no `args` of `board.mcp.tools.feedbackCreate` name `{{ issue.category }}`";
    return [{ path: [...path, "category"], at: "key", message }];
  });
}

/** A rule that always matches takes the fields that it sets from all rules below it. */
function findUnreachableRules(project: FoundValue): readonly Fault[] {
  const taken = new Map<string, number>();
  const faults: Fault[] = [];
  for (const [index, { path, value }] of findAll(project.value, "rules.*").entries()) {
    const { set } = Object(value);
    const fields = Object.keys(Object(set));
    const by = taken.get(fields[0] ?? "");
    if (by !== undefined && fields.every((field) => taken.has(field))) {
      const message = `is never reached, because rules[${by}] has no \`when\` and always matches; move that one to the end`;
      faults.push({ path: [...project.path, ...path], at: "key", message });
    }
    if (hasKey(value, "when")) continue;
    for (const field of fields) taken.set(field, taken.get(field) ?? index);
  }
  return faults;
}

/** The tracker changes the reason together with the state only, and each state has reasons of its own. */
function findIdleReasons(project: FoundValue): readonly Fault[] {
  return findAll(project.value, "boardRules.*.set").flatMap(({ path, value }): readonly Fault[] => {
    const { state, reason } = Object(value);
    if (reason === undefined || state === (reason === "reopened" ? "open" : "closed")) return [];
    const wanted = reason === "reopened" ? "open" : "closed";
    const message = `${quote(String(reason))} is a reason of \`state: ${wanted}\`, which has to stand beside it`;
    return [{ path: [...project.path, ...path, "reason"], at: "value", message }];
  });
}

/** A route by label looks at the labels that categories give; a label that none gives would match nothing. */
function findStrayLabels(project: FoundValue): readonly Fault[] {
  const labels = findAll(project.value, "issue.categoryLabels").flatMap(({ value }) =>
    Object.values(Object(value)),
  );
  return findAll(project.value, "route.*.label")
    .filter(({ value }) => typeof value === "string" && !labels.includes(value))
    .map(({ path, value }) => ({
      path: [...project.path, ...path],
      at: "value",
      message: `${quote(String(value))} is none of the labels in \`issue.categoryLabels\`, so no post would match`,
    }));
}

/** A label by votes comes and goes, so nothing else may ask for it, and no two numbers share one. */
function findSharedLabels(project: FoundValue): readonly Fault[] {
  const fold = ({ value }: FoundValue): string => String(value).toLowerCase();
  const maps = (name: string): readonly FoundValue[] =>
    findAll(project.value, `issue.${name}`).flatMap(({ path, value }) =>
      Object.entries(Object(value)).map(([key, label]) => ({ path: [...path, key], value: label })),
    );
  const lists = ["issue.labels.*", "boardRules.*.set.addLabels", "boardRules.*.set.removeLabels"];
  const others = lists
    .flatMap((pattern) => findAll(project.value, pattern))
    .flatMap((found) => (Array.isArray(found.value) ? findAll(found.value, "*") : [found]))
    .concat(maps("categoryLabels"));
  const taken = new Map(others.map((found) => [fold(found), "is given by another setting, too"]));
  return maps("voteLabels").flatMap((found): readonly Fault[] => {
    const clash = taken.get(fold(found));
    taken.set(fold(found), "stands here twice");
    if (clash === undefined) return [];
    const message = `${quote(String(found.value))} ${clash}; a label by votes must be one of its own`;
    return [{ path: [...project.path, ...found.path], at: "value", message }];
  });
}

/** GitHub refuses an issue with more labels than this. */
const mostLabels = 100;

/** The labels of every issue leave room for those of its post's category and votes. */
function findTooManyLabels(project: FoundValue): readonly Fault[] {
  return findAll(project.value, "issue.labels").flatMap(({ path, value }): readonly Fault[] => {
    const labels = new Set(findAll(value, "*").map((label) => String(label.value).toLowerCase()));
    const further = ["categoryLabels", "voteLabels"].flatMap((name) =>
      findAll(project.value, `issue.${name}`)
        .flatMap((found) => Object.entries(Object(found.value)))
        .filter(([, label]) => !labels.has(String(label).toLowerCase()))
        .slice(0, 1)
        .map(([key]) => `${quote(key)} of \`issue.${name}\``),
    );
    if (labels.size + further.length <= mostLabels || further.length === 0) return [];
    const message = `are ${labels.size}, and ${further.join(" and ")} ${further.length === 1 ? "adds" : "add"} one more; an issue has at most ${mostLabels}`;
    return [{ path: [...project.path, ...path], at: "key", message }];
  });
}

/** Groups of conditions stand no deeper in each other. An alias that stands in its own anchor has no end. */
const deepest = 10;
const mostIdle = 100;

/** What no post can fulfil in `select`. */
function findIdleConditions(project: FoundValue): readonly Fault[] {
  const faults: Fault[] = [];
  for (const fault of idleIn(project, "select")) {
    faults.push(fault);
    if (faults.length === mostIdle) break;
  }
  return faults;
}

function* idleIn(around: FoundValue, pattern: string, depth = 0): Generator<Fault> {
  for (const found of findAll(around.value, pattern)) {
    const { value } = found;
    const path = [...around.path, ...found.path];
    if (depth > deepest) {
      yield { path, at: "value", message: `stands in ${deepest} other groups; fewer have to do` };
      return;
    }
    const { minVotes, maxVotes, createdAfter, createdBefore } = Object(value);
    if (Number.isInteger(minVotes) && minVotes > maxVotes) {
      const message = `is less than \`minVotes: ${minVotes}\`, so no post would match`;
      yield { path: [...path, "maxVotes"], at: "value", message };
    }
    const [after, before] = [createdAfter, createdBefore].map((given) => instant().safeParse(given).data);
    if (after !== undefined && before !== undefined && after >= before) {
      const message = "is not later than `createdAfter`, so no post would match";
      yield { path: [...path, "createdBefore"], at: "value", message };
    }
    yield* idleIn({ path, value }, "any.*", depth + 1);
    yield* idleIn({ path, value }, "not", depth + 1);
  }
}

/** Without its tools nothing makes an entry, and nothing publishes one; and one that is no draft would be published at once. */
function findIdleChangelogs(content: unknown): readonly Fault[] {
  const changelogs = findAll(content, "projects.*.changelog");
  if (changelogs.length === 0) return [];
  const has = (purpose: string): boolean => findAll(content, `board.mcp.tools.${purpose}`).length > 0;
  const lacking = (path: Path, purpose: string): Fault => {
    const message = `needs a tool of the board's: name it in \`board.mcp.tools.${purpose}\``;
    return { path, at: "value", message };
  };
  const args = findAll(content, "board.mcp.tools.changelogCreate.args");
  return [
    ...(has("changelogCreate") ? [] : changelogs.map(({ path }) => lacking(path, "changelogCreate"))),
    ...changelogs
      .filter(({ value }) => Object(value).publish === "approve" && !has("changelogPublish"))
      .map(({ path }) => lacking([...path, "publish"], "changelogPublish")),
    ...args
      .filter(({ value }) => !makesDraft(Object(value)))
      .map(({ path }): Fault => ({ path, at: "value", message: noDraft })),
  ];
}

const noDraft =
  "must ask for a draft, as `publish: false`, `draft: true` or `status: draft` do: what such a tool makes is published only when a person approves it";

/** Whether the arguments ask for a draft: by a flag, or by a word. */
function makesDraft(args: object): boolean {
  return Object.entries(args).some(([name, value]) => {
    const key = name.replaceAll(/[_-]/g, "").toLowerCase();
    if (["publish", "published", "ispublished", "publishnow"].includes(key)) return value === false;
    if (["draft", "isdraft", "asdraft"].includes(key)) return value === true;
    return ["status", "state"].includes(key) && String(value).toLowerCase() === "draft";
  });
}

function findBrokenTemplates(content: unknown, check: CheckTemplate | undefined): readonly Fault[] {
  if (check === undefined) return [];
  const templates = [
    ["projects.*.issue.title", "text"],
    ["projects.*.issue.body", "text"],
    ["projects.*.issue.postUrl", "address"],
    ["projects.*.boardRules.*.set.comment", "text"],
    ["projects.*.changelog.title", "entry"],
    ["projects.*.changelog.body", "entry"],
  ] as const;
  return templates.flatMap(([pattern, kind]) =>
    findAll(content, pattern).flatMap(({ path, value }): readonly Fault[] => {
      const fault = typeof value === "string" ? check(value, kind) : undefined;
      if (fault === undefined) return [];
      const message =
        typeof fault === "string"
          ? `is not a valid template: ${fault}`
          : `names \`${fault.name}\`, which nothing ever fills${suggest(fault.name, fault.known)}; there are ${fault.known.join(", ")}`;
      return [{ path, at: "value", message }];
    }),
  );
}
