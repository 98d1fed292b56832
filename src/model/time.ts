/**
 * Times that others write. Never read by the zone of the machine: what names no zone is UTC, so that the same answer means the
 * same moment wherever boardsync runs.
 */

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** A day, or a day and a time as ISO 8601 (also with a blank for the T, a comma, or a short offset). */
const isoTime =
  /^(\d{4}-\d\d-\d\d)(?:(?:T|\s+)(\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?\s*(?:(Z|UTC|GMT)|([+-]\d\d):?(\d\d)?)?)?$/i;
/** How any other spelling of a time ends that names its zone; none of these does so with a day. */
const zoned = /(?:\d\s*Z|\b(?:UTC?|GMT|[ECMP][SD]T)|[+-]\d\d:?\d\d)(?:\s*\([^)]*\))?$/i;
/** Numbers below this are seconds, from there on milliseconds. */
const firstMs = 1e11;

/**
 * Epoch ms of a time: ISO 8601, a date of HTTP in any of its three forms (RFC 9110, section 5.6.7), or a number of seconds or
 * milliseconds since 1970, also as text. NaN, which is neither before nor after anything, for all else.
 */
export function readInstant(value: unknown): number {
  if (typeof value === "number") return Math.abs(value) < firstMs ? value * 1000 : value;
  if (typeof value !== "string" || value.length > 100) return Number.NaN;
  const text = value.trim();
  if (/^\d{9,14}$/.test(text)) return readInstant(Number(text));
  const [, day, minutes = "00:00", seconds = ":00", fraction = "0", , hours = "+00", rest = "00"] =
    isoTime.exec(text) ?? [];
  if (day !== undefined) return Date.parse(`${day}T${minutes}${seconds}.${fraction}${hours}:${rest}`);
  // A bare number is no date, whatever a lenient parser makes of it.
  if (!/[a-z/]/i.test(text)) return Number.NaN;
  return Date.parse(zoned.test(text) ? text : `${text} GMT`);
}

const units: readonly (readonly [unit: string, ms: number])[] = [
  ["day", dayMs],
  ["hour", hourMs],
  ["minute", minuteMs],
];

/** A length of time in its largest unit: "3 minutes"; below two seconds in milliseconds. */
export function describeLength(ms: number): string {
  if (ms < 2000) return `${Math.round(ms)} ms`;
  const [unit, size] = units.find(([, one]) => ms >= one) ?? ["second", 1000];
  const number = Math.round(ms / size);
  return number === 1 ? `1 ${unit}` : `${number} ${unit}s`;
}
