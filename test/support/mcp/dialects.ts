import { z } from "zod";

/** An entry of a changelog, as every dialect keeps it. */
export interface Entry {
  readonly id: string;
  title: string;
  text: string;
  isPublished: boolean;
}

/** What is behind the tools. */
export interface Shelf {
  readonly categories: { id: string; name: string }[];
  readonly entries: Entry[];
  readonly posts: { readonly id: string; readonly title: string; readonly text: string }[];
}

export interface DialectTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** What it answers. @throws Error what it refuses, in its own words. */
  run(args: Record<string, unknown>, shelf: Shelf): unknown;
}

/** How a product words its tools. `isStructured`: it answers structured content, and not only text. */
export interface Dialect {
  readonly tools: readonly DialectTool[];
  readonly isStructured: boolean;
}

const text = z.string();

function addEntry(shelf: Shelf, title: unknown, content: unknown, isPublished: boolean): Entry {
  const entry = {
    id: `entry_${shelf.entries.length + 1}`,
    title: String(title),
    text: String(content),
    isPublished,
  };
  shelf.entries.push(entry);
  return entry;
}

function findEntry(shelf: Shelf, id: unknown): Entry {
  const entry = shelf.entries.find((one) => one.id === id);
  if (entry === undefined) throw new Error(`There is no entry ${id}.`);
  return entry;
}

function addPost(shelf: Shelf, title: unknown, content: unknown) {
  const post = { id: `post_${shelf.posts.length + 1}`, title: String(title), text: String(content) };
  shelf.posts.push(post);
  return post;
}

/** As https://quackback.io/docs/mcp/reference words it: one `search` for all, cursors, text answers, publishing by an update. */
export const quackback: Dialect = {
  isStructured: false,
  tools: [
    {
      name: "search",
      description: "Search feedback posts or changelog entries",
      input: z.object({
        entity: z.enum(["posts", "changelogs"]).default("posts"),
        query: text.optional(),
        status: text.optional(),
        limit: z.number().min(1).max(100).default(20),
        cursor: text.optional(),
      }),
      run({ entity, status, limit, cursor }, shelf) {
        const size = Number(limit);
        const all =
          entity === "posts"
            ? shelf.posts.map((post) => ({ ...post, content: post.text }))
            : shelf.entries
                .filter(({ isPublished }) => status === "all" || isPublished === (status === "published"))
                .map((entry) => ({
                  ...entry,
                  content: entry.text,
                  status: entry.isPublished ? "published" : "draft",
                }));
        const start = Number(cursor ?? 0);
        const hasMore = start + size < all.length;
        return {
          items: all.slice(start, start + size),
          nextCursor: hasMore ? String(start + size) : null,
          hasMore,
        };
      },
    },
    {
      name: "list_boards",
      description: "List boards",
      input: z.object({}),
      run: (_, { categories }) => ({ boards: categories }),
    },
    {
      name: "create_changelog",
      description: "Create a changelog entry. Saves as draft by default",
      input: z.object({
        title: text,
        content: text,
        publish: z.boolean().default(false),
        linkedPostIds: z.array(text).optional(),
      }),
      run: ({ title, content, publish }, shelf) => {
        const { id, isPublished } = addEntry(shelf, title, content, publish === true);
        return { id, title, status: isPublished ? "published" : "draft" };
      },
    },
    {
      name: "update_changelog",
      description: "Update title, content or publish state of a changelog entry",
      input: z.object({
        changelogId: text,
        title: text.optional(),
        content: text.optional(),
        publish: z.boolean().optional(),
      }),
      run({ changelogId, title, content, publish }, shelf) {
        const entry = findEntry(shelf, changelogId);
        entry.title = String(title ?? entry.title);
        entry.text = String(content ?? entry.text);
        entry.isPublished ||= publish === true;
        return { id: entry.id, title: entry.title };
      },
    },
    {
      name: "create_post",
      description: "Submit new feedback on a board",
      input: z.object({ boardId: text, title: text, content: text.optional() }),
      run: ({ title, content }, shelf) => addPost(shelf, title, content ?? ""),
    },
  ],
};

