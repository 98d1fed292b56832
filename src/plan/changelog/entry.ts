import type { Release } from "../../model/release.ts";
import type { ChangelogSettings } from "../ground/settings.ts";
import { type ArgumentTemplates, fillArguments } from "../text/arguments.ts";
import { toBoardText, toBoardTitle } from "../text/outward.ts";
import { readTemplate, TemplateError } from "../text/template.ts";
import { publicNotes } from "./notes.ts";

/** A post that a release ships. */
export interface ShippedPost {
  readonly id: string;
  /** As the board shows it. */
  readonly title: string;
  /** Its page; undefined where neither the config nor the board tells one. */
  readonly url: string | undefined;
  readonly votes: number | undefined;
}

/** An entry of the changelog, safe for customers. */
export interface Entry {
  readonly title: string;
  readonly body: string;
}

/** Where the config says nothing else. */
export const defaultBody = "{{ release.notes }}\n\n{% for post in posts %}- {{ post.link }}\n{% endfor %}";

/** More posts than this are not named; customers would not read them. */
const mostNamed = 100;

/**
 * The entry of a release. Templates see `release.name`, `tag`, `url`, `date`, `notes` (without what is said among developers) and
 * `body` (with that), `posts` with `title`, `url`, `link`, `votes` and `id` each, and how many `more` there are.
 *
 * @throws TemplateError where a template fails.
 */
export function renderEntry(
  { title, body }: Pick<ChangelogSettings, "title" | "body">,
  release: Release,
  posts: readonly ShippedPost[],
): Entry {
  const sorted = posts.toSorted((one, other) => (other.votes ?? 0) - (one.votes ?? 0));
  const named = sorted.slice(0, mostNamed).map((post) => {
    const shown = toBoardTitle(post.title).replaceAll(/[[\]]/g, "\\$&") || post.id;
    const link = post.url === undefined ? shown : `[${shown}](${post.url})`;
    return { id: post.id, title: toBoardTitle(post.title), url: post.url, link, votes: post.votes };
  });
  // An address is safe as it is, and must stay one.
  const safe = new Set<string>([...named.flatMap(({ url, link }) => [url ?? "", link]), release.url]);
  const keep = (make: (text: string) => string) => (value: string) => (safe.has(value) ? value : make(value));
  const { name, tag, url, publishedAt } = release;
  const notes = publicNotes(release.body, new URL("/", url).href);
  const scope = {
    release: { name, tag, url, date: publishedAt.slice(0, 10), notes, body: release.body },
    posts: named,
    more: sorted.length - named.length,
  };
  return {
    title: toBoardTitle(readTemplate(title, keep(toBoardTitle), "changelog.title")(scope)) || tag,
    body: readTemplate(body, keep(toBoardText), "changelog.body")(scope).trim(),
  };
}

interface EntryValues {
  readonly entry: Entry;
  readonly release: Pick<Release, "tag" | "url">;
  /** Of the entry that is there; left out for one that is to be made. */
  readonly id?: string;
  readonly project: string;
}

/**
 * The arguments of a tool for an entry of a project.
 *
 * @throws TemplateError where one of the `args` fails, or none names the entry: nobody could tell then which one was meant.
 */
export function entryArguments(
  args: ArgumentTemplates,
  { entry, release: { tag, url }, id, project }: EntryValues,
  place: string,
): Readonly<Record<string, unknown>> {
  const values = { entry: { ...entry, id: id ?? "" }, release: { tag, url }, project: { id: project } };
  const filled = fillArguments(args, values, place);
  const [name, mark] = id === undefined ? ["title", JSON.stringify(entry.title)] : ["id", id];
  if (!JSON.stringify(filled).includes(mark))
    throw new TemplateError(`${place}: no argument is \`{{ entry.${name} }}\`, by which the entry is known`);
  return filled;
}
