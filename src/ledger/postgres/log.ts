/**
 * The one order of all that is committed to a shared state. Each entry is what one transaction has made of the rows; whoever
 * has made all entries in their order has the state.
 */
export interface SharedLog {
  /**
   * Waits for the turn to commit. Nobody else commits before it has ended.
   *
   * @param after the last entry that is known here.
   * @param holds of the run that commits; none for what people ask for beside runs.
   * @throws StateError where the log can't be reached, or one of the holds is another's by now.
   */
  turn(after: number, holds: readonly LeaseNumber[]): Promise<CommitTurn>;
  /** Entries after one, in their order. */
  read(after: number): Promise<News>;
  /** The newest image of the whole state. */
  image(): Promise<Image & Placed>;
  /** Keeps an image, and forgets what nobody needs beside it. */
  keepImage(image: Image): Promise<void>;
}

export interface Entry {
  /** Counted from 1. */
  readonly number: number;
  readonly body: Buffer;
}

/**
 * Where the log was when something was committed last. It is another place once a copy was put back, or a standby has taken over,
 * and somebody has committed there: then the same numbers may be other entries, and an image has to be loaded.
 */
export interface Placed {
  readonly place: string;
}

/** What has been committed since an entry. */
export interface News extends Placed {
  /** undefined where they are no longer kept, so that an image has to be loaded. */
  readonly entries: readonly Entry[] | undefined;
}

export interface Image {
  /** The last entry that is in it. */
  readonly number: number;
  readonly body: Buffer;
}

/** The right to commit. It ends with `append` or `end`, whatever comes of them. */
export interface CommitTurn extends Placed {
  /** What others have committed since; undefined where an image has to be loaded, and then nothing can be appended. */
  readonly news: readonly Entry[] | undefined;
  /** Whether the log is where it was; else it is a copy that was put back, and what is appended next settles that. */
  readonly isAtHome: boolean;
  /** Epoch ms, by the clock of the log. */
  readonly now: number;
  /**
   * Commits one entry: durable when the promise is kept.
   *
   * @returns its number.
   * @throws StateError where it is not committed, or where nobody can say.
   */
  append(body: Buffer): Promise<number>;
  end(): Promise<void>;
}

/** A project's lease, by the number that it was taken with: it rises each time that another takes it. */
export interface LeaseNumber {
  readonly project: string;
  readonly number: number;
}

/** Who has which project, by the clock of the state. */
export interface Leases {
  /** Takes all of these, or none; the first that is another's is told. */
  take(keys: readonly string[]): Promise<TakenLeases | RefusedLease>;
  /** Prolongs them. Returns those that are still held. */
  renew(holds: readonly LeaseNumber[]): Promise<readonly LeaseNumber[]>;
  release(holds: readonly LeaseNumber[]): Promise<void>;
}

export interface TakenLeases {
  readonly kind: "held";
  readonly holds: readonly LeaseNumber[];
}

export interface RefusedLease {
  readonly kind: "taken";
  readonly project: string;
  readonly who: string;
  readonly isOtherConfig: boolean;
}
