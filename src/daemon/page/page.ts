import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Ledger } from "../../ledger/ledger.ts";
import { asStarted } from "../../sync/ground/remedy.ts";
import { tellTimes } from "../../sync/tell/times.ts";
import type { HttpPart } from "../http.ts";
import { headerOf, linksAddress, readPostAddress, readRunAddress, rootFrom, toRoot } from "./addresses.ts";
import {
  admitGuest,
  createTries,
  type Entry,
  type Gate,
  isCode,
  isSecureRequest,
  judgeVisitor,
  recogniseGuest,
} from "./gate.ts";
import { html, type Markup, own, type Writing, writeOut } from "./html.ts";
import { contentSecurityPolicy, layOut, type RenderedPage } from "./layout.ts";
import { type LinksQuery, renderLinks } from "./links.ts";
import { type Given, type Reader, type Serving, type ServingOptions, serveOrders } from "./orders/orders.ts";
import { renderOverview } from "./overview.ts";
import { renderPost } from "./post.ts";
import { renderRun } from "./run.ts";
import { createPageTimes, type Looking, type PageView } from "./view.ts";
import { renderCommand } from "./words.ts";

/** What the status page is made of. */
export interface PageOptions extends Omit<Writing, "root" | "tell">, ServingOptions {
  /** As it is now: a token may be replaced. */
  gate(): Gate;
  /** Milliseconds since some moment, by a clock that nobody can set. */
  monotonic(): number;
  /** Whether a code that was made with the key lets in, and is used up by that. */
  takeCode(code: string): Promise<boolean>;
  readonly version: string;
  /** As it is now. */
  view(): PageView;
  /** Lets `work` look at the state; undefined where there is none yet. */
  read<T>(work: (ledger: Ledger) => Promise<T>): Promise<T | undefined>;
}

/**
 * The status page: `GET /`, `GET /links`, `GET /runs/N` and `GET /post/PROJECT/POST`. These change nothing, and ask neither side
 * for anything. `POST /orders` takes the orders of whoever may give them. All of it works without any script.
 */
export function pagePart(options: PageOptions): HttpPart {
  const { clock, version, command } = options;
  const judge = ({ headers }: FastifyRequest): Entry => {
    const isSecure = isSecureRequest(headers, options.url());
    const guest = recogniseGuest(options.state(), isSecure, headers.cookie, clock.now());
    return judgeVisitor({ authorization: headers.authorization, guest }, options.gate());
  };
  const recognise = (request: FastifyRequest): Reader | undefined => {
    const entry = judge(request);
    return entry.kind === "open" ? entry : undefined;
  };
  const admit = (request: FastifyRequest, reply: FastifyReply): Reader | undefined => {
    const entry = judge(request);
    if (entry.kind === "open") return entry;
    if (entry.kind === "ask") askForToken(reply);
    else reply.code(403).type("text/plain; charset=utf-8").send(asStarted(closedWords, command));
    return undefined;
  };
  const look = (reader: Reader, ledger: Ledger): Looking => {
    const view = options.view();
    const times = createPageTimes(clock.now(), view.timezone);
    return { view, ledger, times, forms: orders.formsFor(reader) };
  };
  const show = async (
    reply: FastifyReply,
    reader: Reader,
    render: (looking: Looking) => Promise<RenderedPage | Given>,
    done?: string,
  ): Promise<FastifyReply> => {
    const page = (await options.read((ledger) => render(look(reader, ledger)))) ?? nothingYet;
    const root = rootFrom(reply.request.url);
    if ("way" in page)
      return reply
        .code(303)
        .header("location", `${headerOf(page.way, root)}?done=${page.done}`)
        .send();
    const use = orders.formsFor(reader) === undefined ? "Read-only: commands are typed at a terminal. " : "";
    const { timezone } = options.view();
    const foot = html`boardsync ${own(version)}. ${own(use)}Times are in ${timezone}.`;
    const said = done !== undefined && html`<p class="said good" role="status">${done}</p>`;
    return reply
      .code(page.status)
      .headers({ "content-security-policy": contentSecurityPolicy, "referrer-policy": "same-origin" })
      .type("text/html; charset=utf-8")
      .send(
        writeOut(layOut(page, said, foot), {
          ...options,
          root,
          tell: tellTimes(clock.now(), timezone).tell,
        }),
      );
  };
  const orders = serveOrders(options, { admit, show });
  const door = createDoor(options);
  const serve =
    (render: (looking: Looking, request: FastifyRequest) => Promise<RenderedPage>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { code, done } = queryOf(request);
      const isFirst = /^\/\?/.test(request.url);
      if (code !== undefined && isFirst && request.method === "GET") {
        const answer = await door.open(code, request);
        if (answer.kind === "open") {
          return reply.code(303).header("set-cookie", answer.cookie).header("location", "./").send();
        }
        if (answer.kind === "enough" && recognise(request) === undefined) return sendAway(reply);
      }
      const reader = admit(request, reply);
      if (reader === undefined) return reply;
      const told = done !== undefined && request.method === "GET" ? orders.takeDone(reader, done) : undefined;
      return show(reply, reader, (looking) => render(looking, request), told);
    };
  return (server) => {
    server.get("/", serve(overview));
    server.get("/links", serve(links));
    server.get("/post/*", serve(post));
    server.get("/runs/*", serve(run));
    orders.route(server);
    serveUnknown(server, recognise, show);
  };
}

