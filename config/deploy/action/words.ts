/** What a person decides about something that waits, and may be typed as `order`. */
export const orders = ["approve", "retry", "release", "pause", "resume", "link", "unlink", "undo"];
/** These ask first, and nobody is there to be asked: to give the order is to agree. */
const asking = ["approve", "resume", "undo"];

/**
 * The arguments of an order, such as `approve acme-app`. Words end at blanks; quotes hold one together, as in the commands that
 * boardsync prints.
 *
 * @throws Error with a sentence for the person who typed it.
 */
export function parseOrder(text: string): readonly string[] {
  const typed = [...text.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted, single) => quoted ?? single),
  );
  const words = typed[0] === "boardsync" ? typed.slice(1) : typed;
  const [name = ""] = words;
  if (!orders.includes(name)) throw new Error(`\`order\` must begin with one of ${orders.join(", ")}.`);
  return asking.includes(name) ? [...words, "--yes"] : words;
}

/** An order as a person types it here: the command that boardsync names, without how the program was started. */
export function orderOf(command: string): string {
  return new RegExp(`\\b(${orders.join("|")}) .*$`).exec(command)?.[0] ?? command;
}

/** Text after a workflow command: its line must not end early. */
export function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Foreign text in a cell of a table: no line of its own, no markup, no image that is loaded from elsewhere. */
export function escapeCell(text: string): string {
  return text
    .replaceAll(/[\r\n]+/g, " ")
    .replaceAll(/[^\p{L}\p{N} ,.:;?=%+-]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}