/** As FeatureOS calls things: numbered pages, a `state`, ids in an inner object. */
export const featureOs: Dialect = {
  isStructured: true,
  tools: [
    {
      name: "list_buckets",
      description: "List the boards of the workspace",
      input: z.object({ page: z.number().int().optional() }),
      run: (_, { categories }) => ({ buckets: categories }),
    },
    {
      name: "list_changelogs",
      description: "List changelog posts, drafts included",
      input: z.object({ page: z.number().int().optional(), per_page: z.number().int().optional() }),
      run({ page = 1, per_page = 2 }, { entries }) {
        const [now, size] = [Number(page), Number(per_page)];
        const shown = entries.slice((now - 1) * size, now * size);
        return {
          changelogs: shown.map(({ id, title, text: description, isPublished }) => {
            return { id, title, description, state: isPublished ? "published" : "draft" };
          }),
          meta: { current_page: now, total_pages: Math.ceil(entries.length / size) },
        };
      },
    },
    {
      name: "create_changelog",
      description: "Create a changelog post",
      input: z.object({ title: text, description: text, state: z.enum(["draft", "published"]) }),
      run: ({ title, description, state }, shelf) => {
        return {
          changelog: { id: addEntry(shelf, title, description, state === "published").id, title, state },
        };
      },
    },
    {
      name: "publish_changelog",
      description: "Publish a draft and notify subscribers",
      input: z.object({ id: text }),
      run({ id }, shelf) {
        const entry = findEntry(shelf, id);
        entry.isPublished = true;
        return { changelog: { id: entry.id, state: "published" } };
      },
    },
    {
      name: "create_feature_request",
      description: "Create a feature request",
      input: z.object({ title: text, description: text, bucket_id: text.optional() }),
      run: ({ title, description }, shelf) => ({ feature_request: addPost(shelf, title, description) }),
    },
  ],
};

/**
 * As FeatureOS's hosted server calls things (https://glama.ai/mcp/connectors/io.github.featureos/featureos-mcp): a draft unless
 * `published`, and what readers see changes with `confirm` only; without it the change is answered, and nothing is done.
 */
export const featureOsHosted: Dialect = {
  isStructured: false,
  tools: [
    ...featureOs.tools.filter(({ name }) => name === "list_changelogs"),
    {
      name: "create_changelog",
      description: "Create a new changelog in the organization. Creates a draft by default",
      input: z.object({
        title: text,
        description: text.optional(),
        published: z.boolean().optional(),
        scheduled_published_at: text.optional(),
        confirm: z.boolean().optional(),
        locale: text.optional(),
      }),
      run({ title, description, published, confirm }, shelf) {
        if (published === true && confirm !== true) return { pending: true };
        const { id, isPublished } = addEntry(shelf, title, description, published === true);
        return { changelog: { id, title, published: isPublished } };
      },
    },
    {
      name: "update_changelog",
      description: "Update an existing changelog by ID. Publishing needs the user's approval",
      input: z.object({
        changelog_id: text,
        title: text.optional(),
        description: text.optional(),
        published: z.boolean().optional(),
        confirm: z.boolean().optional(),
      }),
      run({ changelog_id, title, description, published, confirm }, shelf) {
        const entry = findEntry(shelf, changelog_id);
        const isDone = published !== true || confirm === true;
        if (isDone) {
          entry.title = String(title ?? entry.title);
          entry.text = String(description ?? entry.text);
          entry.isPublished ||= published === true;
        }
        return { changelog: { id: entry.id, title: entry.title, published: entry.isPublished } };
      },
    },
  ],
};

/**
 * As Productlane calls things (https://productlane.mintlify.app/api-v2/mcp.md): the resource before what is done, a `published` flag,
 * `notes` for the text, everything in one answer.
 */
export const productlane: Dialect = {
  isStructured: true,
  tools: [
    {
      name: "changelogs_list",
      description: "Get all changelogs",
      input: z.object({}),
      run: (_, { entries }) =>
        entries.map(({ id, title, text: notes, isPublished }) => ({
          id,
          title,
          notes,
          published: isPublished,
        })),
    },
    {
      name: "changelogs_create",
      description: "Create a changelog",
      input: z.object({ title: text, notes: text, date: text.optional(), published: z.boolean().optional() }),
      run: ({ title, notes, published }, shelf) => ({
        changelogId: addEntry(shelf, title, notes, published !== false).id,
      }),
    },
    {
      name: "changelogs_update",
      description: "Update a changelog",
      input: z.object({
        changelogId: text,
        title: text.optional(),
        notes: text.optional(),
        published: z.boolean().optional(),
      }),
      run({ changelogId, title, notes, published }, shelf) {
        const entry = findEntry(shelf, changelogId);
        entry.title = String(title ?? entry.title);
        entry.text = String(notes ?? entry.text);
        entry.isPublished ||= published === true;
        return { changelogId: entry.id };
      },
    },
    {
      name: "changelogs_broadcast",
      description: "Mail a changelog to its subscribers",
      input: z.object({ changelogId: text }),
      run: ({ changelogId }, shelf) => ({ changelogId: findEntry(shelf, changelogId).id }),
    },
    {
      name: "feedback_create",
      description: "Create a piece of feedback",
      input: z.object({ text, painLevel: z.enum(["UNKNOWN", "LOW", "MEDIUM", "HIGH"]) }),
      run: ({ text: words }, shelf) => ({ id: addPost(shelf, words, words).id }),
    },
  ],
};
