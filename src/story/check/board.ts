import type { ListShape } from "../../board/board.ts";
import { type AskedPaging, showWay } from "../../model/page.ts";
import type { BoardProject, Category, PostField } from "../../model/post.ts";
import { meantCategories } from "../../plan/categories.ts";
import { spellStatus } from "../../plan/ground/fields.ts";
import type { Settings } from "../../plan/ground/settings.ts";
import { namedValues } from "../../plan/named-values.ts";
import { unseenConditions } from "../../plan/select.ts";
import { sum } from "../../select.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import { meansAnother, requireProject } from "../../sync/read/identify.ts";
import { count } from "../../sync/tell/words.ts";
import { lookAtList, type ShownCategory, type ShownList, showCategory } from "../posts.ts";
import type { Checking } from "./findings.ts";

/** Whether the key is accepted; returns what it sees. */
export async function checkBoard({ say, board, bounds }: Checking): Promise<readonly BoardProject[]> {
  await board.verifyKey(bounds);
  const listed = await board.listProjects(bounds);
  const names = listed.map(({ id, slug }) => (slug === undefined ? id : `${slug} (${id})`)).join(", ");
  const counted = listed.length === 1 ? "1 project" : `${listed.length} projects`;
  say("ok", `The key is accepted; it sees ${counted}: ${names}.`);
  return listed;
}

/** What the posts of a project show. */
export interface ShownPosts extends Pick<ShownList, "seen" | "statuses" | "categories"> {
  readonly project: SyncProject;
  readonly id: BoardProject["id"];
  readonly posts: number;
}

/** Reads the whole list, and says what it is like. */
export async function readPosts(
  checking: Checking,
  project: SyncProject,
  listed: readonly BoardProject[],
): Promise<ShownPosts> {
  const { say, board, bounds, known } = checking;
  const found = requireProject(listed, project.key);
  const before = known?.project(project.key);
  if (before !== undefined && before !== found.id) throw meansAnother(project.key, found.id, before);
  const { pages, seen, statuses, categories, shape, asked, unusable, end, fault } = await lookAtList(
    board,
    found.id,
    bounds,
  );
  const posts = sum(pages);
  for (const message of unusable) say("warning", message);
  if (end !== undefined && end.kind !== "complete")
    say(end.kind === "cut" ? "warning" : "error", end.message, "board.incomplete");
  if (fault !== undefined) throw fault;
  if (posts > 0 || unusable.length === 0) sayShape(checking, posts, shape);
  if (asked !== undefined) sayAsked(checking, asked);
  return { project, id: found.id, posts, seen, statuses, categories };
}

/** Says what the posts show of what the config names. @param all - what posts of any project show. */
export function checkPosts(checking: Checking, shown: ShownPosts, all: readonly ShownPosts[]): void {
  const { project, id, posts, seen } = shown;
  const { say } = checking;
  const settings: Settings = { ...project.settings, project: id };
  checkStatuses(checking, settings, shown, all);
  checkCategories(checking, shown);
  if (posts === 0) return;
  for (const problem of unseenConditions(settings, seen)) {
    const message = `\`${problem}\` needs a field that no record of the board shows. Remove it, or name the field in board.fields.`;
    say("error", message, "board.unseen");
  }
  checkTexts(checking, seen);
}

/** Of what an issue is made of. */
function checkTexts({ say }: Checking, seen: ReadonlySet<PostField>): void {
  const mended = (field: PostField) => `Name the field in board.fields, such as \`fields: { ${field}: … }\`.`;
  if (!seen.has("title"))
    say(
      "error",
      `No post shows a title that can be read: issues would have none. ${mended("title")}`,
      "board.unseen",
    );
  if (!seen.has("description"))
    say("warning", `No post shows a description that can be read. ${mended("description")}`, "board.unseen");
}

function sayShape({ say }: Checking, posts: number, shape: ListShape | undefined): void {
  if (shape === undefined || posts === 0) {
    say("warning", "The list has no posts, so its shape and its statuses are not known yet.");
    return;
  }
  const { items, id = "?", paging, keys } = shape;
  say(
    "ok",
    `${count(posts, "post")}, found under ${items}; id field \`${id}\`; paging: ${paging}. Fields: ${keys.join(", ")}.`,
  );
}

/** What asking for more has shown, where the first page had no sign of how the list goes on. */
function sayAsked({ say }: Checking, { way }: AskedPaging): void {
  if (way === undefined) {
    say("ok", "The board was asked for further posts in the usual ways, and sent none.");
    return;
  }
  const message =
    way.kind === "none"
      ? `The list has no further pages, only larger ones. The line that asks for them, below \`board:\` in the config: \`${showWay(way)}\`.`
      : `The list shows no sign of how it goes on; asking the board has found out. The line that says so below \`board:\` in the config: \`${showWay(way)}\`.`;
  say("warning", message, "board.paging-found");
}

