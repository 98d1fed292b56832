/** One line of `check`. */
export interface Finding {
  readonly level: "ok" | "warning" | "error";
  /** `board`, `tracker`, or the project's name. */
  readonly subject: string;
  /** Set where something is wrong; for example `board.unauthorized`. */
  readonly code: string | undefined;
  readonly message: string;
}

/** Adds a line. */
export function say(
  findings: Finding[],
  level: Finding["level"],
  subject: string,
  message: string,
  code: string | undefined = undefined,
): void {
  findings.push({ level, subject, code: level === "ok" ? undefined : code, message });
}
