import { dayMs, readInstant } from "../model/time.ts";

/** What both sides say in headers, by their names in lower case. */
type Headers = Readonly<Record<string, string | number | undefined>>;

/** A longer time than this is taken as this, whatever names it: no header may put boardsync to sleep for good. */
export const longestNamedMs = dayMs;

/**
 * When the other side wants to be asked again, in epoch ms. `Retry-After` is a number of seconds or an HTTP date (RFC 9110, section
 * 10.2.3); some servers put a time since 1970 there. Anything else, and a time in the past, counts as no time.
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const text = String(headers["retry-after"] ?? "").trim();
  const isSeconds = /^\d+$/.test(text) && !/^\d{10,14}$/.test(text);
  const at = isSeconds ? now + Number(text) * 1000 : onOurClock(readInstant(text), headers, now);
  return at > now ? Math.min(at, now + longestNamedMs) : undefined;
}

/**
 * A time of the server's clock on ours: what lies between the two counts, by the answer's own `Date`. A clock that is a
 * minute ahead would otherwise ask a minute too early, while a limit still holds.
 */
export function onOurClock(time: number, headers: Headers, now: number): number {
  const told = readInstant(headers["date"]);
  return Number.isNaN(told) ? time : now + time - told;
}

/** The addresses that a `Link` header names (RFC 8288), by their relations in lower case; of several the first. */
export function readLinks(header: unknown): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const [, target = "", parameters = ""] of String(header ?? "").matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
    for (const relation of (quoted ?? bare ?? "").toLowerCase().split(/\s+/)) {
      if (!links.has(relation)) links.set(relation, target);
    }
  }
  return links;
}
