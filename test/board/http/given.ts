import type { IncomingMessage, ServerResponse } from "node:http";
import type { Board, ListEnd, PostPage } from "../../../src/board/board.ts";
import { createHttpBoard, type HttpBoardOptions } from "../../../src/board/http/http.ts";
import { RemoteError } from "../../../src/errors.ts";
import type { ProxySettings } from "../../../src/http/connections.ts";
import { createSender } from "../../../src/http/send.ts";
import type { Log } from "../../../src/log.ts";
import type { Post, PostId, ProjectId } from "../../../src/model/post.ts";
import type { Clock, ReadBounds, Traffic } from "../../../src/model/surroundings.ts";
import { listenHttp } from "../../support/servers.ts";

/** What most tests of the board start from. */

export const key = "secret-board-key-4711";
export const project = "prj_1" as ProjectId;

export function postId(text: string): PostId {
  return text as PostId;
}

/** A clock that stands still, but for what was slept; it remembers every pause. */
export interface FakeClock extends Clock {
  readonly pauses: number[];
}

export function createFakeClock(start = 1_000_000): FakeClock {
  const pauses: number[] = [];
  let now = start;
  return {
    pauses,
    now: () => now,
    sleep(ms) {
      pauses.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

/** A log that keeps its lines. */
export function createMemoryLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const add = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { lines, debug: add, info: add, warn: add, error: add };
}

interface GivenOptions extends Partial<HttpBoardOptions> {
  readonly proxy?: ProxySettings;
  readonly timeoutMs?: number;
  readonly bodyBytes?: number;
}

export function givenBoard(url: string, given: GivenOptions = {}): Board & Traffic {
  const { proxy = {}, timeoutMs = 5000, bodyBytes = 32 * 1024 * 1024, ...options } = given;
  const { clock = createFakeClock() } = options;
  return createHttpBoard({
    url,
    key,
    version: "1.2.3",
    sender: createSender({ proxy, timeoutMs, bodyBytes, clock }),
    retries: 0,
    clock,
    random: () => 0.5,
    log: createMemoryLog(),
    ...options,
  });
}

export function bounds(options: Partial<ReadBounds> = {}): ReadBounds {
  return { until: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal, ...options };
}

/** A server on loopback that ends with the test. */
export async function serve(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly url: string; readonly origin: string }> {
  const origin = await listenHttp(respond);
  return { origin, url: `${origin}/api/v1` };
}

export interface Canned {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes as they are, anything else as JSON. */
  readonly body?: unknown;
}

/** A server that gives these answers, one after the other and the last one for ever, and remembers what was asked. */
export async function serveAnswers(answers: readonly Canned[]) {
  const asked: { method: string; url: string; headers: IncomingMessage["headers"] }[] = [];
  const server = await serve((request, response) => {
    const { status = 200, headers = {}, body } = answers[Math.min(asked.length, answers.length - 1)] ?? {};
    asked.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers });
    response.writeHead(status, { "content-type": "application/json", ...headers });
    const isPlain = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    response.end(isPlain ? body : JSON.stringify(body));
  });
  return { ...server, asked };
}

export interface Pull {
  readonly pages: readonly PostPage[];
  readonly posts: readonly Post[];
  readonly end: ListEnd | undefined;
}

/** Reads a listing to its end. */
export async function pull(board: Board, of: ProjectId = project): Promise<Pull> {
  const pages: PostPage[] = [];
  for await (const page of board.listPosts(of, bounds())) pages.push(page);
  return { pages, posts: pages.flatMap((page) => page.posts), end: pages.at(-1)?.end };
}

/** The error that a read ends with. */
export async function failureOf(reading: Promise<unknown>): Promise<RemoteError> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof RemoteError) return error;
    throw error;
  }
  throw new Error("The read was expected to fail.");
}

/** Some records with an id and a title. */
export function records(count: number, from = 1): { id: string; title: string }[] {
  return Array.from({ length: count }, (_, index) => ({ id: `p${from + index}`, title: "A post" }));
}
