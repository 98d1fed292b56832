/** Text that came from the other side, made safe to stand in a message, a log line or a terminal. */

/** Makes one line of foreign text safe to show, cut to `maxLength` characters. */
export type Excerpt = (text: string, maxLength?: number) => string;

/** A person's address: a board may name its users in what it says. */
const mail = /[^\s@"'<>()[\],;:]+@[^\s@"'<>()[\],;:]+/gu;

/** Control, format and separator characters and lone surrogates: whatever could steer a terminal or split a log line. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const defaultLength = 200;
/** More of a text is not looked at: what is shown of it is far shorter. */
const mostQuoted = 64 * 1024;

/**
 * Makes the function that quotes the board. A board that echoes the key it was sent must not bring it into a log, so the
 * key is taken out before anything is cut, and so are addresses of people.
 */
export function createExcerpt(secret: string, redact: (text: string) => string = (text) => text): Excerpt {
  return (text, maxLength = defaultLength) => {
    const line = escapeControls(
      redact(text.slice(0, mostQuoted).replaceAll(secret, "[key]"))
        .slice(0, maxLength * 2)
        .replace(mail, "[e-mail]")
        .trim(),
    );
    return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}…` : line;
  };
}

/** Writes line breaks as blanks and every other unsafe character as `\u{…}`. */
function escapeControls(text: string): string {
  return text.replace(/\s+/gu, " ").replace(unsafe, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

const most = 20;

/** Lists names for a person: not too many of them, each cut and safe. */
export function listNames(names: Iterable<string>, excerpt: Excerpt): string {
  const all = [...names];
  const shown = all.slice(0, most).map((name) => excerpt(name, 40));
  if (shown.length === 0) return "(none)";
  return all.length > most ? `${shown.join(", ")} and ${all.length - most} more` : shown.join(", ");
}

/** The address that was asked, without query, user or fragment: ids and cursors have no place in a message. */
export function showAddress(url: URL): string {
  return `${url.origin === "null" ? url.protocol : url.origin}${url.pathname}`;
}
