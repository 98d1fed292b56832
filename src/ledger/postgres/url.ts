/** Whether `state` names a PostgreSQL server, and not a file. */
export function isPostgresUrl(state: string): boolean {
  return /^postgres(ql)?:/i.test(state);
}

/** A URL as messages show it: without its password, and without what else it hands over. */
export function showPlace(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `postgres://${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
  } catch {
    return "postgres://…";
  }
}
