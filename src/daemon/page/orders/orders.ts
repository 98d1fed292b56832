import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ConfigError, RemoteError } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import type { Clock } from "../../../model/surroundings.ts";
import { minuteMs } from "../../../model/time.ts";
import type { Nothing } from "../../../sync/orders/foresight.ts";
import type { Tracker } from "../../../tracker/tracker.ts";
import { toRoot } from "../addresses.ts";
import type { Entry } from "../gate.ts";
import { html, type Markup } from "../html.ts";
import type { RenderedPage } from "../layout.ts";
import { hand, isSameSecret, type PageState, takeBack } from "../seals.ts";
import type { Looking } from "../view.ts";
import { renderSentence } from "../words.ts";
import { foresee, printOf, type Question } from "./foresee.ts";
import { type OrderForms, type PageOrder, readOrder, sealOrder, wayBackOf } from "./order.ts";
import { renderQuestion } from "./question.ts";

/** What orders are carried out with. */
export interface OrderOptions {
  /** `http.orders`, as it is now. */
  isOn(): boolean;
  tracker(): Pick<Tracker, "repository" | "readIssue">;
  /** Starts the run of a project at once. */
  start(project: string): void;
  readonly log: Log;
  /** Ends what is being asked of GitHub. */
  readonly signal: AbortSignal;
}

/** Whoever may read the page. */
export type Reader = Extract<Entry, { kind: "open" }>;

/** What pages and their orders are served with. */
export interface ServingOptions {
  readonly clock: Pick<Clock, "now">;
  /** What the processes on the state have in common. */
  state(): PageState;
  /** `http.url`, as it is now. */
  url(): string | undefined;
  readonly orders: OrderOptions;
}

/** An order was given: the way back to where its form stood, with what is said there. */
export interface Given {
  readonly way: Markup;
  /** Of the address. */
  readonly done: string;
}

/** How the page answers. */
export interface Serving {
  /** Lets in, or answers by itself and gives undefined. */
  admit(request: FastifyRequest, reply: FastifyReply): Reader | undefined;
  /** Shows a page, or leads back to one. */
  show(
    reply: FastifyReply,
    reader: Reader,
    render: (looking: Looking) => Promise<RenderedPage | Given>,
  ): Promise<FastifyReply>;
}

/** More than any form of the page sends. */
const maxFormBytes = 8 * 1024;
/** Nobody looks at a question for longer than this, ms. */
const lifeMs = 15 * minuteMs;
const mostTold = 500;
/** How long GitHub may take to say whether an issue exists. */
const askMs = 15_000;

/** A question that somebody was asked. */
interface AskedQuestion {
  readonly order: PageOrder;
  /** Of what was shown. */
  readonly print: string;
}

/**
 * `POST /orders`, twice for each order: the first shows what will happen, with a form of its own that is good once; that form
 * carries it out, unless something else would happen by now. Requests come from forms of this very page only: see `whyRefused`.
 */
