import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import { at } from "../wire/client.ts";
import { type Read, requireOk, TooHeavyError } from "../wire/reader.ts";
import { word } from "../wire/shapes.ts";
import type { Quote } from "../wire/words.ts";

/** More than any of our queries can earn; beyond it the answer is not GitHub's. */
const errorLimit = 10_000;

/** A GraphQL query with its variables, and what it is called in a message. */
export interface QueryRequest {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly subject: string;
  /** Less of it can be asked for: what is too heavy is not repeated as it is. */
  readonly isDivisible?: boolean;
}

/** One of the errors beside, or instead of, the data. */
export interface QueryError {
  /** Such as `NOT_FOUND`, `FORBIDDEN`, `INSUFFICIENT_SCOPES`; undefined for an error in the query itself. */
  readonly type: string | undefined;
  /** What it makes null, from the data's root on; empty where it names nothing. */
  readonly path: readonly (string | number)[];
  /** Lines of the query, from 0. */
  readonly lines: readonly number[];
  /** Whether the server does not know what the query asks for. */
  readonly isUnknownToServer: boolean;
  readonly message: string;
  /** Whether GitHub did not get done with it, or does not begin with so much. */
  readonly isTooHeavy: boolean;
}

/** What GraphQL answered: data, perhaps in part, and errors. Without data the query as a whole was refused. */
export interface QueryAnswer {
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly errors: readonly QueryError[];
}

/**
 * Asks GraphQL. A query changes nothing, so it is repeated like any other read.
 *
 * @throws RemoteError; a TooHeavyError where GitHub did not get done with it, also where it gave a part.
 */
export type Query = (request: QueryRequest) => Promise<QueryAnswer>;

/** See `Query`. Partial data is kept: Octokit's own GraphQL client would throw it away. */
export function createQuery(read: Read, url: string, quote: Quote): Query {
  // `https://api.github.com/graphql`, and `https://HOST/api/graphql` beside the `/api/v3` of an Enterprise Server.
  const address = `${url.replace(/\/v3$/, "")}/graphql`;
  return async ({ text, variables, subject, isDivisible = false }) => {
    const parameters = { address, query: text, variables };
    const request = { endpoint: at("POST {+address}"), parameters, subject, isDivisible };
    const { data: body } = requireOk(await read(request), request, quote);
    const answered = bodyShape.safeParse(body).data;
    const errors = (answered?.errors ?? []).map((error) => readError(error, quote));
    const data = answered?.data;
    if (data === undefined && errors.length === 0) throw unreadable(subject);
    const heavy = errors.find(({ isTooHeavy }) => isTooHeavy);
    if (heavy !== undefined) throw describeHeavy(subject, heavy.message);
    return { data, errors };
  };
}

/** GitHub's words for a query that was too much at once. */
export function describeHeavy(subject: string, words: string): TooHeavyError {
  const message = `GitHub's GraphQL gave no data about ${subject} (${words}).`;
  return new TooHeavyError("tracker", "unreachable", message, { detail: "server" });
}

/** As types, and as codes of extensions. */
const heavyTypes = /^(?:RESOURCE_LIMITS?_EXCEEDED|MAX_NODE_LIMIT_EXCEEDED|QUERY_TIMEOUT|TIMEOUT|TIMEDOUT)$/i;
const heavyWords =
  /^something went wrong while executing your query|may be the result of a timeout|\bresource limits? (?:for this query )?exceeded|couldn't respond to your request in time|\bnode limit\b/i;

const errorShape = z.object({
  type: word,
  message: word,
  path: z.array(z.union([z.string(), z.int()])).catch([]),
  locations: z.array(z.object({ line: z.number() }).catch({ line: 0 })).catch([]),
  extensions: z.object({ code: word }).catch({}),
});

const bodyShape = z.object({
  data: z.record(z.string(), z.unknown()).optional().catch(undefined),
  errors: z
    .array(errorShape.catch({ path: [], locations: [], extensions: {} }))
    .max(errorLimit)
    .nullish(),
});

function readError(error: z.output<typeof errorShape>, quote: Quote): QueryError {
  const { type, path, locations, extensions, message } = error;
  const { code } = extensions;
  return {
    type: type === undefined ? undefined : quote(type),
    path,
    lines: locations.map(({ line }) => line - 1),
    isUnknownToServer: type === undefined && code !== undefined,
    message: message === undefined ? "an error without words" : quote(message),
    isTooHeavy: [type, code].some((one) => heavyTypes.test(one ?? "")) || heavyWords.test(message ?? ""),
  };
}

function unreadable(subject: string): RemoteError {
  return new RemoteError("tracker", "unreadable", `GitHub's GraphQL gave no readable answer for ${subject}.`);
}
