/** Written after a sign to take its meaning away: it is not shown, and no tracker reads on past it. */
export const BREAK = "\u200B";

/**
 * What a tracker reads out of the texts of an issue beside their Markdown, how it is kept from that, and how much of a text an
 * issue takes. Both functions take linear time, and doing either twice gives the same as doing it once.
 */
export interface Dialect {
  /** The most code points of a title. */
  readonly titleLength: number;
  /** The most bytes of a body, in UTF-8. */
  readonly bodyBytes: number;
  /**
   * Takes all that the tracker would act on out of a text of plain characters (`plan/text/characters.ts`): a mention tells
   * nobody, a reference leaves no trace on another issue, a command does nothing.
   */
  silence(text: string): string;
  /** The same for one http address, which still leads to the same page wherever the tracker allows that. */
  silenceAddress(address: string): string;
  /** The web page of an issue, by what the repository is called now. */
  issueAddress(repository: string, number: number): string;
}

/** Where a tracker's pages for people are, by the address of its API; a sandbox has them in the same place. */
export function webSiteOf(apiUrl: string): string {
  const { hostname, origin } = new URL(apiUrl);
  if (hostname === "api.github.com") return "https://github.com";
  return hostname.endsWith(".ghe.com") ? origin.replace("//api.", "//") : origin;
}
