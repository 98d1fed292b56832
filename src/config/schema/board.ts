import { z } from "zod";
import { apiUrl, duration, name, wholeNumber } from "../values.ts";

/* `board`: where its API is, how its lists are read, and the tools of its own. */

/** A path into an answer of the board: keys with dots between. */
const answerPath = z
  .string()
  .max(200)
  .regex(/^[^.\s]+(\.[^.\s]+)*$/, {
    error: "must be a path of keys with dots between, such as `data.posts`",
  });

function fieldName(ours: string) {
  return name(100).describe(`What the board calls \`${ours}\`.`).exactOptional();
}

const listing = z
  .strictObject({
    items: answerPath
      .describe("Where the list of posts stands in an answer, such as `data.feedback`.")
      .exactOptional(),
    total: z
      .union([answerPath, z.literal(false)])
      .describe(
        "Where the number of all posts stands, such as `meta.total`; false where the board's total counts something else than the listed posts.",
      )
      .exactOptional(),
  })
  .describe("Where the posts stand in an answer, where this can't be recognised.");

const paging = z
  .strictObject({
    kind: z.enum(["cursor", "page", "offset", "none"]).describe("How one page follows another."),
    param: name(100)
      .describe("The query parameter that takes the cursor, the page or the offset.")
      .exactOptional(),
    first: wholeNumber(0, 1).describe("Number of the first page: 1 where left out.").exactOptional(),
    next: answerPath
      .describe(
        "Where the next cursor stands in an answer, such as `meta.nextCursor`; `lastId` where the id of a page's last post is the cursor.",
      )
      .exactOptional(),
    sizeParam: name(100).describe("The query parameter that takes the size of a page.").exactOptional(),
    size: wholeNumber(1, 10_000).describe("How many posts a page holds.").exactOptional(),
  })
  .describe("How the board's list is paged, where this can't be recognised.");

const fields = z
  .strictObject({
    id: fieldName("id"),
    title: fieldName("title"),
    description: fieldName("description"),
    status: fieldName("status"),
    categoryId: fieldName("categoryId"),
    votes: fieldName("votes"),
    url: fieldName("url"),
    roadmapColumn: fieldName("roadmapColumn"),
    roadmapOrder: fieldName("roadmapOrder"),
    roadmapPublic: fieldName("roadmapPublic"),
    onRoadmap: fieldName("onRoadmap"),
    isReviewed: fieldName("isReviewed"),
    isArchived: fieldName("isArchived"),
    createdAt: fieldName("createdAt"),
    updatedAt: fieldName("updatedAt"),
  })
  .describe("What the board calls the fields of a post, where its names differ from ours: `id: uuid`.");

const tool = z.strictObject({
  name: name(200).describe("What the MCP server calls the tool."),
  args: z
    .record(name(100), z.json())
    .prefault({})
    .describe("What it is called with; texts are templates, such as `{{ entry.title }}`."),
  result: answerPath
    .describe("Where the id stands in its answer (of a list: in each record), if it can't be recognised.")
    .exactOptional(),
  schema: z
    .string()
    .regex(/^[0-9a-f]{16}$/, { error: "must be 16 characters of `0-9a-f`, as `boardsync check` shows them" })
    .describe("The schema of its arguments that is agreed to; left out, the one of its first use.")
    .exactOptional(),
});

export const toolPurpose = z.enum([
  "categories",
  "changelogList",
  "changelogCreate",
  "changelogUpdate",
  "changelogPublish",
  "feedbackCreate",
]);

export type ToolPurpose = z.infer<typeof toolPurpose>;

const mcp = z
  .strictObject({
    url: apiUrl("https://feedback.example.com/api/mcp")
      .describe("The address of the MCP server; left out, `/api/mcp` on the board's origin.")
      .exactOptional(),
    tools: z
      .partialRecord(toolPurpose, tool)
      .prefault({})
      .describe("Which tool serves which purpose. No other one is ever called."),
  })
  .describe("The board's hosted MCP server, for what its REST API leaves open. It gets the same key.");

export const board = z
  .strictObject({
    url: apiUrl().describe("The address of the board's API: https, or http on loopback."),
    allowInsecure: z.boolean().default(false).describe("Allow plain http to another machine."),
    timeout: duration("1s", "10m").prefault("30s").describe("How long one request may take."),
    retries: wholeNumber(0, 10).default(3).describe("How often a failed read is repeated. Writes never are."),
    concurrency: wholeNumber(1, 32).default(4).describe("How many writes may be under way at once."),
    maxBytes: wholeNumber(1_048_576, 2 ** 40)
      .default(268_435_456)
      .describe(
        "A project's list that is longer than this, in bytes, is given up: the board goes on for ever, or fills the disk.",
      ),
    formerUrls: z
      .array(apiUrl())
      .max(100)
      .prefault([])
      .describe(
        "Earlier addresses of this same board: marks on issues that name one of them count like those of `url`. Never called.",
      ),
    list: listing.exactOptional(),
    paging: paging.exactOptional(),
    fields: fields.exactOptional(),
    mcp: mcp.exactOptional(),
  })
  .describe("The feedback board.");
