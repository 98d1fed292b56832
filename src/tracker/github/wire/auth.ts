/** What requests are signed with. One client has one; an App has one for itself and one for each installation. */
export interface Credential {
  /**
   * What `authorization` says in the request that leaves next.
   *
   * @throws RemoteError when there is nothing to sign with; the request has not left then, for certain.
   */
  authorize(signal: AbortSignal | undefined): Promise<string>;
  /**
   * The server did not accept it (401, so nothing was done). Gives the milliseconds after which the next one may be another,
   * or may be known everywhere; undefined where asking again makes no sense.
   */
  refuse(authorization: string): number | undefined;
  /** Whether issues may be written, where the credential itself tells; undefined where only the repository does. */
  mayWriteIssues(): boolean | undefined;
  /** What no text may show. */
  secrets(): readonly string[];
}

/** A personal access token: there is one, and it stays. */
export function createTokenCredential(token: string): Credential {
  return {
    authorize: () => Promise.resolve(`token ${token}`),
    refuse: () => undefined,
    mayWriteIssues: () => undefined,
    secrets: () => [token],
  };
}