const closedWords =
  "The status page is shut. `boardsync page`, beside the daemon, prints an address that opens it for a day (good once, and for a minute); with BOARDSYNC_HTTP_TOKEN the token opens it. [page.closed]\n";

/** What becomes of a code. */
type Opening = { readonly kind: "open"; readonly cookie: string } | { readonly kind: "shut" | "enough" };

/**
 * Takes codes. A guess is known for one by the code itself: it asks nobody for anything, least of all the state for its lock. Who
 * guesses, or sends old codes, has enough after a few in a minute; nobody else's code is refused for somebody's guesses.
 */
function createDoor({ state, url, clock, monotonic, takeCode }: PageOptions) {
  const guesses = createTries(monotonic);
  const attempts = createTries(monotonic);
  return {
    async open(code: string, { ip, headers }: FastifyRequest): Promise<Opening> {
      const isOurs = isCode(state().codeKey, code);
      if (!(isOurs ? attempts : guesses).isRoom(ip)) return { kind: "enough" };
      if (!isOurs || !(await takeCode(code))) return { kind: "shut" };
      const isSecure = isSecureRequest(headers, url());
      return { kind: "open", cookie: admitGuest(state(), isSecure, clock.now()) };
    },
  };
}

function sendAway(reply: FastifyReply): FastifyReply {
  return reply
    .code(429)
    .header("retry-after", "60")
    .type("text/plain; charset=utf-8")
    .send("Too many wrong codes came within a minute. `boardsync page` prints a good one. [page.guesses]\n");
}

function askForToken(reply: FastifyReply): FastifyReply {
  const reason =
    "The status page asks for BOARDSYNC_HTTP_TOKEN: as the password, with any name, or as `Authorization: Bearer`.";
  return reply
    .code(401)
    .header("www-authenticate", 'Basic realm="boardsync", charset="UTF-8"')
    .type("text/plain; charset=utf-8")
    .send(`${reason} [page.token]\n`);
}

const nothingYet: RenderedPage = {
  status: 200,
  title: "No run yet",
  content: html`<h1>No run yet</h1><p class="lead">There is no state to show. Next: ${renderCommand("boardsync sync")}</p>`,
};

/** Whoever is let in gets a page for an address that is none; others are told what every stranger is told. */
function serveUnknown(
  server: FastifyInstance,
  recognise: (request: FastifyRequest) => Reader | undefined,
  show: Serving["show"],
): void {
  server.get("/*", async (request, reply) => {
    const url = request.url.replace(/\?.*$/s, "");
    const reader = server.hasRoute({ method: "POST", url }) ? undefined : recognise(request);
    if (reader === undefined) return reply.callNotFound();
    return show(reply, reader, async () => missing("No such page", html`There is nothing at this address.`));
  });
}

async function overview(looking: Looking, request: FastifyRequest): Promise<RenderedPage> {
  const content = await renderOverview(looking, queryOf(request)["range"]);
  return { status: 200, title: "Overview", current: "overview", content };
}

async function links(looking: Looking, request: FastifyRequest): Promise<RenderedPage> {
  const content = await renderLinks(looking, queryOf(request));
  return { status: 200, title: "Links", current: "links", content };
}

async function post(looking: Looking, request: FastifyRequest): Promise<RenderedPage> {
  const named = readPostAddress(request.url);
  const content = named && (await renderPost(looking, named));
  if (named !== undefined && content !== undefined) {
    return { status: 200, title: `${named.project}/${named.post}`, content };
  }
  return missing(
    "No such post",
    html`No listing has shown a post of this name, or the config has no such project. <a href="${linksAddress({})}">All links</a>`,
  );
}

async function run(looking: Looking, request: FastifyRequest): Promise<RenderedPage> {
  const number = readRunAddress(request.url);
  const content = number === undefined ? undefined : await renderRun(looking, number);
  if (content !== undefined) return { status: 200, title: `Run ${number}`, content };
  return missing(
    "No such run",
    html`No run has this number, or what it did was deleted (<code>keep</code> in the config).`,
  );
}

function missing(title: string, why: Markup): RenderedPage {
  const content = html`<h1>${title}</h1><p>${why}</p><p><a href="${toRoot}">Overview</a></p>`;
  return { status: 404, title, content };
}

/** The last of several values counts. */
function queryOf({ url }: FastifyRequest): LinksQuery & { readonly code?: string; readonly done?: string } {
  const start = url.indexOf("?");
  return start < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start + 1)));
}
