const lengthLimit = 300;
/** More of a text is not looked at: what is shown of it is far shorter. */
const mostQuoted = 64 * 1024;

/** Makes a stranger's text fit for one line of a message. */
export type Quote = (text: string) => string;

/**
 * Gives the one function through which every text of the network goes before it is shown: secrets are taken out (a
 * hostile server may echo them), control and direction characters become spaces, and the rest is cut at 300 characters.
 *
 * @param secrets - those of the moment; an App's change by the hour.
 * @param redact - covers those of the other side, too.
 */
export function createQuote(
  secrets: () => readonly string[],
  redact: (text: string) => string = (text) => text,
): Quote {
  return (text) => {
    // In a host name a secret would stand in lower case.
    const own = secrets()
      .map((secret) => secret.trim())
      .flatMap((secret) => [secret, secret.toLowerCase()])
      .reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
    const clean = redact(own.slice(0, mostQuoted))
      .slice(0, 20 * lengthLimit)
      .toWellFormed()
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
      .trim();
    const points = Array.from(clean);
    return points.length <= lengthLimit ? clean : `${points.slice(0, lengthLimit - 1).join("")}…`;
  };
}
