import { describe, expect, it } from "vitest";
import type { ListOverrides } from "../../../src/board/http/list/page.ts";
import { givenBoard, pull, serve } from "./given.ts";

/** Lists as real APIs and frameworks document them: read whole without a config, or refused with the lines that mend it. */

interface Cut {
  /** Number of the first post of the page, from 0 on, and of the first one after it. */
  readonly start: number;
  readonly end: number;
  readonly total: number;
  readonly hasMore: boolean;
  /** The address that was asked, and the same with another parameter. */
  readonly asked: URL;
  readonly next: (param: string, value: string | number) => string;
}

interface Answer {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Api {
  readonly name: string;
  readonly docs: string;
  readonly record: (number: number) => object;
  readonly answer: (page: readonly object[], cut: Cut) => Answer;
  /** Number of the first post that a query asks for. */
  readonly start: (query: (name: string) => number, asked: URL) => number;
  /** Posts a page; 20 where it is left out. */
  readonly size?: number;
  /** Query parameter that the board takes another size by. */
  readonly sizeParam?: string;
  readonly votes?: number;
  readonly status?: string;
  /** What the refusal says without `mend`. */
  readonly refusal?: string;
  readonly mend?: Partial<ListOverrides>;
}

const count = 45;

function plain(number: number) {
  return { id: `p${number}`, title: `Post ${number}`, status: "planned" };
}

const byPage =
  (first = 1): Api["start"] =>
  (query) =>
    (query("page") - first) * 20;
const byPageFromOne: Api["start"] = (query) => Math.max(query("page") - 1, 0) * 20;
const byCursor: Api["start"] = (query) => query("cursor");
const absolute = (address: string): string => `http://127.0.0.1${address}`;

/** A page's number, its size and how many there are. */
const pages = ({ start, total }: Cut) => ({ page: start / 20 + 1, count: Math.ceil(total / 20) });

const apis: readonly Api[] = [
  {
    name: "Quackback",
    docs: "https://quackback.io/docs/api",
    record: (number) => ({ id: `post_${number}`, title: "A", voteCount: 3, statusId: "status_1" }),
    answer: (data, { end, hasMore }) => ({
      body: { data, meta: { pagination: { cursor: hasMore ? String(end) : null, hasMore } } },
    }),
    start: byCursor,
    votes: 3,
  },
  {
    name: "Canny, posts/list",
    docs: "https://developers.canny.io/api-reference#list_posts",
    record: (number) => ({ id: `c${number}`, title: "A", score: 3, status: "open" }),
    answer: (posts, { hasMore }) => ({ body: { hasMore, posts } }),
    start: (query) => query("skip"),
    size: 10,
    status: "open",
  },
  {
    name: "Canny, lists with a cursor",
    docs: "https://developers.canny.io/api-reference",
    record: plain,
    answer: (items, { end, hasMore }) => ({
      body: { cursor: hasMore ? String(end) : null, hasNextPage: hasMore, items },
    }),
    start: byCursor,
  },
  {
    name: "Featurebase",
    docs: "https://docs.featurebase.app/rest-api/posts",
    record: (number) => ({
      id: `f${number}`,
      title: "A",
      upvotes: 3,
      status: { id: "1", name: "In Progress" },
    }),
    answer: (data, { end, hasMore }) => ({
      body: { object: "list", data, nextCursor: hasMore ? String(end) : null },
    }),
    start: byCursor,
    size: 10,
    votes: 3,
    status: "In Progress",
  },
  {
    name: "Featurebase, the version before",
    docs: "https://docs.featurebase.app/pagination",
    record: (number) => ({ id: `f${number}`, title: "A", upvotes: 3, postStatus: { name: "In Progress" } }),
    answer: (results, cut) => ({
      body: {
        results,
        page: pages(cut).page,
        limit: 20,
        totalPages: pages(cut).count,
        totalResults: cut.total,
      },
    }),
    start: byPageFromOne,
    votes: 3,
  },
  {
    name: "fdback",
    docs: "https://docs.fdback.io/docs/api/listPosts",
    record: (number) => ({ id: `f${number}`, title: "A", votesCount: 3, statusId: "s" }),
    answer: (posts, { end, hasMore }) => ({ body: { data: { posts, cursor: end, hasMore } } }),
    start: byCursor,
    votes: 3,
  },
  {
    name: "SeggWat",
    docs: "https://docs.seggwat.com/api-reference/endpoint/list-feedback",
    record: (number) => ({ id: `s${number}`, project_id: "x", message: "A", status: "New" }),
    answer: (feedback, cut) => ({
      body: {
        feedback,
        pagination: { page: pages(cut).page, limit: 20, total: cut.total, total_pages: pages(cut).count },
      },
    }),
    start: byPageFromOne,
    status: "New",
  },
  {
    name: "ProductBridge",
    docs: "https://docs.productbridge.io/api-reference/pagination",
    record: plain,
    answer: (items, { end, hasMore }) => ({
      body: { items, has_next_page: hasMore, cursor: hasMore ? String(end) : null },
    }),
    start: byCursor,
  },
  {
    name: "Productboard",
    docs: "https://developer.productboard.com/v2.0.0/reference/pagination",
    record: (number) => ({ id: `p${number}`, name: "A", status: { id: "1", name: "Candidate" } }),
    answer: (data, { end, hasMore, next }) => ({
      body: { data, links: hasMore ? { next: next("pageCursor", end) } : {} },
    }),
    start: (query) => query("pageCursor"),
    status: "Candidate",
  },
  {
    name: "Frill",
    docs: "https://developers.frill.co/api/reference/ideas",
    record: (number) => ({
      idx: `idea_${number}`,
      name: "A",
      vote_count: 3,
      status: { idx: "status_1", name: "Completed", color: "#6392D9" },
    }),
    answer: (data, { end, hasMore, total }) => ({
      body: { data, pagination: { total, before: null, after: hasMore ? String(end) : null } },
    }),
    start: (query) => query("after"),
    votes: 3,
    status: "Completed",
    refusal: "`fields: { id: idx }`",
    mend: { fields: { id: "idx", title: "name" } },
  },
  {
    name: "UserVoice",
    docs: "https://developer.uservoice.com/docs/api/v2/getting-started",
    record: (id) => ({ id: id + 1, title: "A", votes_count: 3, state: "approved", links: { status: 2 } }),
    answer: (suggestions, cut) => ({
      body: {
        suggestions,
        links: { "suggestions.status": { type: "statuses" } },
        list_meta: null,
        pagination: {
          page: pages(cut).page,
          per_page: 20,
          total_pages: pages(cut).count,
          total_records: cut.total,
        },
      },
    }),
    start: byPageFromOne,
    votes: 3,
  },
  {
    name: "UserVoice with further records beside",
    docs: "https://help.uservoice.com/hc/en-us/articles/4404823119635",
    record: (id) => ({ id: id + 1, title: "A", votes_count: 3 }),
    answer: (suggestions, cut) => ({
      body: {
        forums: [{ id: 2002, name: "Ideas" }],
        suggestions,
        pagination: { page: pages(cut).page, per_page: 20, total_pages: pages(cut).count },
      },
    }),
    start: byPageFromOne,
    votes: 3,
    refusal: "`list: { items: suggestions }`",
    mend: { list: { items: "suggestions" } },
  },
  {
    name: "Fider",
    docs: "https://fider.io/docs/api",
    record: (id) => ({ id: id + 1, number: id + 1, title: "A", votesCount: 3, status: "open" }),
    answer: (posts) => ({ body: posts }),
    start: () => 0,
    size: 30,
    sizeParam: "limit",
    votes: 3,
    status: "open",
    refusal: "`paging: { kind: none, sizeParam: limit, size: 1000 }`",
    mend: { paging: { kind: "none", sizeParam: "limit", size: 1000 } },
  },
  {
    name: "Discourse",
    docs: "https://docs.discourse.org/#tag/Topics/operation/listLatestTopics",
    record: (id) => ({ id: id + 1, title: "A", vote_count: 3 }),
    answer: (topics, { hasMore, start, next }) => ({
      body: {
        users: [{ id: 1, username: "ann" }],
        topic_list: {
          per_page: 20,
          topics,
          ...(hasMore && { more_topics_url: next("page", start / 20 + 1) }),
        },
      },
    }),
    start: (query) => query("page") * 20,
    votes: 3,
    refusal: "`list: { items: topic_list.topics }`",
    mend: { list: { items: "topic_list.topics" } },
  },
  {
    name: "GitHub",
    docs: "https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api",
    record: plain,
    answer: (body, { hasMore, start, next }) => {
      const first = `<${next("page", 1)}>; rel="first"`;
      return {
        body,
        headers: { link: hasMore ? `<${next("page", start / 20 + 2)}>; rel="next", ${first}` : first },
      };
    },
    start: byPageFromOne,
  },
  {
    name: "GitLab",
    docs: "https://docs.gitlab.com/api/rest/#pagination",
    record: plain,
    answer: (body, { hasMore, start, total }) => ({
      body,
      headers: {
        "x-next-page": hasMore ? String(start / 20 + 2) : "",
        "x-page": String(start / 20 + 1),
        "x-per-page": "20",
        "x-total": String(total),
        "x-total-pages": "3",
      },
    }),
    start: byPageFromOne,
  },
  {
    name: "WordPress",
    docs: "https://developer.wordpress.org/rest-api/using-the-rest-api/pagination/",
    record: (id) => ({ id: id + 1, title: { rendered: "A" }, status: "publish" }),
    answer: (body, { total }) => ({ body, headers: { "x-wp-total": String(total), "x-wp-totalpages": "3" } }),
    start: byPageFromOne,
    status: "publish",
  },
  {
    name: "Laravel's paginator",
    docs: "https://laravel.com/docs/pagination#converting-results-to-json",
    record: plain,
    answer: (data, { start, hasMore, total, next }) => ({
      body: {
        total,
        per_page: 20,
        current_page: start / 20 + 1,
        last_page: 3,
        next_page_url: hasMore ? next("page", start / 20 + 2) : null,
        prev_page_url: null,
        from: start + 1,
        to: start + data.length,
        data,
      },
    }),
    start: byPageFromOne,
  },
  {
    name: "Laravel's resources",
    docs: "https://laravel.com/docs/eloquent-resources#pagination",
    record: plain,
    answer: (data, { start, hasMore, total, next }) => ({
      body: {
        data,
        links: {
          first: next("page", 1),
          last: next("page", 3),
          prev: null,
          next: hasMore ? next("page", start / 20 + 2) : null,
        },
        meta: {
          current_page: start / 20 + 1,
          last_page: 3,
          links: [{ url: null, label: "Previous", active: false }],
          per_page: 20,
          total,
        },
      },
    }),
    start: byPageFromOne,
  },
  {
    name: "Django REST framework, page numbers",
    docs: "https://www.django-rest-framework.org/api-guide/pagination/#pagenumberpagination",
    record: plain,
    answer: (results, { start, hasMore, total, next }) => ({
      body: { count: total, next: hasMore ? next("page", start / 20 + 2) : null, previous: null, results },
    }),
    start: byPageFromOne,
  },
  {
    name: "Spring Data",
    docs: "https://docs.spring.io/spring-data/commons/docs/current/api/org/springframework/data/domain/Page.html",
    record: plain,
    answer: (content, { start, hasMore, total }) => ({
      body: {
        content,
        pageable: { pageNumber: start / 20, pageSize: 20, offset: start, paged: true },
        last: !hasMore,
        totalPages: 3,
        totalElements: total,
        size: 20,
        number: start / 20,
        sort: { sorted: false, empty: true },
        first: start === 0,
        numberOfElements: content.length,
      },
    }),
    start: byPage(0),
  },
  {
    name: "JSON:API",
    docs: "https://jsonapi.org/format/#fetching-pagination",
    record: (number) => ({
      type: "posts",
      id: String(number),
      attributes: { title: "A", status: "planned", votes: 3 },
    }),
    answer: (data, { start, hasMore, next }) => ({
      body: {
        data,
        links: { self: next("page[number]", 1), next: hasMore ? next("page[number]", start / 20 + 2) : null },
      },
    }),
    start: (query) => Math.max(query("page[number]") - 1, 0) * 20,
    votes: 3,
    status: "planned",
  },
  {
    name: "Relay connections",
    docs: "https://relay.dev/graphql/connections.htm",
    record: (number) => ({ cursor: `e${number}`, node: { ...plain(number), _count: { upvotes: 3 } } }),
    answer: (edges, { end, hasMore }) => ({
      body: {
        data: {
          posts: {
            edges,
            pageInfo: { hasNextPage: hasMore, endCursor: String(end), hasPreviousPage: false },
          },
        },
      },
    }),
    start: (query) => query("after"),
    votes: 3,
    status: "planned",
  },
  {
    name: "Stripe",
    docs: "https://docs.stripe.com/api/pagination",
    record: (number) => ({ ...plain(number), total_votes: 3 }),
    answer: (data, { hasMore }) => ({ body: { object: "list", url: "/v1/posts", has_more: hasMore, data } }),
    start: (_query, asked) => {
      const last = asked.searchParams.get("starting_after");
      return last === null ? 0 : Number(last.slice(1)) + 1;
    },
    size: 10,
    votes: 3,
  },
  {
    name: "PostgREST, which Supabase serves",
    docs: "https://docs.postgrest.org/en/stable/references/api/pagination_count.html",
    record: plain,
    answer: (body, { start, end }) => ({ body, headers: { "content-range": `${start}-${end - 1}/*` } }),
    start: (query) => query("offset"),
  },
  {
    name: "Strapi",
    docs: "https://docs.strapi.io/cms/api/rest/sort-pagination",
    record: (id) => ({ id: id + 1, documentId: `d${id}`, title: "A", status: "planned" }),
    answer: (data, { start, total }) => ({
      body: { data, meta: { pagination: { page: start / 20 + 1, pageSize: 20, pageCount: 3, total } } },
    }),
    start: (query) => Math.max(query("pagination[page]") - 1, 0) * 20,
    status: "planned",
    refusal: "`paging: { kind: page, param: … }`",
    mend: { paging: { kind: "page", param: "pagination[page]" } },
  },
  {
    name: "Directus",
    docs: "https://directus.io/docs/guides/connect/query-parameters",
    record: plain,
    answer: (data) => ({ body: { data } }),
    start: byPageFromOne,
    status: "planned",
  },
  {
    name: "OData",
    docs: "https://docs.oasis-open.org/odata/odata-json-format/v4.01/odata-json-format-v4.01.html",
    record: plain,
    answer: (value, { end, hasMore, total, next }) => ({
      body: {
        "@odata.context": "$metadata#Posts",
        "@odata.count": total,
        value,
        ...(hasMore && { "@odata.nextLink": next("$skiptoken", end) }),
      },
    }),
    start: (query) => query("$skiptoken"),
  },
  {
    name: "Airtable",
    docs: "https://airtable.com/developers/web/api/list-records",
    record: (number) => ({ id: `rec${number}`, createdTime: "2026-01-01T00:00:00Z", fields: { Name: "A" } }),
    answer: (records, { end, hasMore }) => ({ body: { records, ...(hasMore && { offset: `itr/${end}` }) } }),
    start: (_query, asked) => Number(asked.searchParams.get("offset")?.slice(4) ?? 0),
  },
  {
    name: "Intercom",
    docs: "https://developers.intercom.com/docs/build-an-integration/learn-more/rest-apis/pagination-cursor",
    record: plain,
    answer: (data, { start, end, hasMore, total }) => ({
      body: {
        type: "list",
        data,
        total_count: total,
        pages: {
          type: "pages",
          page: start / 20 + 1,
          per_page: 20,
          total_pages: 3,
          ...(hasMore && { next: { page: start / 20 + 2, starting_after: String(end) } }),
        },
      },
    }),
    start: (query) => query("starting_after"),
  },
  {
    name: "Jira",
    docs: "https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination",
    record: plain,
    answer: (values, { start, total, hasMore }) => ({
      body: { startAt: start, maxResults: 20, total, isLast: !hasMore, values },
    }),
    start: (query) => query("startAt"),
  },
  {
    name: "Google",
    docs: "https://google.aip.dev/158",
    record: plain,
    answer: (posts, { end, hasMore }) => ({ body: { posts, nextPageToken: hasMore ? String(end) : "" } }),
    start: (query) => query("pageToken"),
  },
  {
    name: "HubSpot",
    docs: "https://developers.hubspot.com/docs/api-reference/overview",
    record: plain,
    answer: (results, { end, hasMore, next }) => ({
      body: {
        results,
        ...(hasMore && { paging: { next: { after: String(end), link: absolute(next("after", end)) } } }),
      },
    }),
    start: (query) => query("after"),
  },
];

/** Plays a list of 45 posts as an API does; a parameter that it doesn't know is ignored. */
async function play(api: Api) {
  const server = await serve((request, response) => {
    const asked = new URL(request.url ?? "", "http://x");
    const query = (name: string): number => Number(asked.searchParams.get(name) ?? Number.NaN) || 0;
    const size = query(api.sizeParam ?? "") || (api.size ?? 20);
    const start = Math.max(api.start(query, asked), 0);
    const end = Math.min(start + size, count);
    const records = Array.from({ length: Math.max(end - start, 0) }, (_, index) => api.record(start + index));
    const next = (param: string, value: string | number): string => {
      const url = new URL(asked);
      url.searchParams.set(param, String(value));
      return `${url.pathname}${url.search}`;
    };
    const cut: Cut = { start, end, total: count, hasMore: end < count, asked, next };
    const { body, headers = {} } = api.answer(records, cut);
    const text = JSON.stringify(body).replaceAll("http://127.0.0.1/", `http://${request.headers.host}/`);
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(text);
  });
  return (overrides: Partial<ListOverrides>) => pull(givenBoard(server.url, { overrides }));
}

describe("the list of", () => {
  it.each(apis)("$name is read whole, or refused with what mends it ($docs)", async (api) => {
    const read = await play(api);
    if (api.refusal !== undefined) {
      const said = await read({}).then(
        ({ end }) => (end?.kind === "incomplete" ? end.message : "read"),
        (error: unknown) => String(error),
      );
      expect(said).toContain(api.refusal);
    }
    const { posts, end } = await read(api.mend ?? {});
    expect(end).toEqual({ kind: "complete" });
    expect(new Set(posts.map(({ id }) => id)).size).toBe(count);
    expect(posts).toHaveLength(count);
    expect(posts[0]?.values.votes).toBe(api.votes);
    if (api.status !== undefined) expect(posts[0]?.values.status).toBe(api.status);
  });
});
