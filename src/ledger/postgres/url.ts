/** A URL as messages show it: without its password, and without what else it hands over. */
export function showPlace(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `postgres://${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
  } catch {
    return "postgres://…";
  }
}