/** The values of `status` are the board's own: a rule's word that nobody has seen may be a slip. */
function checkStatuses(
  checking: Checking,
  settings: Settings,
  { project, posts, seen, statuses }: ShownPosts,
  all: readonly ShownPosts[],
): void {
  const { say, suggest } = checking;
  const others = new Set(
    all.filter((one) => one.project !== project).flatMap((one) => [...one.statuses.keys()]),
  );
  if (posts > 0 && !seen.has("status")) {
    say("warning", "No post shows a status, so what the statuses are called here is not known.");
  }
  if (!seen.has("status") && others.size === 0) return;
  const counted = [...statuses].map(([status, count]) => `${status} (${count})`).join(", ");
  say("ok", `Statuses seen: ${counted || "none"}.`);
  const named = namedValues(settings).filter(({ field }) => field === "status");
  const shown = [...new Set([...statuses.keys(), ...others])];
  const unseen = new Map<string, readonly string[]>();
  for (const { value: status, where, isSought } of named) {
    const spelling = spellStatus(status, shown);
    if (shown.includes(spelling)) {
      if (!statuses.has(spelling)) {
        sayElsewhere(checking, status, spelling, where);
        continue;
      }
      if (spelling === status || isSought) continue;
      say("ok", `${where} \`${status}\` is sent as the board spells it: \`${spelling}\`.`);
      continue;
    }
    const near = suggest(status, shown);
    if (near === "") unseen.set(status, [...(unseen.get(status) ?? []), where]);
    else say("error", `No post has the status \`${status}\` of ${where}${near}`, "board.status");
  }
  sayUnseen(checking, unseen);
}

/** Statuses that no post has, and where the config names them: one sentence for all. */
function sayUnseen({ say }: Checking, unseen: ReadonlyMap<string, readonly string[]>): void {
  if (unseen.size === 0) return;
  const named = [...unseen].map(([status, places]) => `\`${status}\` of ${places.join(" and ")}`);
  const message = `No post has the status ${named.join(", or ")}. That may be right (nothing has got there yet), or a slip: the board refuses what it does not know.`;
  say("warning", message, "board.status");
}

/** Of a status that only posts of other projects have. A spelling is taken over from a project's own posts alone. */
function sayElsewhere({ say }: Checking, status: string, spelling: string, where: string): void {
  if (spelling === status) {
    say("ok", `No post here has the status \`${status}\` of ${where} yet; posts of other projects have.`);
    return;
  }
  const message = `No post here has the status \`${status}\` of ${where}; posts of other projects spell it \`${spelling}\`. Write it so.`;
  say("error", message, "board.status");
}

/** More than these are no help in a line. */
const mostShown = 100;

/** Which categories the posts have, and which categories of the config no post has. */
function checkCategories({ say, suggest }: Checking, { project, seen, categories }: ShownPosts): void {
  if (!seen.has("categoryId")) return;
  const rest = categories.length - mostShown;
  const listed = categories.slice(0, mostShown).map(showCategory).join(", ");
  say("ok", `Categories in use: ${listed || "none"}${rest > 0 ? ` and ${rest} more` : ""}.`);
  const named = namedValues(project.settings).filter(({ field }) => field === "categoryId");
  const known = categories.map(({ id, name }) => ({ id, name: name ?? id }));
  for (const { value, where } of named) {
    const meant = meantCategories(value, known);
    if (meant.length === 1) continue;
    const near = suggest(
      value,
      categories.flatMap(({ id, name }) => (name === null ? [id] : [id, name])),
    );
    const several = meant.map(({ id }) => `\`${id}\``).join(" and ");
    const message =
      meant.length > 1
        ? `The category \`${value}\` of ${where} may be ${several}: write the id.`
        : `No post has the category \`${value}\` of ${where}${near === "" ? ", so nothing comes of it. The categories are listed above." : near}`;
    say("error", message, "board.category");
  }
}

/** With those that the board's own tool lists, and their names. */
export function addCategories(
  shown: readonly ShownCategory[],
  listed: readonly Category[],
): readonly ShownCategory[] {
  const names = new Map(listed.map(({ id, name }) => [id, name]));
  const further = listed.filter(({ id }) => !shown.some((one) => one.id === id));
  return [
    ...shown.map((one) => ({ ...one, name: names.get(one.id) ?? one.name })),
    ...further.map((one) => ({ ...one, posts: 0 })),
  ];
}
