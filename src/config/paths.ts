/** Where a setting stands in the config: keys of maps and indexes of lists, from the top. */
export type Path = readonly (string | number)[];

/** Something wrong with the config, before it has a line: where it is, and the end of a sentence that begins with the path. */
export interface Fault {
  readonly path: Path;
  /** Whether to point at the key itself or at the value behind it. */
  readonly at: "key" | "value";
  readonly message: string;
}

/** The path as a person would write it: `projects[0].rules[2].when`. */
export function formatPath(path: Path): string {
  if (path.length === 0) return "(top level)";
  return path.map(formatStep).join("").replace(/^\./, "");
}

function formatStep(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[A-Za-z_][\w-]*$/.test(step) ? `.${step}` : `[${JSON.stringify(cut(step))}]`;
}

/** A word of the file for use in a message: in backquotes, on one line, and not endless. */
export function quote(text: string): string {
  return `\`${cut(text).replaceAll(/\p{C}/gu, "?")}\``;
}

function cut(text: string): string {
  const points = Array.from(text);
  return points.length > 60 ? `${points.slice(0, 60).join("")}…` : text;
}

/** A value of the file with its path. */
export interface FoundValue {
  readonly path: Path;
  readonly value: unknown;
}

/** Every value whose path matches a pattern such as `projects.*.rules.*.when`; `*` stands for any index. */
export function findAll(root: unknown, pattern: string): readonly FoundValue[] {
  let found: readonly FoundValue[] = [{ path: [], value: root }];
  for (const step of pattern.split(".")) {
    found = found.flatMap(({ path, value }) => {
      if (step !== "*") return hasKey(value, step) ? [{ path: [...path, step], value: value[step] }] : [];
      const elements: readonly unknown[] = Array.isArray(value) ? value : [];
      return elements.map((element, index) => ({ path: [...path, index], value: element }));
    });
  }
  return found;
}

/** Whether the value is a map that has this key of its own. */
export function hasKey<Key extends string>(
  value: unknown,
  key: Key,
): value is Readonly<Record<Key, unknown>> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}
