import { BREAK, type Dialect } from "../../model/dialect.ts";
import type { FieldValue, PostId, ProjectId } from "../../model/post.ts";
import { hashText } from "../ground/hash.ts";
import type { PostValues, Redacted, RenderedIssue } from "../ground/settings.ts";
import { composeBody, hashBlock } from "./block.ts";
import { CUT_NOTICE, closeFences, cutBytes, cutCodePoints } from "./fence.ts";
import { readDescription } from "./html.ts";
import { redactPeople } from "./redact.ts";
import { sanitiseText, sanitiseTitle, withoutSignatures } from "./sanitise.ts";
import { namesValue, readTemplate, type Template } from "./template.ts";
import { toSafeUrl } from "./web-address.ts";

/** Liquid templates, as the config has them. They are trusted; what a post brings along is not. */
export interface IssueTemplates {
  readonly title: string;
  readonly body: string;
  /** undefined: the address that the post's record shows. */
  readonly postUrl: string | undefined;
}

/** What an issue's text says besides its post. */
export interface RenderContext {
  /** `boardHash` of the board's address. */
  readonly board: string;
  readonly project: ProjectId;
  /** Further posts that the issue stands for, beside the one whose text it has. */
  readonly others?: readonly PostValues[];
  /** What of people is made unreadable in the texts of posts; nothing without it. */
  readonly redact?: readonly Redacted[];
  /** Labels by category id, as the config has them. */
  readonly categoryLabels?: Readonly<Record<string, string>>;
  /** What the board calls its categories, by their ids, as far as it names them. */
  readonly categoryNames?: ReadonlyMap<string, string>;
}

export type Renderer = ReturnType<typeof createRenderer>;

/** Leaves people some room in the same body. */
const MAX_BLOCK_BYTES = 60_000;

/** For the further posts of an issue, in the marker and in the block each. */
const MAX_OTHERS_BYTES = 20_000;

/** More of a post than this is not even looked at. */
const MAX_READ = 262_144;
const MAX_TITLE_READ = 4_096;

/**
 * Makes issue texts out of posts. A template sees `post.id`, `title`, `description`, `category`, `status`, `votes` and
 * `url`, and `project.id`, all already safe, and nothing else of the post.
 *
 * @throws TemplateError that names the template, and line and column in it, when one can't be read, as each of its functions does
 *   where one fails on a post.
 */
export function createRenderer(templates: IssueTemplates, dialect: Dialect) {
  const toLine = (value: string) => sanitiseTitle(value, dialect);
  const title = readTemplate(templates.title, toLine, "issue.title");
  const body = readTemplate(templates.body, (value) => sanitiseText(value, dialect), "issue.body");
  const postUrl = readTemplate(templates.postUrl ?? "", String, "issue.postUrl");
  const readFacts = createFactsReader(templates.body, toLine);

  const nameOf = (post: PostValues, context: RenderContext) =>
    safeValues(post, undefined, context, dialect).title;

  const urlOf = (post: PostValues, context: RenderContext) => renderUrl(postUrl, post, context, dialect);
  const scopeOf = (post: PostValues, context: RenderContext) => ({
    post: safeValues(post, urlOf(post, context), context, dialect),
    project: { id: toLine(context.project) },
  });
  const comments = new Map<string, Template>();
  const readComment = (template: string): Template => {
    const toText = (value: string) => sanitiseText(value, dialect);
    const read = comments.get(template) ?? readTemplate(template, toText, "boardRules.set.comment");
    comments.set(template, read);
    return read;
  };

  return {
    /** The tracker's, which the texts are for. */
    dialect,
    /** The post's public page; undefined where neither the config nor the board tells one. */
    address: urlOf,
    /** A comment, from a template of a board rule. */
    comment: (template: string, post: PostValues, context: RenderContext) =>
      renderBlock(readComment(template)(scopeOf(post, context)), [], MAX_BLOCK_BYTES),
    render(post: PostValues, context: RenderContext): RenderedIssue {
      const scope = scopeOf(post, context);
      const titleText = oneLine(title(scope)) || scope.post.title;
      const posts = markedPosts(post, context);
      const marker = { board: context.board, project: context.project, posts };
      const overhead = Buffer.byteLength(composeBody({ marker, block: "", rest: "\n" }));
      const also = alsoAskedFor(
        context,
        (other) => renderUrl(postUrl, other, context, dialect) ?? nameOf(other, context),
      );
      const { category, votes } = readFacts(post, context);
      const facts = [category, votes].filter((part) => part !== undefined).join(" · ") || undefined;
      const endings = [also, facts, scope.post.url].filter((line) => line !== undefined);
      const block = renderBlock(
        body(scope),
        endings,
        Math.min(MAX_BLOCK_BYTES, dialect.bodyBytes - overhead),
      );
      const cutTitle = cutCodePoints(titleText, dialect.titleLength);
      return {
        title: cutTitle,
        block,
        body: composeBody({ marker, block, rest: "\n" }),
        votes,
        posts,
        titleHash: hashText(cutTitle),
        blockHash: hashBlock(block),
      };
    },
  };
}

/**
 * Category and votes of a post, as a line below its text says them. What the body's template names itself is left out, and so is
 * a category that the config has no label for: its id says nothing to a reader.
 */
