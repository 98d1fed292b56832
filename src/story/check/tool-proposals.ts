import type { ToolArguments, ToolDescription, ToolPurpose } from "../../board/tools.ts";

/** A tool that may serve a purpose, by its name and its arguments: for a person to say yes to. */
export interface ToolProposal {
  readonly purpose: ToolPurpose;
  readonly name: string;
  readonly args: ToolArguments;
}

/** What can be said of an argument from its name and its schema; undefined: it is left out. */
type Filling = (name: string, schema: unknown) => unknown;

interface Wanted {
  readonly purpose: ToolPurpose;
  /** Of the tool's name, in lower case and with `_` between its words. */
  readonly name: RegExp;
  readonly fill: readonly Filling[];
  /** What one of the arguments has to be. */
  readonly needs?: string;
  /** Whether the others are what the purpose needs. */
  readonly isEnough?: (args: ToolArguments) => boolean;
}

const ids = /^(?:id|(?:entry|changelog|post)_?id)$/i;
const titles = /^(?:title|headline|subject)$/i;
const texts = /^(?:content|body|description|markdown|notes|text|details)$/i;
const categories = /^(?:category|board|bucket)(?:_?id)?$/i;
const projects = /^(?:project|product)(?:_?id)?$/i;

const by =
  (names: RegExp, value: unknown): Filling =>
  (name) =>
    names.test(name) ? value : undefined;

/** Of a changelog's entry: what says that it is a draft. */
const asDraft: Filling = (name, schema) => {
  if (/^(?:is_?)?publish(?:ed)?$/i.test(name)) return false;
  if (/^(?:is_?)?draft$/i.test(name)) return true;
  return states.test(name) && choicesOf(schema).includes("draft") ? "draft" : undefined;
};

/** Nobody is to hear of a draft. */
const asQuiet = by(/^(?:notify|send_?(?:e?mail|notification)s?)/i, false);

const states = /^(?:status|state)(?:_?code)?$/i;

const asPublished: Filling = (name, schema) => {
  if (/^(?:is_?)?publish(?:ed)?$/i.test(name)) return true;
  return states.test(name) && choicesOf(schema).includes("published") ? "published" : undefined;
};

/** What some tools want before they publish: nothing is published that no person has approved. */
const asConfirmed: Filling = by(/^(?:is_?)?confirm(?:ed)?$/i, true);

/** One tool may list several things. */
const ofChangelog: Filling = (name, schema) => {
  if (/^status$/i.test(name)) return "all";
  return choicesOf(schema).find((choice) => /^changelogs?$/i.test(choice));
};

/** A board of several projects may ask of which one; whose project is its only one does not. */
const ofProject = by(projects, "{{ project.id }}");
/** It is an argument only where the tool requires it. */
const theCategory = "{{ issue.category }}";

const entry = [by(ids, "{{ entry.id }}"), by(titles, "{{ entry.title }}"), by(texts, "{{ entry.body }}")];
const post = [by(titles, "{{ issue.title }}"), by(texts, "{{ issue.body }}"), by(categories, theCategory)];
const changelog = "(?:changelog|announcement|release_note)";

