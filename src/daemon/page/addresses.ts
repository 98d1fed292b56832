/** Where the tracker's web pages are, by the address of its API; undefined for a sandbox on loopback, which has none. */
export function siteOf(trackerUrl: string): string | undefined {
  const { hostname, origin } = new URL(trackerUrl);
  if (/^(127\.|\[::1\]|localhost$)/.test(hostname)) return undefined;
  if (hostname === "api.github.com") return "https://github.com";
  return hostname.endsWith(".ghe.com") ? origin.replace("//api.", "//") : origin;
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

/** The page of a post. */
export function postAddress(project: string, post: string): string {
  return `/post/${encodeURIComponent(project)}/${encodeURIComponent(post)}`;
}

/** Project and post of such an address; undefined where it is none. */
export function readPostAddress(
  url: string,
): { readonly project: string; readonly post: string } | undefined {
  const [, project, post] = /^\/post\/([^/?]+)\/([^/?]+)(?:\?|$)/.exec(url) ?? [];
  if (project === undefined || post === undefined) return undefined;
  try {
    return { project: decodeURIComponent(project), post: decodeURIComponent(post) };
  } catch {
    return undefined;
  }
}

/** The page of a run. */
export function runAddress(run: number): string {
  return `/runs/${run}`;
}

/** The number of the run of such an address; undefined where it is none. */
export function readRunAddress(url: string): number | undefined {
  const [, number] = /^\/runs\/([1-9]\d{0,14})(?:\?|$)/.exec(url) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The list of links, searched as this says; what is undefined or empty is left out. */
export function linksAddress(search: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) if (value) query.append(name, value);
  return query.size === 0 ? "/links" : `/links?${query}`;
}
