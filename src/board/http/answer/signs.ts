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
  /** Where an API documents it. */
  readonly source: string;
  /** Query parameter that takes the value. */
  readonly param?: string;
  /** Names that other things have, too: they count only where paging is to be expected. */
  readonly isPlain?: true;
}

const sources = {
  airtable: "https://airtable.com/developers/web/api/list-records",
  canny: "https://developers.canny.io/api-reference",
  datatables: "https://datatables.net/manual/server-side",
  directus: "https://directus.io/docs/guides/connect/query-parameters",
  discourse: "https://docs.discourse.org/",
  django: "https://www.django-rest-framework.org/api-guide/pagination/",
  gitlab: "https://docs.gitlab.com/api/rest/#pagination",
  google: "https://google.aip.dev/158",
  hal: "https://datatracker.ietf.org/doc/html/draft-kelly-json-hal",
  hubspot: "https://developers.hubspot.com/docs/api-reference/overview",
  jira: "https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination",
  jsonServer: "https://github.com/typicode/json-server/tree/v0#readme",
  jsonApi: "https://jsonapi.org/format/#fetching-pagination",
  laravel: "https://laravel.com/docs/pagination#converting-results-to-json",
  odata: "https://docs.oasis-open.org/odata/odata-json-format/v4.01/odata-json-format-v4.01.html",
  quackback: "https://www.quackback.io/docs/api",
  relay: "https://relay.dev/graphql/connections.htm",
  slack: "https://docs.slack.dev/apis/web-api/pagination",
  spring:
    "https://docs.spring.io/spring-data/commons/docs/current/api/org/springframework/data/domain/Page.html",
  strapi: "https://docs.strapi.io/cms/api/rest/sort-pagination",
  stripe: "https://docs.stripe.com/api/pagination",
  wordpress: "https://developer.wordpress.org/rest-api/using-the-rest-api/pagination/",
} as const;

/** Every name that is a sign, the more telling ones of a meaning first. */
export const signs: readonly Sign[] = [
  { name: "next", meaning: "next", source: sources.django, isPlain: true },
  { name: "nextPage", meaning: "next", source: sources.jira, param: "page" },
  { name: "next_page", meaning: "next", source: sources.gitlab, param: "page" },
  { name: "nextUrl", meaning: "address", source: sources.hal },
  { name: "next_url", meaning: "address", source: sources.hal },
  { name: "nextPageUrl", meaning: "address", source: sources.laravel },
  { name: "next_page_url", meaning: "address", source: sources.laravel },
  { name: "nextLink", meaning: "address", source: sources.odata },
  { name: "@odata.nextLink", meaning: "address", source: sources.odata },
  { name: "more_topics_url", meaning: "address", source: sources.discourse },
  { name: "nextCursor", meaning: "cursor", source: sources.quackback, param: "cursor" },
  { name: "next_cursor", meaning: "cursor", source: sources.slack, param: "cursor" },
  { name: "cursor", meaning: "cursor", source: sources.quackback, param: "cursor", isPlain: true },
  { name: "endCursor", meaning: "cursor", source: sources.relay, param: "after" },
  { name: "end_cursor", meaning: "cursor", source: sources.relay, param: "after" },
  { name: "nextPageToken", meaning: "cursor", source: sources.google, param: "pageToken" },
  { name: "next_page_token", meaning: "cursor", source: sources.google, param: "page_token" },
  { name: "after", meaning: "cursor", source: sources.hubspot, param: "after", isPlain: true },
  { name: "offset", meaning: "token", source: sources.airtable, param: "offset", isPlain: true },
  { name: "hasMore", meaning: "hasMore", source: sources.canny },
  { name: "has_more", meaning: "hasMore", source: sources.stripe },
  { name: "hasNextPage", meaning: "hasMore", source: sources.relay },
  { name: "has_next_page", meaning: "hasMore", source: sources.relay },
  { name: "hasNext", meaning: "hasMore", source: sources.spring },
  { name: "has_next", meaning: "hasMore", source: sources.spring },
  { name: "isLastPage", meaning: "isLast", source: sources.jira },
  { name: "isLast", meaning: "isLast", source: sources.jira },
  { name: "last", meaning: "isLast", source: sources.spring, isPlain: true },
  { name: "page", meaning: "page", source: sources.strapi, isPlain: true },
  { name: "currentPage", meaning: "page", source: sources.laravel },
  { name: "current_page", meaning: "page", source: sources.laravel },
  { name: "pageNumber", meaning: "page", source: sources.spring, isPlain: true },
  { name: "page_number", meaning: "page", source: sources.spring, isPlain: true },
  { name: "number", meaning: "page", source: sources.spring, isPlain: true },
  { name: "x-page", meaning: "page", source: sources.gitlab },
  { name: "totalPages", meaning: "pageCount", source: sources.spring },
  { name: "total_pages", meaning: "pageCount", source: sources.gitlab },
  { name: "pageCount", meaning: "pageCount", source: sources.strapi },
  { name: "page_count", meaning: "pageCount", source: sources.strapi },
  { name: "lastPage", meaning: "pageCount", source: sources.laravel },
  { name: "last_page", meaning: "pageCount", source: sources.laravel },
  { name: "pages", meaning: "pageCount", source: sources.quackback, isPlain: true },
  { name: "x-total-pages", meaning: "pageCount", source: sources.gitlab },
  { name: "x-wp-totalpages", meaning: "pageCount", source: sources.wordpress },
  { name: "offset", meaning: "offset", source: sources.directus, param: "offset", isPlain: true },
  { name: "skip", meaning: "offset", source: sources.canny, param: "skip", isPlain: true },
  { name: "startAt", meaning: "offset", source: sources.jira, param: "startAt", isPlain: true },
  { name: "filter_count", meaning: "total", source: sources.directus },
  { name: "recordsFiltered", meaning: "total", source: sources.datatables },
  { name: "total", meaning: "total", source: sources.strapi },
  { name: "totalCount", meaning: "total", source: sources.relay },
  { name: "total_count", meaning: "total", source: sources.directus },
  { name: "totalElements", meaning: "total", source: sources.spring },
  { name: "totalItems", meaning: "total", source: sources.spring },
  { name: "total_items", meaning: "total", source: sources.spring },
  { name: "totalResults", meaning: "total", source: sources.google },
  { name: "total_results", meaning: "total", source: sources.google },
  { name: "total_entries", meaning: "total", source: sources.gitlab },
  { name: "totalRecords", meaning: "total", source: sources.datatables },
  { name: "total_records", meaning: "total", source: sources.datatables },
  { name: "@odata.count", meaning: "total", source: sources.odata },
  { name: "x-total", meaning: "total", source: sources.gitlab },
  { name: "x-total-count", meaning: "total", source: sources.jsonServer },
  { name: "x-wp-total", meaning: "total", source: sources.wordpress },
  { name: "count", meaning: "count", source: sources.django, isPlain: true },
  { name: "limit", meaning: "size", source: sources.canny, isPlain: true },
  { name: "pageSize", meaning: "size", source: sources.strapi },
  { name: "page_size", meaning: "size", source: sources.strapi },
  { name: "perPage", meaning: "size", source: sources.laravel },
  { name: "per_page", meaning: "size", source: sources.laravel },
  { name: "per", meaning: "size", source: sources.laravel, isPlain: true },
  { name: "maxResults", meaning: "size", source: sources.jira },
  { name: "size", meaning: "size", source: sources.spring, isPlain: true },
  { name: "x-per-page", meaning: "size", source: sources.gitlab },
];

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
