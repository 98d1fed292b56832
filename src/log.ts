import { pino } from "pino";
import { PinoPretty } from "pino-pretty";

/** What adapters and the sync may do with a log. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface LogOptions {
  /** One of pino's levels, or `silent`. */
  readonly level: string;
  /** Readable lines for a person at a terminal; else one JSON document a line. */
  readonly isReadable: boolean;
  readonly hasColours: boolean;
  readonly redact: Redact;
  write(line: string): void;
}

/** Makes a text safe to print: no secret in it. */
export type Redact = (text: string) => string;

/** pino, with every line going through the redaction, whatever field or error a secret hides in. */
export function createLog(options: LogOptions): Log {
  const sink = { write: (line: string): void => options.write(options.redact(line)) };
  const settings = { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const formatters = { level: (label: string) => ({ level: label }) };
  if (!options.isReadable) return pino({ ...settings, formatters }, sink);
  // Post text may be in a field: a person's terminal must not obey it. The printer's own colours are added afterwards.
  const readable = PinoPretty({
    sync: true,
    colorize: options.hasColours,
    translateTime: "SYS:HH:MM:ss",
    destination: { write: (line: string) => sink.write(line) } as never,
  });
  return pino(settings, { write: (line: string) => readable.write(escapeControls(line)) });
}

/**
 * Replaces the given secrets wherever they occur, also where JSON or a URL has escaped them. Longest first, so that one
 * that contains another leaves nothing behind.
 */
export function redactor(secrets: readonly string[]): Redact {
  const forms = new Set(
    secrets
      .filter((secret) => secret !== "")
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]),
  );
  const longestFirst = [...forms].sort((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((rest, form) => rest.replaceAll(form, "[redacted]"), text);
}

/** Escapes what a terminal would act on, line ends excepted: C0, DEL, C1 and the marks that turn text around. */
export function escapeControls(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]|\\u00(?:0[0-8bBcCeEfF]|1[0-9a-fA-F]|7[fF]|[89][0-9a-fA-F])/g,
    (found) =>
      found.length === 1 ? `<${found.charCodeAt(0).toString(16).padStart(2, "0")}>` : `<${found.slice(4)}>`,
  );
}
