import { type Fault, type FoundValue, findAll, hasKey, type Path } from "./paths.ts";
import { type ToolPurpose, toolPurpose } from "./schema/board.ts";

/** What is wrong between the settings of the board's own tools (`board.mcp.tools`), and those that need them. */
export function findToolFaults(content: unknown): readonly Fault[] {
  return [
    ...findNoDrafts(content),
    ...findPublishing(content),
    ...findIdleImports(content),
    ...findIdleChangelogs(content),
  ];
}

/** What stands in the arguments of all tools: each text of it is a template. */
export function findToolTemplates(
  content: unknown,
): readonly (FoundValue & { readonly kind: ToolPurpose })[] {
  return toolPurpose.options.flatMap((kind) =>
    argumentsOf(content, kind).map((found) => ({ ...found, kind })),
  );
}

/** What a tool is called with, from the inside of all lists and groups. */
function argumentsOf(content: unknown, purpose: ToolPurpose): readonly FoundValue[] {
  return findAll(content, `board.mcp.tools.${purpose}.args`).flatMap((args) => [
    ...leavesOf(args).take(mostLeaves),
  ]);
}

const mostLeaves = 1000;
/** Values stand no deeper in each other. An alias that stands in its own anchor has no end. */
const deepest = 10;

function* leavesOf({ path, value }: FoundValue, depth = 0): Generator<FoundValue> {
  if (typeof value !== "object" || value === null) yield { path, value };
  else if (depth <= deepest)
    for (const [key, inner] of Object.entries(value))
      yield* leavesOf({ path: [...path, Array.isArray(value) ? Number(key) : key], value: inner }, depth + 1);
}

/** By which argument an entry is a draft or published: each with the one value that asks for a draft. */
const draftWords: readonly (readonly [name: RegExp, draft: RegExp])[] = [
  [/^(?:is)?publish(?:ed|now)?$/, /^false$/],
  [/^(?:is|as|saveas)?draft$/, /^true$/],
  [/^(?:status|state)(?:code)?$/, /^"(?:draft|unpublished)"$/i],
  [/^publish(?:ed)?at$/, /^null$/],
];

/** Whether an argument asks for a draft; undefined where it says nothing of that. */
function asksForDraft({ path, value }: FoundValue): boolean | undefined {
  const name = String(path.at(-1)).replaceAll(/[_-]/g, "").toLowerCase();
  const [, draft] = draftWords.find(([words]) => words.test(name)) ?? [];
  return draft?.test(JSON.stringify(value));
}

const draftForms = "`publish: false`, `draft: true`, `status: draft` or `publishedAt: null`";

/** Subscribers may be mailed about what is published, so nothing is made that is not a draft, and what is one stays one. */
function findPublishing(content: unknown): readonly Fault[] {
  const message = `must ask for a draft (${draftForms}): only what a person approves is published`;
  return (["changelogCreate", "changelogUpdate"] as const)
    .flatMap((purpose) => argumentsOf(content, purpose))
    .filter((argument) => asksForDraft(argument) === false)
    .map(({ path }) => ({ path, at: "value", message }));
}

function findNoDrafts(content: unknown): readonly Fault[] {
  const isSaid = argumentsOf(content, "changelogCreate").some((one) => asksForDraft(one) !== undefined);
  const message = `must make a draft, and no argument says so; the tool's may be called ${draftForms}. One that can't make a draft can't be used`;
  return findAll(content, "board.mcp.tools.changelogCreate")
    .filter(({ value }) => typeof value === "object" && value !== null && !isSaid)
    .map(({ path }) => ({ path, at: "key", message }));
}

/** Posts are made by the board's own tool alone. */
function findIdleImports(content: unknown): readonly Fault[] {
  const isNamed = findAll(content, "board.mcp.tools.feedbackCreate").length > 0;
  const takesCategory = argumentsOf(content, "feedbackCreate").some(({ value }) =>
    String(value).includes("issue.category"),
  );
  return findAll(content, "projects.*.import").flatMap(({ path, value }): readonly Fault[] => {
    if (!isNamed) {
      const message =
        "makes posts by `board.mcp.tools.feedbackCreate`, which is not in the config; `boardsync check` shows the board's tools";
      return [{ path, at: "key", message }];
    }
    if (!hasKey(value, "category") || takesCategory) return [];
    const message = "goes nowhere: no `args` of `board.mcp.tools.feedbackCreate` name `{{ issue.category }}`";
    return [{ path: [...path, "category"], at: "key", message }];
  });
}

/** Without its tools nothing makes an entry, and nothing publishes one. */
function findIdleChangelogs(content: unknown): readonly Fault[] {
  const lacks = (purpose: string): boolean => findAll(content, `board.mcp.tools.${purpose}`).length === 0;
  const lacking = (path: Path, purpose: string): Fault => {
    const message = `needs a tool of the board's: name it in \`board.mcp.tools.${purpose}\``;
    return { path, at: "value", message };
  };
  return findAll(content, "projects.*.changelog").flatMap(({ path, value }) => [
    ...(lacks("changelogCreate") ? [lacking(path, "changelogCreate")] : []),
    ...(Object(value).publish === "approve" && lacks("changelogPublish")
      ? [lacking([...path, "publish"], "changelogPublish")]
      : []),
  ]);
}
