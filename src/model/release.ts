/** A published release of a repository. All of its texts are people's. */
export interface Release {
  /** Numeric; stays when it is edited. */
  readonly id: number;
  readonly tag: string;
  /** Its tag where it has no name. */
  readonly name: string;
  /** Its notes, in Markdown. */
  readonly body: string;
  readonly url: string;
  readonly isPrerelease: boolean;
  /** ISO 8601. */
  readonly publishedAt: string;
}
