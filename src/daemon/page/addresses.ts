import { webSiteOf } from "../../model/dialect.ts";
import { asItIs, html, type Markup, own, type Piece, type Writing, writeOut } from "./html.ts";

/** Where the tracker's web pages are, by the address of its API; undefined for a sandbox on loopback, which has none. */
export function siteOf(trackerUrl: string): string | undefined {
  const isSandbox = /^(127\.|\[::1\]|localhost$)/.test(new URL(trackerUrl).hostname);
  return isSandbox ? undefined : webSiteOf(trackerUrl);
}

/** The page of an issue, by its name `owner/name#number`. */
export function issueAddress(site: string | undefined, name: string): string | undefined {
  const [, repository, number] = /^([^/#\s]+\/[^/#\s]+)#(\d+)$/.exec(name) ?? [];
  if (site === undefined || repository === undefined) return undefined;
  return `${site}/${repository.split("/").map(encodeURIComponent).join("/")}/issues/${number}`;
}

/** An address that the board gave, where a browser may follow it. */
export function webAddress(given: unknown): string | undefined {
  if (typeof given !== "string" || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  const isPlain = url.username === "" && url.password === "";
  return isPlain && (url.protocol === "https:" || url.protocol === "http:") ? url.href : undefined;
}

/** From where one looks to the first page: all our addresses begin with it, so the page may stand behind a proxy under any path. */
export function toRoot({ root }: Writing): Markup {
  return own(root);
}

/** `./`, or as many steps up as the path of a request goes down. @param url - of the request. */
export function rootFrom(url: string): string {
  const [path = ""] = url.split("?", 1);
  return "../".repeat(path.split("/").length - 2) || "./";
}

/** An address as a header has it. */
export function headerOf(address: Markup, root: string): string {
  return writeOut(address, { ...asItIs, root });
}

/** What others have chosen, in an address or a field of a form, which browsers keep letter by letter; nothing of it that is secret. */
export function inAddress(text: string, encode: (text: string) => string = encodeURIComponent): Piece {
  return ({ redact }) => own(encode(redact(text).toWellFormed()));
}

/** What was written so; as it stands where it was not. */
export function readAddressed(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** The page of a post. */
export function postAddress(project: string, post: string): Markup {
  return html`${toRoot}post/${own(toSegment(project))}/${inAddress(post, toSegment)}`;
}

/** One post, as an address names it. */
export interface AddressedPost {
  readonly project: string;
  readonly post: string;
}

/** Project and post of such an address; undefined where it is none. */
export function readPostAddress(url: string): AddressedPost | undefined {
  const [, project, post] = /^\/post\/([^/?]+)\/([^/?]+)(?:\?|$)/.exec(url) ?? [];
  if (project === undefined || post === undefined) return undefined;
  try {
    return { project: readSegment(project), post: readSegment(post) };
  } catch {
    return undefined;
  }
}

/**
 * A name as one part of a path. A proxy may decode a path once before it passes it on, and a browser takes dots for a way up: what
 * either would see another path in is encoded twice.
 */
function toSegment(name: string): string {
  const once = encodeURIComponent(name).replaceAll("'", "%27");
  if (!/^\.+$|[/%\\?#]/.test(name)) return once;
  return encodeURIComponent(once.replaceAll(".", "%2E"));
}

function readSegment(segment: string): string {
  // What was encoded once may hold a sign of percent.
  return readAddressed(decodeURIComponent(segment));
}

/** Where orders are sent to. */
export function ordersAddress(): Markup {
  return html`${toRoot}orders`;
}

/** The page of a run. */
export function runAddress(run: number): Markup {
  return html`${toRoot}runs/${run}`;
}

/** The number of the run of such an address; undefined where it is none. */
export function readRunAddress(url: string): number | undefined {
  const [, number] = /^\/runs\/([1-9]\d{0,14})(?:\?|$)/.exec(url) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The list of links, searched as this says; what is undefined or empty is left out. */
export function linksAddress(search: Readonly<Record<string, string | undefined>>): Markup {
  const query = Object.entries(search).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return html`${toRoot}links${query.map(
    ([name, value], index) => html`${own(index === 0 ? "?" : "&")}${own(name)}=${inAddress(value)}`,
  )}`;
}
