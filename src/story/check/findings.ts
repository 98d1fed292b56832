import { adviceOn } from "../../sync/ground/remedy.ts";

/** One line of `check`. */
export interface Finding {
  readonly level: "ok" | "warning" | "error";
  /** `board`, `tracker`, or the project's name. */
  readonly subject: string;
  /** Set where something is wrong; for example `board.unauthorized`. */
  readonly code: string | undefined;
  readonly message: string;
  /** What a person may do about it; left out where the message says it. */
  readonly advice?: string;
}

/** Adds a line. */
export function say(
  findings: Finding[],
  level: Finding["level"],
  subject: string,
  message: string,
  code: string | undefined = undefined,
): void {
  const advice = level === "ok" || code === undefined ? undefined : adviceOn({ code });
  const shown = level === "ok" ? undefined : code;
  findings.push({ level, subject, code: shown, message, ...(advice !== undefined && { advice }) });
}