export function serveOrders(
  { orders: options, state, url, clock: { now } }: ServingOptions,
  { admit, show }: Serving,
) {
  const formOf = ({ session }: Reader) => ({ purpose: "form", session, lifeMs });
  const doneOf = ({ session }: Reader) => ({ purpose: "done", session, lifeMs });
  /** What this process has told already, of the last times. */
  const told = new Set<string>();
  const readers = new WeakMap<FastifyRequest, Reader>();
  // Two people may say yes at once: the second one is answered when what the first one asked for is written down.
  let last: Promise<unknown> = Promise.resolve();
  const oneByOne = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };

  const look = (order: PageOrder, looking: Looking): Promise<Question | Nothing> => {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(askMs)]);
    const bounds = { until: looking.times.now + askMs, signal };
    return tellFaults(foresee(order, looking, { tracker: options.tracker(), bounds }));
  };
  const ask = (reader: Reader, order: PageOrder, question: Question, isAgain: boolean): RenderedPage => {
    const asked: AskedQuestion = { order, print: printOf(question) };
    const form = hand(state().pageKey, formOf(reader), JSON.stringify(asked), now());
    const content = renderQuestion(order, question, form, isAgain);
    return { status: isAgain ? 409 : 200, title: question.question, content };
  };
  const answerFirst = async (reader: Reader, fields: URLSearchParams, looking: Looking) => {
    const order = readOrder(fields);
    const isSealed = (one: PageOrder): boolean =>
      isSameSecret(fields.get("seal") ?? "", sealOrder(state().pageKey, reader.session, one));
    if (order === undefined || !isSealed(order)) return refusal(403, ...strangeForm);
    const seen = await look(order, looking);
    return "nothing" in seen ? sayNothing(order, seen, 200) : ask(reader, order, seen, false);
  };
  const answerSecond = async (reader: Reader, form: string, looking: Looking) => {
    const { ledger, view } = looking;
    const asked = takeBack(state().pageKey, formOf(reader), form, now());
    // What is looked at afterwards is no older than this: whichever process was quicker has used it up.
    const isFirst = asked && (await ledger.runs.useForm(asked.print, asked.until, now()));
    if (!isFirst) return refusal(409, ...usedForm);
    const { order, print }: AskedQuestion = JSON.parse(asked.text);
    const seen = await look(order, looking);
    if ("nothing" in seen) return sayNothing(order, seen, 409);
    if (printOf(seen) !== print) return ask(reader, order, seen, true);
    await ledger.commit(seen.asks({ at: now(), by: "page" }));
    const { kind, project, post } = order;
    options.log.info(
      { project, order: kind, ...(post !== "" && { post }) },
      "An order was given on the page",
    );
    // A pause counts at once, and asks for nothing to be done.
    const started = project === "" ? view.projects.map((one) => one.project.key) : [project];
    if (kind !== "pause") for (const key of started) options.start(key);
    const words = `${seen.done}.${kind === "run" || kind === "pause" ? "" : " A run starts now and does it."}`;
    return { way: wayBackOf(order), done: hand(state().pageKey, doneOf(reader), words, now()) };
  };

  return {
    /** For the pages of whoever may give orders; undefined for everybody else. */
    formsFor({ mayOrder, session }: Reader): OrderForms | undefined {
      if (!mayOrder || !options.isOn()) return undefined;
      return { seal: (order) => sealOrder(state().pageKey, session, order) };
    },
    /** What was done a moment ago, once. */
    takeDone(reader: Reader, token: string): string | undefined {
      const passed = takeBack(state().pageKey, doneOf(reader), token, now());
      if (passed === undefined || told.has(passed.print)) return undefined;
      told.add(passed.print);
      const [first] = told;
      if (told.size > mostTold && first !== undefined) told.delete(first);
      return passed.text;
    },
    route(server: FastifyInstance): void {
      void server.register((scope, _options, ready) => {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser(
          "application/x-www-form-urlencoded",
          { parseAs: "string", bodyLimit: maxFormBytes },
          (_request, body, take) => take(null, new URLSearchParams(String(body))),
        );
        scope.post(
          "/orders",
          {
            // Before anything of the body is read.
            async onRequest(request, reply) {
              const reader = admit(request, reply);
              if (reader === undefined) return reply;
              const refused = whyRefused(request, reader, options.isOn(), url());
              if (refused !== undefined) return show(reply, reader, async () => refusal(403, ...refused));
              readers.set(request, reader);
              return undefined;
            },
          },
          async (request, reply) => {
            const reader = readers.get(request);
            const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
            if (reader === undefined) return reply.code(403).send();
            const form = fields.get("form");
            return show(reply, reader, (looking) =>
              form === null
                ? answerFirst(reader, fields, looking)
                : oneByOne(() => answerSecond(reader, form, looking)),
            );
          },
        );
        ready();
      });
    },
  };
}

/** What is said where nothing is done: a heading, and a sentence with its code. */
type Words = readonly [heading: string, sentence: string];

const strangeForm: Words = [
  "Nothing was done: this form is not known",
  "It was made for somebody else, or on another state. Open the page again and take its form. [page.form]",
];
const usedForm: Words = [
  "Nothing was done: this form is used up",
  "It was sent before, or is older than 15 minutes. The page shows how things stand now. [page.used]",
];

/** Why no order is taken from this request, whatever it says; undefined where it may be one. */
function whyRefused(
  { headers }: FastifyRequest,
  { mayOrder }: Reader,
  isOn: boolean,
  url: string | undefined,
): Words | undefined {
  if (!isOn)
    return [
      "Nothing was done: the page takes no orders",
      "The config says `http.orders: false`. Orders are given at a terminal. [page.orders]",
    ];
  if (!mayOrder)
    return [
      "Nothing was done: you may only read",
      "BOARDSYNC_HTTP_READ_TOKEN gives no orders; BOARDSYNC_HTTP_TOKEN does, and so does an address of `boardsync page`. [page.read]",
    ];
  const { origin, host, "sec-fetch-site": site } = headers;
  // Another site's form would bring cookie or password along. A browser says where a form stood, and no script can change that.
  const hosts = [host?.toLowerCase(), ...(url === undefined ? [] : [new URL(url).host])];
  const isOwn = origin !== undefined && URL.canParse(origin) && hosts.includes(new URL(origin).host);
  if (isOwn && (site === undefined || site === "same-origin")) return undefined;
  return [
    "Nothing was done: the form came from elsewhere",
    "Orders are taken from this page alone: `Origin` has to name the host of `Host`, or of `http.url`. A proxy before the daemon has to pass `Host` on as it is, or `http.url` names where it is. [page.origin]",
  ];
}

function sayNothing(order: PageOrder, { nothing }: Nothing, status: number): RenderedPage {
  const heading =
    status === 409 ? "Nothing was done: it has changed since it was shown" : "There is nothing to do";
  return refusal(status, heading, nothing, wayBackOf(order));
}

function refusal(
  status: number,
  heading: string,
  sentence: string,
  wayBack: Markup = html`${toRoot}`,
): RenderedPage {
  const content = html`<h1>${heading}</h1><p>${renderSentence(sentence)}</p><p><a href="${wayBack}">Back to the page</a></p>`;
  return { status, title: heading, content };
}

/** What a person can mend is an answer, too. */
async function tellFaults(found: Promise<Question | Nothing>): Promise<Question | Nothing> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ConfigError) return { nothing: error.problems.join(" ") };
    if (error instanceof RemoteError)
      return { nothing: `GitHub could not be asked for the issue: ${error.message}` };
    throw error;
  }
}
