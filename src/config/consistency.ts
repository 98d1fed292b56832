import { type Fault, type FoundValue, findAll, hasKey, type Path, quote } from "./paths.ts";
import type { ToolPurpose } from "./schema/board.ts";
import { suggest } from "./suggest.ts";
import { findToolFaults, findToolTemplates } from "./tools.ts";
import { instant, isExposed } from "./values.ts";

/** Says what is wrong with the syntax of a Liquid template; undefined when nothing is. */
export type CheckTemplate = (
  text: string,
  kind: "text" | "entry" | "address" | ToolPurpose,
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
    ...findToolFaults(content),
    ...findAll(content, "projects.*").flatMap((project) => [
      ...findUnreachableRules(project),
      ...findStrayLabels(project),
      ...findIdleReasons(project),
      ...findTooManyLabels(project),
      ...findSharedLabels(project),
      ...idleIn(project, "select").take(mostIdle),
    ]),
    ...findBrokenTemplates(content, context.checkTemplate),
  ];
}

/** Over plain http anyone on the way can read the key. */
function findExposedKeys(content: unknown): readonly Fault[] {
  return ["board.url", "board.mcp.url", "tracker.url"].flatMap((address): readonly Fault[] => {
    const [side = ""] = address.split(".");
    return findAll(content, address)
      .filter(({ value }) => typeof value === "string" && URL.canParse(value) && isExposed(value))
      .filter(() => !findAll(content, `${side}.allowInsecure`).some(({ value }) => value === true))
      .map(({ path }) => ({
        path,
        at: "value",
        message: `must be https, because http would show the key to the network; \`${side}.allowInsecure: true\` allows it`,
      }));
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

function findBrokenTemplates(content: unknown, check: CheckTemplate | undefined): readonly Fault[] {
  if (check === undefined) return [];
  const settings = [
    ["projects.*.issue.title", "text"],
    ["projects.*.issue.body", "text"],
    ["projects.*.issue.postUrl", "address"],
    ["projects.*.boardRules.*.set.comment", "text"],
    ["projects.*.changelog.title", "entry"],
    ["projects.*.changelog.body", "entry"],
  ] as const;
  const templates = [
    ...settings.flatMap(([pattern, kind]) => findAll(content, pattern).map((found) => ({ ...found, kind }))),
    ...findToolTemplates(content),
  ];
  return templates.flatMap(({ path, value, kind }): readonly Fault[] => {
    const fault = typeof value === "string" ? check(value, kind) : undefined;
    if (fault === undefined) return [];
    const message =
      typeof fault === "string"
        ? `is not a valid template: ${fault}`
        : `names \`${fault.name}\`, which nothing ever fills; there are ${fault.known.join(", ")}${suggest(fault.name, fault.known)}`;
    return [{ path, at: "value", message }];
  });
}
