import type { WaitingRow } from "../ledger/rows.ts";

/** What ends a wait: a command to type, or undefined where it ends by itself or by a change on either side. */
export function remedyOf(
  { kind, post }: { readonly kind: WaitingRow["kind"]; readonly post: string },
  project: string,
): string | undefined {
  switch (kind) {
    case "held":
      return command("approve", project, post.startsWith("-") ? `${project}/${post}` : post);
    case "parked":
      return command("retry", `${project}/${post}`);
    case "quarantined":
      return command("release", `${project}/${post}`);
    case "disagreement":
    case "settling":
    case "did-not-stick":
    case "undecided":
    case "waiting":
    case "intent":
      return undefined;
  }
}

/** A command as a person types it: ids are the board's, so whatever a shell could take for its own is quoted. */
export function command(...words: readonly string[]): string {
  return ["boardsync", ...words.map(quote)].join(" ");
}

function quote(word: string): string {
  return /^[\w./:@#=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
