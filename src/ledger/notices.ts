/** What people were told of, so that nobody is told the same thing again and again. */
export interface Notices {
  /** Of the last days. */
  said(): Promise<readonly SaidNotice[]>;
}

/** One thing that was said. */
export interface SaidNotice {
  /** What it is about, as a key of the caller's. */
  readonly cause: string;
  /** What was said of it: another text is news. */
  readonly state: string;
  readonly at: number;
}
