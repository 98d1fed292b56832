import type { Log } from "../../src/log.ts";

/** What a log was told. */
export interface MemoryLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

/** A log that keeps its lines. */
export function createMemoryLog(): Log & { readonly lines: readonly MemoryLine[] } {
  const lines: MemoryLine[] = [];
  const at =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push({ level, fields, message });
    };
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
