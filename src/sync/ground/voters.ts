/** Voters who would be notified of several writes. */
export interface Voters {
  readonly known: number;
  /** Writes whose voters the board does not show. */
  readonly unknown: number;
}

export function countVoters(notifies: readonly (number | null)[]): Voters {
  return {
    known: notifies.reduce((sum: number, one) => sum + (one ?? 0), 0),
    unknown: notifies.filter((one) => one === null).length,
  };
}

/** "202", "at least 202", "?" */
export function showVoters({ known, unknown }: Voters): string {
  if (unknown === 0) return known.toLocaleString("en");
  return known === 0 ? "?" : `at least ${known.toLocaleString("en")}`;
}

/** The voters of several writes together; '' where none is notified. */
export function describeNotified(voters: number, unknownVotes: number): string {
  if (voters === 0) return unknownVotes === 0 ? "" : "voters to notify, the board doesn't show how many";
  const number = voters.toLocaleString("en");
  return `${unknownVotes === 0 ? "" : "at least "}${number} ${voters === 1 ? "voter" : "voters"} to notify`;
}
