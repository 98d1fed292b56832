import type { OpenApiValidator } from "../support/openapi.ts";
import { type StageName, type Step, stageNames, stages, steps, type Who } from "./steps.ts";

/** One of two GitHubs that are sent the same: the repository `acme/app`, without anything in it. */
export interface Side {
  readonly origin: string;
  readonly tokens: Readonly<Record<Who, string>>;
  /** Brings the repository into another state. */
  prepare(stage: StageName): Promise<void>;
  close(): Promise<void>;
}

/** What a side answered to one step, without what differs by chance. */
interface Observed {
  readonly step: string;
  /** Each fact by its name: the status, headers, and every value of the body that the program reads. */
  readonly facts: ReadonlyMap<string, string>;
  /** Where GitHub's own description does not agree. */
  readonly complaints: readonly string[];
}

/** Sends every step to a side; each stage is set on a new one. A second passes before each step, by `pass`. */
export async function observe(
  open: () => Promise<Side>,
  validator: OpenApiValidator,
  pass: () => void,
): Promise<readonly Observed[]> {
  const observed = [await observeSteps(await open(), steps, validator, pass)];
  for (const name of stageNames) {
    const side = await open();
    await side.prepare(name);
    observed.push(await observeSteps(side, stages[name], validator, pass));
  }
  return observed.flat();
}

async function observeSteps(
  side: Side,
  asked: readonly Step[],
  validator: OpenApiValidator,
  pass: () => void,
): Promise<readonly Observed[]> {
  const repository = await fetch(`${side.origin}/repos/acme/app`, { headers: headersOf(side, "us") });
  // Both are GitHub's `full-repository`, as one of the steps finds.
  const { id } = (await repository.json()) as { readonly id: number };
  const observed: Observed[] = [];
  let etag: string | undefined;
  let last = Date.now();
  for (const step of asked) {
    pass();
    const path = pathOf(step, id, last);
    if (methodOf(step) !== "GET") last = Date.now();
    const response = await send(side, step, path, etag);
    etag = response.headers.get("etag") ?? undefined;
    const text = await response.text();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const { pathname, searchParams } = new URL(path, side.origin);
    const query = Object.fromEntries(searchParams);
    const request = { method: methodOf(step), path: pathname, query, body: step.body };
    observed.push({
      step: step.name,
      facts: new Map([...headerFacts(response), ...bodyFacts(body)]),
      complaints: pathname === "/graphql" ? [] : validator.checkAnswer(request, response.status, body),
    });
  }
  await side.close();
  return observed;
}

function send(side: Side, step: Step, path: string, etag?: string): Promise<Response> {
  const { who = "us", headers, body, isConditional = false } = step;
  return fetch(`${side.origin}${path}`, {
    method: methodOf(step),
    headers: {
      ...headersOf(side, who),
      ...headers,
      ...(isConditional && etag !== undefined && { "if-none-match": etag }),
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

function headersOf({ tokens }: Side, who: Who): Record<string, string> {
  return { authorization: `Bearer ${tokens[who]}` };
}

function methodOf({ request }: Step): string {
  return request.slice(0, request.indexOf(" "));
}

function pathOf({ request }: Step, repositoryId: number, last: number): string {
  const path = request.slice(request.indexOf(" ") + 1);
  const whole = path.startsWith("~") ? path.slice(1) : `/repos/acme/app${path}`;
  const time = new Date(last).toISOString().replace(/\.\d+Z$/u, "Z");
  return whole.replace("ID", String(repositoryId)).replace("LAST", time);
}

type Fact = readonly [name: string, value: string];

function headerFacts({ status, headers }: Response): readonly Fact[] {
  const links = (headers.get("link") ?? "").matchAll(/\/(repositories|repos)\/[^>]*>; rel="(\w+)"/gu);
  const there = ["location", "etag", "x-ratelimit-remaining", "x-ratelimit-used"]
    .filter((name) => headers.has(name))
    .map((name): Fact => [name, "there"]);
  return [
    ["status", String(status)],
    ...[...links].map(([, folder, rel]): Fact => [`link to ${rel}`, `/${folder}/…`]),
    ...there,
  ];
}

/** What the program reads of the answers, in `src/tracker/github/wire`. All else is the description's matter. */
const isRead = [
  /^body(?:\[\d+\])?\.(?:id|node_id|number|repository_url|title|body|state|state_reason|locked|created_at|updated_at|name|login|message|full_name|has_issues|archived|private|installed_version|milestone|user)$/u,
  /\.(?:user|assignees\[\d+\])\.login$/u,
  /\.(?:labels|type)(?:\[\d+\])?\.(?:name|node_id)$/u,
  /\.milestone\.(?:number|title|state)$/u,
  /\.permissions\.push$/u,
  /\.pull_request\.url$/u,
  /\.errors\[\d+\]\.(?:resource|field|code|value|message)$/u,
  /^body(?:\[\d+\]\.(?:labels|assignees)|\.(?:labels|assignees|errors))?\.length$/u,
];

/** Every value that is read, by where it stands; a list counts its rows. */
function bodyFacts(value: unknown, place = "body"): readonly Fact[] {
  if (Array.isArray(value)) {
    const rows = value.flatMap((row, index) => bodyFacts(row, `${place}[${index}]`));
    return [...factOf(`${place}.length`, value.length), ...rows];
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, inner]) => bodyFacts(inner, `${place}.${name}`));
  }
  return factOf(place, value);
}

function factOf(place: string, value: unknown): readonly Fact[] {
  return isRead.some((pattern) => pattern.test(place)) ? [[place, wordOf(place, value)]] : [];
}

/** A value, or its kind where each GitHub has its own. */
function wordOf(place: string, value: unknown): string {
  if (typeof value === "number" && /(?:\.|_)id$/u.test(place)) return "a number";
  if (typeof value !== "string") return JSON.stringify(value);
  if (/^\d{4}-\d\d-\d\dT[\d:]+Z$/u.test(value)) return "time in seconds";
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u.test(value)) return "time in milliseconds";
  if (/^https?:\/\//u.test(value)) return new URL(value).pathname;
  return place.endsWith("node_id") ? "an id" : JSON.stringify(value);
}

/**
 * All that is not the same, a line each: the step, the fact, `emulate`'s, the sandbox's; or the step and what GitHub's
 * description says of the one or the other. Where two answers are not of one kind, or two lists not of one length, that alone.
 */
export function compare(emulated: readonly Observed[], sandboxed: readonly Observed[]): readonly string[] {
  return emulated.flatMap(({ step, facts, complaints }, index) => {
    const other = sandboxed[index];
    const others = other?.facts ?? new Map<string, string>();
    const names = [...new Set([...facts.keys(), ...others.keys()])];
    const differing = names.filter((name) => facts.get(name) !== others.get(name));
    const decisive = ["status", "body.length"].find((name) => differing.includes(name));
    return [
      ...differing
        .filter((name) => decisive === undefined || name === decisive)
        .map((name) => [step, name, facts.get(name) ?? "none", others.get(name) ?? "none"].join(" · ")),
      ...complaints.map((complaint) => `${step} · emulate · ${complaint}`),
      ...(other?.complaints ?? []).map((complaint) => `${step} · sandbox · ${complaint}`),
    ];
  });
}
