/** What stands in a report for names that nobody else is to read. */
export interface Names {
  /** For a project, as the config calls it. */
  project(key: string): string;
  /** For a status of the board: itself, where it looks like one. */
  status(text: string): string;
  /** For a key of the board's answers, or a path of keys: itself, where it looks like one. */
  keys(path: string): string;
}
