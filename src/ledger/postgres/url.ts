/**
 * A URL as messages show it: without its password, and without what else it hands over. Of one that a password has cut in the
 * wrong place nothing is shown.
 */
export function showPlace(url: string): string {
  try {
    const { hostname, port, pathname, search, hash } = new URL(url);
    if (`${pathname}${search}${hash}`.includes("@")) return "postgres://…";
    return `postgres://${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
  } catch {
    return "postgres://…";
  }
}
