const lengthLimit = 300;

/** Makes a stranger's text fit for one line of a message. */
export type Quote = (text: string) => string;

/**
 * Gives the one function through which every text of the network goes before it is shown: the token is taken out (a
 * hostile server may echo it), control and direction characters become spaces, and the rest is cut at 300 characters.
 */
export function createQuote(token: string): Quote {
  const secret = token.trim();
  return (text) => {
    const clean = text
      .replaceAll(secret, "[redacted]")
      // In a host name it would stand in lower case.
      .replaceAll(secret.toLowerCase(), "[redacted]")
      .slice(0, 20 * lengthLimit)
      .toWellFormed()
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
      .trim();
    const points = Array.from(clean);
    return points.length <= lengthLimit ? clean : `${points.slice(0, lengthLimit - 1).join("")}…`;
  };
}
