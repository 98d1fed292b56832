import type { FastifyReply, FastifyRequest } from "fastify";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Clock } from "../../model/surroundings.ts";
import type { HttpPart } from "../http.ts";
import { readPostAddress } from "./addresses.ts";
import { createGuests, type Gate, judgeVisitor } from "./gate.ts";
import { html, type Markup } from "./html.ts";
import { contentSecurityPolicy, type Frame, layOut } from "./layout.ts";
import { type LinksQuery, renderLinks } from "./links.ts";
import { renderOverview } from "./overview.ts";
import { renderPost } from "./post.ts";
import { createTimes, type Looking, type PageView } from "./view.ts";

/** What the status page is made of. */
export interface PageOptions {
  /** As it is now: a token may be replaced. */
  gate(): Gate;
  readonly clock: Pick<Clock, "now">;
  /** Milliseconds since some moment, by a clock that nobody can set. */
  monotonic(): number;
  /** Whether a code of `boardsync page` lets in, and is used up by that. */
  takeCode(code: string): Promise<boolean>;
  readonly version: string;
  /** As it is now. */
  view(): PageView;
  /** Lets `work` look at the state; undefined where there is none yet. */
  read<T>(work: (ledger: Ledger) => Promise<T>): Promise<T | undefined>;
  /** Takes out whatever is secret: the words of the other sides may hold anything. */
  redact(text: string): string;
}

/** One page: what stands on it, or that there is none. */
interface Answer extends Pick<Frame, "title" | "current"> {
  readonly status: number;
  readonly content: Markup;
}

/**
 * The status page: `GET /`, `GET /links` and `GET /post/PROJECT/POST`. It changes nothing, asks neither side for anything, and
 * works without any script.
 */
export function pagePart(options: PageOptions): HttpPart {
  const { clock, version } = options;
  const guests = createGuests(options.monotonic);
  const serve =
    (render: (looking: Looking, request: FastifyRequest) => Promise<Answer>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { code } = queryOf(request);
      if (code !== undefined && request.method === "GET" && (await options.takeCode(code))) {
        const cookie = guests.admit(request.headers["x-forwarded-proto"] === "https");
        return reply.code(303).header("set-cookie", cookie).header("location", "/").send();
      }
      const { authorization, cookie } = request.headers;
      const verdict = judgeVisitor({ authorization, isGuest: guests.isGuest(cookie) }, options.gate());
      if (verdict === "ask") return askForToken(reply);
      if (verdict === "closed") return reply.code(403).type("text/plain; charset=utf-8").send(closedWords);
      const view = options.view();
      const times = createTimes(clock.now(), view.timezone);
      const answer = (await options.read((ledger) => render({ view, ledger, times }, request))) ?? nothingYet;
      const foot = `boardsync ${version}. Read-only: commands are typed at a terminal. Times are in ${view.timezone}.`;
      return reply
        .code(answer.status)
        .header("content-security-policy", contentSecurityPolicy)
        .type("text/html; charset=utf-8")
        .send(options.redact(layOut({ title: answer.title, current: answer.current, foot }, answer.content)));
    };
  return (server) => {
    server.get("/", serve(overview));
    server.get("/links", serve(links));
    server.get("/post/*", serve(post));
  };
}

const closedWords =
  "The status page is shut. `boardsync page`, beside the daemon, prints an address that opens it for a day (good once, and for a minute); with BOARDSYNC_HTTP_TOKEN the token opens it. [page.closed]\n";

function askForToken(reply: FastifyReply): FastifyReply {
  const reason =
    "The status page asks for BOARDSYNC_HTTP_TOKEN: as the password, with any name, or as `Authorization: Bearer`.";
  return reply
    .code(401)
    .header("www-authenticate", 'Basic realm="boardsync", charset="UTF-8"')
    .type("text/plain; charset=utf-8")
    .send(`${reason} [page.token]\n`);
}

const nothingYet: Answer = {
  status: 200,
  title: "No run yet",
  current: undefined,
  content: html`<h1>No run yet</h1><p class="lead">There is no state to show. Next: <code class="command">boardsync plan</code></p>`,
};

async function overview(looking: Looking, request: FastifyRequest): Promise<Answer> {
  const { range } = queryOf(request);
  return {
    status: 200,
    title: "Overview",
    current: "overview",
    content: await renderOverview(looking, range),
  };
}

async function links(looking: Looking, request: FastifyRequest): Promise<Answer> {
  return {
    status: 200,
    title: "Links",
    current: "links",
    content: await renderLinks(looking, queryOf(request)),
  };
}

async function post(looking: Looking, request: FastifyRequest): Promise<Answer> {
  const named = readPostAddress(request.url);
  const content = named && (await renderPost(looking, named));
  if (named !== undefined && content !== undefined) {
    return { status: 200, title: `${named.project}/${named.post}`, current: undefined, content };
  }
  const missing = html`<h1>No such post</h1>
    <p>No listing has shown a post of this name, or the config has no such project. <a href="/links">All links</a></p>`;
  return { status: 404, title: "No such post", current: undefined, content: missing };
}

/** The last of several values counts. */
function queryOf({ url }: FastifyRequest): LinksQuery & { readonly code?: string } {
  const start = url.indexOf("?");
  return start < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start + 1)));
}
