/** The state's one writer. Held by the process: gone with it, whatever happens to it. */
export interface StateLock {
  /** The copy of the state as it was, where an older schema was brought up to date. */
  readonly copy: string | undefined;
  release(): void;
}
