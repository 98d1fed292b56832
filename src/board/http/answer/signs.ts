/** What a sign tells of. `token` is a cursor under the name of a number; `next` is an address, a cursor, a page number, or an object that holds one of them. */
export type SignMeaning =
  | "next"
  | "address"
  | "cursor"
  | "token"
  | "hasMore"
  | "isLast"
  | "page"
  | "pageCount"
  | "offset"
  | "total"
  | "count"
  | "size";

/** What a name means, wherever it stands. */
export interface Sign {
  readonly name: string;
  readonly meaning: SignMeaning;
  /** Query parameter that takes the value. */
  readonly param?: string;
  /** Names that other things have, too: they count only where paging is to be expected. */
  readonly isPlain?: true;
}

const plain = { isPlain: true } as const;

/**
 * Every name that is a sign, the more telling ones of a meaning first. They stand in what these document: Airtable, Atlassian (Jira),
 * Canny, DataTables, Directus, Discourse, Django, GitLab, Google (AIP-158), HAL, HubSpot, JSON Server, Laravel, OData, Quackback,
 * Relay, Slack, Spring, Strapi, Stripe and WordPress; `test/board/http/documented.test.ts` has their answers, with the addresses.
 */
const names: readonly (readonly [meaning: SignMeaning, names: string, more?: Partial<Sign>])[] = [
  ["next", "next", plain],
  ["next", "nextPage next_page", { param: "page" }],
  ["address", "nextUrl next_url nextPageUrl next_page_url nextLink @odata.nextLink more_topics_url"],
  ["cursor", "nextCursor next_cursor", { param: "cursor" }],
  ["cursor", "cursor", { param: "cursor", ...plain }],
  ["cursor", "endCursor end_cursor", { param: "after" }],
  ["cursor", "nextPageToken", { param: "pageToken" }],
  ["cursor", "next_page_token", { param: "page_token" }],
  ["cursor", "after", { param: "after", ...plain }],
  ["token", "offset", { param: "offset", ...plain }],
  ["hasMore", "hasMore has_more hasNextPage has_next_page hasNext has_next"],
  ["isLast", "isLastPage isLast"],
  ["isLast", "last", plain],
  ["page", "page", plain],
  ["page", "currentPage current_page"],
  ["page", "pageNumber page_number number", plain],
  ["page", "x-page"],
  ["pageCount", "totalPages total_pages pageCount page_count lastPage last_page"],
  ["pageCount", "pages", plain],
  ["pageCount", "x-total-pages x-wp-totalpages"],
  ["offset", "offset", { param: "offset", ...plain }],
  ["offset", "skip", { param: "skip", ...plain }],
  ["offset", "startAt", { param: "startAt", ...plain }],
  ["total", "filter_count recordsFiltered total totalCount total_count totalElements totalItems total_items"],
  ["total", "totalResults total_results total_entries totalRecords total_records @odata.count"],
  ["total", "x-total x-total-count x-wp-total"],
  ["count", "count", plain],
  ["size", "limit", plain],
  ["size", "pageSize page_size perPage per_page"],
  ["size", "per", plain],
  ["size", "maxResults"],
  ["size", "size", plain],
  ["size", "x-per-page"],
];

export const signs: readonly Sign[] = names.flatMap(([meaning, spellings, more]) =>
  spellings.split(" ").map((name): Sign => ({ name, meaning, ...more })),
);

/** What is called like this is about paging. */
export const likelyNames = /pag|meta|cursor|link|info|range|nav/i;

/** Headers that are signs beside those in the table. */
const otherHeaders = [
  "link", // RFC 8288
  "content-range", // RFC 9110, section 14.4; PostgREST
  "x-next-page", // GitLab
];

const signHeaders = [
  ...otherHeaders,
  ...signs.map(({ name }) => name).filter((name) => name.startsWith("x-")),
];

/** The headers of an answer that are signs: a page is another one when one of them changes. */
export function signHeadersOf(headers: Readonly<Record<string, string>>): [name: string, value: string][] {
  return signHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
}
