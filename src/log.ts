import { type Level, pino } from "pino";
import { escapeControls, escapeJson, escapeMarkup } from "./escape.ts";

/** What adapters and the sync may do with a log. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where a log goes, and in which form. */
export interface LogOptions {
  /** One of pino's levels, or `silent`. */
  readonly level: string;
  /** Its texts are shown on a terminal: what that would act on is made visible in them. */
  readonly isShown: boolean;
  readonly redact: Redact;
  /** Takes one JSON document a line. */
  write(line: string): void;
}

/** Makes a text safe to print: no secret in it. */
export type Redact = (text: string) => string;

/** A shorter one hides nothing that can't be guessed, and taking it out would blank half of every line. */
const minSecretLength = 4;
/** The longest text of a field or message, in UTF-16 code units: container runtimes split lines of more than 16 kB. */
const maxTextLength = 8192;
const maxDepth = 5;
const maxBreadth = 1000;
/** Of one error: how many of the errors that led to it are printed. */
const maxCauses = 5;

/**
 * pino, with every text going through the redaction, whatever field or error a secret hides in, and with nothing in a line
 * that a terminal would act on. Of errors only the type, message, stack, code and cause are written: those of libraries
 * also carry requests and answers.
 */
export function createLog(options: LogOptions): Log {
  const { redact, isShown } = options;
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Errors have become plain fields before pino sees them.
      serializers: { err: (fields: unknown) => fields },
    },
    { write: (line) => options.write(escapeJson(line)) },
  );
  const toText = (raw: string): string => {
    const text = shorten(redact(raw));
    return isShown ? escapeControls(text) : text;
  };
  const writeAt = (level: Level) => (fields: object, message: string) => {
    if (logger.isLevelEnabled(level)) logger[level](toFields(fields, toText), toText(message));
  };
  return { debug: writeAt("debug"), info: writeAt("info"), warn: writeAt("warn"), error: writeAt("error") };
}

function shorten(text: string): string {
  const rest = text.length - maxTextLength;
  return rest > 0 ? `${text.slice(0, maxTextLength).toWellFormed()}… (${rest} more)` : text;
}

/** A value as plain JSON of bounded size, every text in it (and every key) made safe. */
function toFields(value: unknown, toText: Redact, depth = 0): unknown {
  if (typeof value === "string") return toText(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return describeError(value, toText);
  if (depth > maxDepth) return "…";
  if (Array.isArray(value)) {
    return value.slice(0, maxBreadth).map((inner) => toFields(inner, toText, depth + 1));
  }
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return toFields(value.toJSON(), toText, depth + 1);
  }
  const entries = Object.entries(value).slice(0, maxBreadth);
  return Object.fromEntries(entries.map(([key, inner]) => [toText(key), toFields(inner, toText, depth + 1)]));
}

function describeError(error: Error, toText: Redact, causes = 0): object {
  const { name, message, stack, cause } = error;
  const code: unknown = "code" in error ? error.code : undefined;
  return {
    // A library may have put anything there, and a log must not throw.
    type: toText(String(name)),
    message: toText(String(message)),
    ...(typeof stack === "string" && { stack: toText(stack) }),
    ...(typeof code === "string" && { code: toText(code) }),
    ...(typeof code === "number" && { code }),
    ...(typeof cause === "string" && { cause: toText(cause) }),
    ...(cause instanceof Error && causes < maxCauses && { cause: describeError(cause, toText, causes + 1) }),
  };
}

/**
 * Covers the given secrets wherever they occur, also where JSON (twice, at most), a URL or a form has escaped them, and where base64 has
 * encoded them with something before and after (`Authorization: Basic`). Secrets that overlap leave nothing behind. Those of
 * less than four characters are not looked for, nor those that are words of ours.
 */
export function redactor(secrets: readonly string[]): Redact {
  const known = [...new Set(secrets)].filter(
    (secret) => secret.length >= minSecretLength && !isOwnWord(secret),
  );
  const forms = [...new Set(known.flatMap(formsOf))];
  const patterns = known.map(urlPattern);
  return (text) => {
    const spans = [
      ...forms.flatMap((form) => findSpans(text, form)),
      ...patterns.flatMap((pattern) => matchSpans(text, pattern)),
    ];
    return spans.length === 0 ? text : coverSpans(text, spans);
  };
}

/** Secrets of which some become known only while the program runs. */
export interface KnownSecrets {
  readonly redact: Redact;
  /** From now on these are covered, too. */
  add(secrets: readonly string[]): void;
  /** The same for one that holds for an hour at most: of those the newest are kept in mind. */
  addPassing(secret: string): void;
}

