import type { Footer, Output, Terminal } from "./terminal.ts";

/** Only the cursor's own line is ever cleared: the cursor is never moved to a place that was remembered. */
const clearLine = "\r\u001b[K";
/** A terminal that became narrower would break the line, and then only its last part could be cleared. */
const [withoutWrap, withWrap] = ["\u001b[?7l", "\u001b[?7h"];

/**
 * The one place that writes to the terminal. stdout and stderr are mostly the same screen, so whatever goes to either, and a
 * question, takes the footer away first: nothing is printed over anything else.
 */
export function ownScreen(terminal: Terminal): Terminal {
  const { out, err, ask, askSecret } = terminal;
  let isShown = false;
  let isLineStart = true;
  let isOver = false;
  const clear = (): void => {
    if (isShown) err.write(clearLine);
    isShown = false;
  };
  const own = (output: Output): Output => ({
    ...output,
    command: terminal.command,
    write(text) {
      if (text === "") return;
      clear();
      output.write(text);
      if (output.isTerminal) isLineStart = text.endsWith("\n");
      // What reads a pipe (`tee`) may print to the same screen at any time from now on.
      else if (output === out) isOver = true;
    },
  });
  const question =
    (put: NonNullable<Terminal["ask"]>): NonNullable<Terminal["ask"]> =>
    async (text) => {
      clear();
      isLineStart = false;
      const answer = await put(text);
      isLineStart = true;
      return answer;
    };
  const footer: Footer = {
    show(text) {
      if (isOver || !isLineStart) return;
      err.write(`${clearLine}${withoutWrap}${text}${withWrap}`);
      isShown = true;
    },
    clear,
  };
  return {
    ...terminal,
    out: own(out),
    err: own(err),
    ask: ask && question(ask),
    askSecret: askSecret && question(askSecret),
    footer: err.isTerminal ? footer : undefined,
  };
}
