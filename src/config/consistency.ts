import { type Fault, type FoundValue, findAll, hasKey, type Path, quote } from "./paths.ts";
import { suggest } from "./suggest.ts";
import { isExposed } from "./values.ts";

/** Says what is wrong with the syntax of a Liquid template; undefined when nothing is. */
export type CheckTemplate = (
  text: string,
  kind: "text" | "address",
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
    ...findAll(content, "projects.*").flatMap((project) => [
      ...findUnreachableRules(project),
      ...findStrayLabels(project),
      ...findIdleReasons(project),
      ...findTooManyLabels(project),
    ]),
    ...findBrokenTemplates(content, context.checkTemplate),
  ];
}

/** Over plain http anyone on the way can read the key. */
function findExposedKeys(content: unknown): readonly Fault[] {
  return ["board", "tracker"].flatMap((side): readonly Fault[] =>
    findAll(content, `${side}.url`)
      .filter(({ value }) => typeof value === "string" && URL.canParse(value) && isExposed(value))
      .filter(() => !findAll(content, `${side}.allowInsecure`).some(({ value }) => value === true))
      .map(({ path }) => ({
        path,
        at: "value",
        message: `must be https, because http would show the key to the network; \`${side}.allowInsecure: true\` allows it`,
      })),
  );
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

/** GitHub refuses an issue with more labels than this. */
const mostLabels = 100;

/** The labels of every issue leave room for the one of its post's category. */
function findTooManyLabels(project: FoundValue): readonly Fault[] {
  return findAll(project.value, "issue.labels").flatMap(({ path, value }): readonly Fault[] => {
    const labels = new Set(findAll(value, "*").map((label) => String(label.value).toLowerCase()));
    const further = findAll(project.value, "issue.categoryLabels")
      .flatMap((found) => Object.entries(Object(found.value)))
      .find(([, label]) => !labels.has(String(label).toLowerCase()));
    if (further === undefined || labels.size < mostLabels) return [];
    const message = `are ${labels.size}, and ${quote(further[0])} of \`issue.categoryLabels\` adds one more; an issue has at most ${mostLabels}`;
    return [{ path: [...project.path, ...path], at: "key", message }];
  });
}

function findBrokenTemplates(content: unknown, check: CheckTemplate | undefined): readonly Fault[] {
  if (check === undefined) return [];
  const templates = [
    ["projects.*.issue.title", "text"],
    ["projects.*.issue.body", "text"],
    ["projects.*.issue.postUrl", "address"],
    ["projects.*.boardRules.*.set.comment", "text"],
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