/** More than the tokens that a day brings, or that a large App has at a time. */
const maxPassing = 64;

/** Knows nothing at first. */
export function createKnownSecrets(): KnownSecrets {
  let lasting: readonly string[] = [];
  let passing: readonly string[] = [];
  let redact = redactor([]);
  const renew = (): void => {
    redact = redactor([...lasting, ...passing]);
  };
  return {
    redact: (text) => redact(text),
    add(secrets) {
      lasting = [...lasting, ...secrets];
      renew();
    },
    addPassing(secret) {
      passing = [...passing, secret].slice(-maxPassing);
      renew();
    },
  };
}

/**
 * Whether a secret is a word that we write ourselves: a command, a field of our JSON, a part of a code. To cover it hides nothing, as it
 * stands in every line; it takes away what scripts look for, and tells by what is gone which word the secret is.
 */
export function isOwnWord(secret: string): boolean {
  return ownWords.has(secret);
}

/** As the reference has them. */
const ownWords: ReadonlySet<string> = new Set(
  `
    aborted absent access actions address adopt adopted advice ahead alerts alive already applied apply approvable
    approve approved archived assignee assignees author backlink backup before board boardsync body broken budget busy
    bytes call calls categories category cause changed changelog changes check closed code command completed completion
    concurrency config configured copy create created daemon database debug decides deleted deliveries demo detailed
    differs disagreements discard discarded done doubt draft drafts dropped duplicate duplicates duration edited editors
    else ends entries entry error errors event exitcode explain facts fail failed failing failures false fatal feedback
    field fields fight file findings flips force form found from full github gone grace guard guesses health healthz
    held help history hold host http import impossible incomplete info init internal issue issues json kept kind label
    labels last late later level limit limited lines link linked links list listed lost made mark message metrics milestone
    missing mode moved name named namesake needs next none note notified notifies null offline opened option order
    orders origin orphans other others outcome output pace page paging parked partial patch patched pause paused payload
    period permission place plan planned port post postgres posts process project projects public publish quarantined
    quiet read readyz reason rebuild refused rejected release reloads renamed replaced replica replicas repo report
    repository requested requests result resume retries retry route rule rules running runs schedule schema seconds
    secrets select sentence serve settle shadowed show side signals signature since size skipped something source
    standing state status statuses stopped strangers subject success sync template time timeout timestamp timezone title
    today token tool total trace tracker true type unauthorized undecided undo undone unfinished unknown unlink unnamed
    unreachable unreadable unseen unsigned unsure until unusable update usage used value version versions voters wait
    waiting waits warn webhook webhooks when writes yaml
  `
    .trim()
    .split(/\s+/),
);

function formsOf(secret: string): readonly string[] {
  const json = quoteJson(secret);
  return [secret, json, quoteJson(json), escapeMarkup(secret), ...base64Forms(secret)];
}

/** Every encoder of URLs and forms has its own idea of which characters need it: here each may be encoded or not. */
function urlPattern(secret: string): RegExp {
  const characters = [...secret].map((character) => {
    const plain = `\\u{${Number(character.codePointAt(0)).toString(16)}}`;
    const encoded = Buffer.from(character).toString("hex").replace(/../g, "%$&");
    return `(?:${plain}|${encoded.toUpperCase()}|${encoded}${character === " " ? "|\\+" : ""})`;
  });
  return new RegExp(characters.join(""), "gu");
}

function quoteJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * The characters of base64 that depend on the secret alone, for each of the three ways in which it can lie in the groups of
 * three bytes.
 */
function base64Forms(secret: string): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const own = bytes
      .toString("base64")
      .slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** A part of a text, from its first character to the one after its last. */
type Span = readonly [start: number, end: number];

function findSpans(text: string, form: string): readonly Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(form); start !== -1; start = text.indexOf(form, start + 1)) {
    spans.push([start, start + form.length]);
  }
  return spans;
}

function matchSpans(text: string, pattern: RegExp): readonly Span[] {
  return Array.from(text.matchAll(pattern), (match) => [match.index, match.index + match[0].length]);
}

function coverSpans(text: string, spans: readonly Span[]): string {
  let covered = "";
  let position = 0;
  for (const [start, end] of spans.toSorted((one, other) => one[0] - other[0])) {
    if (start > position || position === 0) covered += `${text.slice(position, start)}[redacted]`;
    position = Math.max(position, end);
  }
  return covered + text.slice(position);
}
