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

/** "1 voter", "at least 202 voters"; "voters" where the board does not show how many. */
export function nameVoters(voters: Voters): string {
  const number = showVoters(voters);
  if (number === "?") return "voters";
  return `${number} ${voters.known === 1 ? "voter" : "voters"}`;
}

/** The voters of several writes together; '' where none is notified. */
export function describeNotified(voters: Voters): string {
  if (voters.known + voters.unknown === 0) return "";
  const why = voters.known === 0 ? ", the board doesn't show how many" : "";
  return `${nameVoters(voters)} to notify${why}`;
}