/** The more telling one of a purpose stands first. */
const wanted: readonly Wanted[] = [
  { purpose: "categories", name: /^(?:list|get)_(?:all_)?(?:categories|boards|buckets)$/, fill: [] },
  {
    purpose: "changelogList",
    name: new RegExp(`^(?:list|get|search)_(?:all_)?${changelog}s?(?:_entries)?$`),
    fill: [by(/^status$/i, "all")],
  },
  {
    purpose: "changelogList",
    name: /^search$/,
    fill: [ofChangelog],
    isEnough: (args) => Object.keys(args).length > 1,
  },
  {
    purpose: "changelogCreate",
    name: new RegExp(`^(?:create|add|draft)_(?:a_)?${changelog}s?(?:_entry|_draft)?$`),
    fill: [...entry.slice(1), asDraft, asQuiet],
    needs: "{{ entry.title }}",
    isEnough: (args) =>
      Object.entries(args).some(
        ([name, value]) =>
          value === "draft" || (typeof value === "boolean" && asQuiet(name, undefined) === undefined),
      ),
  },
  {
    purpose: "changelogUpdate",
    name: new RegExp(`^(?:update|edit)_${changelog}s?(?:_entry|_draft)?$`),
    fill: entry,
    needs: "{{ entry.id }}",
  },
  {
    purpose: "changelogPublish",
    name: new RegExp(`^publish_${changelog}s?(?:_entry)?$`),
    fill: [...entry.slice(0, 1), asConfirmed],
    needs: "{{ entry.id }}",
  },
  {
    purpose: "changelogPublish",
    name: new RegExp(`^update_${changelog}s?(?:_entry)?$`),
    fill: [...entry.slice(0, 1), asPublished, asConfirmed],
    needs: "{{ entry.id }}",
    isEnough: (args) => Object.values(args).some((value) => value === true || value === "published"),
  },
  {
    purpose: "feedbackCreate",
    name: /^(?:create|submit|add)_(?:feedback|post|feature_request|idea|suggestion|request)s?$/,
    fill: post,
    needs: "{{ issue.body }}",
  },
];

/** Which tool may serve which purpose: at most one for each. Nothing is called to find out. */
export function proposeTools(described: readonly ToolDescription[]): readonly ToolProposal[] {
  const found = new Map<ToolPurpose, ToolProposal>();
  for (const { purpose, name: pattern, fill, needs, isEnough = () => true } of wanted) {
    for (const { name, schema } of described) {
      if (found.has(purpose) || !isPlain(name) || !pattern.test(wordsOf(name))) continue;
      const args = fillIn(schema, fill);
      if (args === undefined || (needs !== undefined && !Object.values(args).includes(needs))) continue;
      if (isEnough(args)) found.set(purpose, { purpose, name, args });
    }
  }
  return [...found.values()];
}

/** undefined where an argument is required that nothing is known for. */
function fillIn(schema: unknown, fill: readonly Filling[]): ToolArguments | undefined {
  const { properties } = Object(schema);
  const required = requiredOf(schema);
  const args: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(Object(properties))) {
    const value = [...fill, ofProject].map((one) => one(name, part)).find((one) => one !== undefined);
    const isWanted = value !== undefined && (required.includes(name) || value !== theCategory);
    if (isWanted && isPlain(name)) args[name] = value;
  }
  return required.every((name) => Object.hasOwn(args, name)) ? args : undefined;
}

/** Names of the arguments that a tool requires. */
export function requiredOf(schema: unknown): readonly string[] {
  const { required } = Object(schema);
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function choicesOf(schema: unknown): readonly string[] {
  const { enum: choices } = Object(schema);
  return Array.isArray(choices) ? choices.filter((choice) => typeof choice === "string") : [];
}

/** `createChangelog`, `create-changelog` and `changelogs_create` are `create_changelog`, in the plural, too. */
function wordsOf(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_")
    .replaceAll(/[-./]/g, "_")
    .toLowerCase();
  return words.replace(/^(.+)_(list|search|create|add|submit|update|edit|publish)$/, "$2_$1");
}

/** What the protocol allows as a name; in any other a stranger may have put something. */
function isPlain(name: string): boolean {
  return /^[\w./-]{1,128}$/.test(name);
}

/** The line of the config, such as `categories: { name: list_categories }`. */
export function showProposal({ purpose, name, args }: ToolProposal): string {
  const shown = Object.entries(args).map(([key, value]) => `${scalar(key)}: ${scalar(value)}`);
  return `${purpose}: { name: ${scalar(name)}${shown.length === 0 ? "" : `, args: { ${shown.join(", ")} }`} }`;
}

function scalar(value: unknown): string {
  const isWord =
    typeof value === "string" &&
    /^[A-Za-z]\w*$/.test(value) &&
    !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return isWord ? value : JSON.stringify(value);
}