function createFactsReader(
  body: string,
  toLine: (value: string) => string,
): (post: PostValues, context: RenderContext) => { readonly category?: string; readonly votes?: string } {
  const hasCategory = !namesValue(body, ["post", "category"]);
  const hasVotes = !namesValue(body, ["post", "votes"]);
  return ({ values: { categoryId, votes } }, { categoryLabels = {} }) => {
    const id = textOf(categoryId);
    const label = hasCategory && Object.hasOwn(categoryLabels, id) ? categoryLabels[id] : undefined;
    const rounded = hasVotes && typeof votes === "number" ? roundVotes(votes) : 0;
    return {
      ...(label !== undefined && { category: `Category: ${toLine(label)}` }),
      // One vote is just that; every other number stands for all up to the next one.
      ...(rounded > 0 && { votes: `Votes: ${rounded}${rounded === 1 ? "" : "+"}` }),
    };
  };
}

/** The posts that the marker names: the first always, the further ones as long as there is room. */
function markedPosts({ id }: PostValues, { others = [] }: RenderContext): readonly PostId[] {
  // An id of n bytes takes up to 4/3 n in the marker, or 8/3 n where it is no Unicode text.
  const ids = others.map((other) => other.id);
  const count = countFitting(ids, (text) => text.length * 4);
  return [id, ...ids.slice(0, count)];
}

/** One line for each further post of an issue: where it stands, else what it is called. undefined where there is none. */
function alsoAskedFor(
  { others = [] }: RenderContext,
  write: (post: PostValues) => string,
): string | undefined {
  const lines = others.map((other) => `Also asked for in: ${write(other)}`);
  const count = countFitting(lines, (line) => Buffer.byteLength(line));
  const rest = lines.length - count;
  const shown = [...lines.slice(0, count), ...(rest === 0 ? [] : [`Also asked for in: ${rest} more`])];
  return shown.length === 0 ? undefined : shown.join("\n");
}

/** How many of the texts, from the first, there is room for. */
function countFitting(texts: readonly string[], measure: (text: string) => number): number {
  let bytes = 0;
  const end = texts.findIndex((text) => {
    bytes += measure(text) + 1;
    return bytes > MAX_OTHERS_BYTES;
  });
  return end === -1 ? texts.length : end;
}

/** The template's text, and below it a paragraph for each of the endings; the post's address is the last. */
function renderBlock(text: string, endings: readonly string[], maxBytes: number): string {
  const closed = closeFences(
    text
      // Only boardsync itself writes its comments, whatever a template says.
      .replace(/<!--(?=\s*boardsync:)/gi, `<${BREAK}!--`)
      .replace(/^\s*\n/, "")
      .trimEnd(),
  );
  const url = endings.at(-1);
  // A template may end with the address itself; then it stays where it is, unless something has to stand before it.
  const hasUrl = closed.split("\n").at(-1) === url;
  if (hasUrl && endings.length === 1) return cutBytes(closed, maxBytes);
  const above = hasUrl ? closed.slice(0, -textOf(url).length).trimEnd() : closed;
  const ending = endings.join("\n\n");
  const gap = above === "" || ending === "" ? "" : "\n\n";
  return cutBytes(above, maxBytes - Buffer.byteLength(gap + ending)) + gap + ending;
}

/** The post's address for a reader: from the template, else from the record; undefined where there is no usable one. */
function renderUrl(
  template: Template,
  post: PostValues,
  context: RenderContext,
  dialect: Dialect,
): string | undefined {
  const recorded = toSafeUrl(textOf(post.values["url"]), dialect);
  const written = template({
    post: {
      id: encodePart(post.id),
      title: encodePart(post.values["title"]),
      category: encodePart(post.values["categoryId"]),
      status: encodePart(post.values["status"]),
      url: recorded,
    },
    project: { id: encodePart(context.project) },
  });
  return toSafeUrl(written, dialect) ?? recorded;
}

/** What a template of text sees of a post. undefined where the post has nothing, so that `{% if %}` works. */
function safeValues(
  post: PostValues,
  url: string | undefined,
  { redact = [], categoryNames }: RenderContext,
  dialect: Dialect,
) {
  const toLine = (value: FieldValue | undefined): string | undefined => {
    const line = sanitiseTitle(redactPeople(textOf(value).slice(0, MAX_TITLE_READ), redact), dialect);
    return line === "" ? undefined : cutCodePoints(line, dialect.titleLength);
  };
  const description = safeDescription(textOf(post.values["description"]), redact, dialect);
  const { votes } = post.values;
  return {
    id: toLine(post.id),
    title: toLine(post.values["title"]) ?? `Untitled post ${toLine(post.id) ?? ""}`.trimEnd(),
    description: description === "" ? undefined : description,
    category: toLine(categoryNames?.get(textOf(post.values["categoryId"])) ?? post.values["categoryId"]),
    status: toLine(post.values["status"]),
    votes: typeof votes === "number" ? roundVotes(votes) : undefined,
    url,
  };
}

function safeDescription(raw: string, redact: readonly Redacted[], dialect: Dialect): string {
  const hide = (text: string): string => redactPeople(withoutSignatures(text), redact);
  const { text, isCut } = readDescription(raw, MAX_READ, hide);
  const safe = sanitiseText(hide(text), dialect).trimEnd();
  return cutBytes(isCut ? `${safe}\n\n${CUT_NOTICE}` : safe, MAX_BLOCK_BYTES);
}

/** Down to 1, 2, 5, 10, 20, 50 …, so that an issue is not rewritten for every vote. */
export function roundVotes(votes: number): number {
  if (votes < 1) return 0;
  const bounded = Math.min(votes, 1_000_000_000);
  let step = 1;
  while (step * 10 <= bounded) step *= 10;
  if (bounded >= step * 5) return step * 5;
  return bounded >= step * 2 ? step * 2 : step;
}

function textOf(value: FieldValue | undefined): string {
  return String(value ?? "");
}

function encodePart(value: FieldValue | undefined): string {
  return encodeURIComponent(textOf(value).toWellFormed());
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
