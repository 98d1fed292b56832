import type {
  BoardTools,
  ToolArguments,
  ToolDescription,
  ToolDirectory,
  ToolPurpose,
} from "../../board/tools.ts";
import type { Category } from "../../model/post.ts";
import { entryArguments } from "../../plan/changelog/entry.ts";
import { postArguments } from "../../plan/imports/draft.ts";
import { listArguments } from "../../plan/text/arguments.ts";
import { TemplateError } from "../../plan/text/template.ts";
import type { NamedTools } from "../../sync/ground/pinned-tools.ts";
import type { Checking } from "./findings.ts";
import { findArgumentFaults } from "./tool-arguments.ts";
import { proposeTools, requiredOf, showProposal } from "./tool-proposals.ts";

/** The board's own tools, and what the config says of them. */
export interface CheckedTools {
  readonly directory: ToolDirectory & Pick<BoardTools, "list">;
  readonly named: NamedTools;
  /** The print that a tool had when it was first used; undefined where it was not. */
  readonly agreed: (tool: string) => string | undefined;
  /** Where a setting stands: `boardsync.yaml:7:3`. */
  readonly place: (path: readonly (string | number)[]) => string;
}

/** More than these are no help in a line. */
const mostShown = 100;

/**
 * Says which tools there are, whether those that the config names are what it takes them for, and what may be added. Calls none but
 * the one that lists the categories.
 *
 * @returns the categories of a project, by its id; none where no tool tells them.
 */
export async function checkTools(checking: Checking, tools: CheckedTools): Promise<ListCategories> {
  const { say, bounds } = checking;
  const described = await tools.directory.describe(bounds);
  const listed = described.slice(0, mostShown).map(showTool).join(", ");
  const rest = described.length - mostShown;
  const more = rest > 0 ? ` and ${rest} more` : "";
  say("ok", `The MCP server has ${described.length} tools: ${listed || "none"}${more}.`);
  const usable = (Object.keys(tools.named) as ToolPurpose[]).filter((purpose) =>
    checkTool(checking, tools, purpose, described),
  );
  const proposals = proposeTools(described).filter(({ purpose }) => tools.named[purpose] === undefined);
  if (proposals.length > 0) {
    const lines = proposals.map((proposal) => `\`${showProposal(proposal)}\``).join("; ");
    say("ok", `Below board.mcp.tools you may add, after a look at what each tool does: ${lines}.`);
  }
  return usable.includes("categories") ? createListing(checking, tools) : async () => [];
}

export type ListCategories = (project: string) => Promise<readonly Category[]>;

/** Projects that the tool does not tell apart share one list. */
function createListing({ bounds }: Checking, { directory, named }: CheckedTools): ListCategories {
  const lists = new Map<string, ReturnType<ListCategories>>();
  const list: ListCategories = async (project) => {
    const args = listArguments(named.categories?.args ?? {}, "categories", project);
    const { records } = await directory.list("categories", args, bounds);
    return records.flatMap(({ id, title }) => (title === undefined ? [] : [{ id, name: title }]));
  };
  const namesProject = JSON.stringify(named.categories?.args ?? {}).includes("project.");
  return (project) => {
    const key = namesProject ? project : "";
    const known = lists.get(key) ?? list(project);
    lists.set(key, known);
    return known;
  };
}

/** @returns whether it may be called. */
function checkTool(
  { say, suggest }: Checking,
  { named, agreed, place }: CheckedTools,
  purpose: ToolPurpose,
  described: readonly ToolDescription[],
): boolean {
  const tool = named[purpose];
  if (tool === undefined) return false;
  const path = ["board", "mcp", "tools", purpose];
  const found = described.find(({ name }) => name === tool.name);
  if (found === undefined) {
    const names = described.map(({ name }) => show(name));
    const message = `${place([...path, "name"])}: the MCP server has no tool \`${tool.name}\`${suggest(tool.name, names)}`;
    say("error", message, "board.tool");
    return false;
  }
  const known = tool.schema ?? agreed(tool.name);
  const isAgreed = known === undefined || known === found.print;
  if (!isAgreed) {
    const message = `${place(path)}: the arguments of \`${tool.name}\` are not those that were agreed to, so it is not called: ${showTool(found)}. If they are right, set \`schema: ${found.print}\` there.`;
    say("error", message, "board.tool");
  }
  const faults = findArgumentFaults(tool.args, found.schema, suggest);
  for (const { path: inner, message } of faults) {
    const at = [...path, "args", ...inner];
    say("error", show(`${place(at)}: ${at.slice(3).join(".")}: ${message}`), "board.tool");
  }
  const unfilled = faults.length === 0 ? whyNotFilled(purpose, tool.args) : undefined;
  if (unfilled !== undefined) say("error", `${place([...path, "args"])}: ${unfilled}`, "config.template");
  else if (faults.length === 0)
    say("ok", `\`${purpose}\` is served by \`${tool.name}\` (schema: ${found.print}).`);
  return isAgreed && faults.length === 0 && unfilled === undefined;
}

/** What is wrong with arguments, whatever they are about: filled in as for a call, and not sent. */
function whyNotFilled(purpose: ToolPurpose, args: ToolArguments): string | undefined {
  const place = `board.mcp.tools.${purpose}.args`;
  const [project, id, text] = ["a project", "an id", "a text"];
  const about = { entry: { title: "a title", body: text }, release: { tag: "v1", url: text }, project };
  try {
    if (purpose === "categories" || purpose === "changelogList") listArguments(args, purpose, project);
    else if (purpose === "feedbackCreate") postArguments(anIssue, { args }, project);
    else entryArguments(args, { ...about, ...(purpose !== "changelogCreate" && { id }) }, place);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

/** Nobody's: it shows only whether the arguments hold together. */
const anIssue = {
  title: "a title",
  body: "a text https://issue.example/1",
  address: "https://issue.example/1",
  category: "a category",
  issue: { repositoryId: 1, number: 1 },
};

/** `create_changelog (title, content)`: with what it requires. */
function showTool({ name, schema }: ToolDescription): string {
  const required = requiredOf(schema).slice(0, mostShown);
  return show(required.length === 0 ? name : `${name} (${required.join(", ")})`);
}

/** Of a stranger's text no more than a line holds; control characters are made visible where it is printed. */
function show(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 300 ? `${line.slice(0, 300).toWellFormed()}…` : line;
}
