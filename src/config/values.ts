import { z } from "zod";
import { findCronFault } from "./cron.ts";

/** The kinds of value that the schema is built of. Each message is the end of a sentence that begins with the setting. */

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const durationHelp = "must be a duration with its unit, such as `30s`, `5m`, `2h` or `1d`";

/** A duration such as `30s`, within bounds that are written the same way. Becomes milliseconds. */
export function duration(min: string, max: string) {
  return z
    .string({ error: (issue) => (typeof issue.input === "number" ? durationHelp : undefined) })
    .regex(/^\d{1,6}[smhd]$/, { error: durationHelp })
    .transform(toMs)
    .refine((ms) => ms >= toMs(min), { error: `must be at least ${min}` })
    .refine((ms) => ms <= toMs(max), { error: `must be at most ${max}` });
}

function toMs(text: string): number {
  return Number(text.slice(0, -1)) * Number(unitMs[text.slice(-1)]);
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number) {
  return z.int().min(min).max(max);
}

/** One line of text that stands for a name: nothing invisible in it or around it. */
export function name(maxLength: number) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !/\p{Cc}/u.test(text), { error: "must be one line without control characters" })
    .refine((text) => text === text.trim(), { error: "starts or ends with a space" });
}

/** One value or a list of them. Becomes a list without repetitions. */
export function oneOrMany<T extends z.ZodType<string, string>>(one: T) {
  return z
    .union([one, z.array(one).min(1).max(100)])
    .transform((given): z.output<T>[] => (Array.isArray(given) ? [...new Set(given)] : [given]));
}

/** A cron expression; the field of seconds is allowed. */
export function cron() {
  return z
    .string()
    .max(200)
    .superRefine((text, context) => {
      const fault = findCronFault(text);
      if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
    });
}

/** A name of the time zone database, as far as this Node knows it. */
export function timeZone() {
  return z.string().refine(isTimeZone, { error: "must be a time zone such as `UTC` or `Europe/Berlin`" });
}

function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/** A day (its midnight in UTC) or a time, which is UTC where it names no offset. Becomes an ISO 8601 time in UTC. */
export function instant() {
  return z
    .union([z.iso.date(), z.iso.datetime({ offset: true, local: true })], {
      error: "must be a day such as `2026-01-31`, or a time such as `2026-01-31T09:00:00Z`",
    })
    .transform((text) => new Date(/T[^Z+-]+$/.test(text) ? `${text}Z` : text).toISOString());
}

/** `owner/name`, as GitHub allows it. */
export function repository() {
  return z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, {
      error: "must be a repository as `owner/name`, such as `acme/app`",
    })
    .refine((text) => !text.endsWith(".git"), { error: "must be `owner/name` without `.git`" });
}

/**
 * The address of an API, without a slash at its end. Whether plain http is allowed depends on the setting beside it, so
 * that is looked at elsewhere. Credentials are refused because addresses are logged.
 */
export function apiUrl(example = "https://feedback.example.com/api/v1") {
  return z
    .string()
    .min(1)
    .max(2000)
    .superRefine((text, context) => {
      const fault = findUrlFault(text, example);
      if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
    })
    .transform((text) => new URL(text).href.replace(/\/+$/, ""));
}

/** The address of GitHub's API. Those of its web pages are known, but for an Enterprise Server's own, which a proxy may map. */
export function gitHubUrl() {
  return apiUrl().superRefine((url, context) => {
    const { hostname } = new URL(url);
    const isPages = /^(?:www\.)?github\.com$|^(?!api\.).+\.ghe\.com$/.test(hostname);
    if (!isPages) return;
    const message = `is where people read GitHub; its API is \`https://api.${hostname.replace(/^www\./, "")}\``;
    context.addIssue({ code: "custom", message });
  });
}

function findUrlFault(text: string, example: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return `must be an address such as \`${example}\``;
  }
  if (url.username !== "" || url.password !== "") {
    return "must not hold a user name or password: secrets come from the environment";
  }
  if (/[?#]/.test(text)) return "must not have a `?` or `#` part";
  return undefined;
}

const noAddress = { error: "must be an address such as `https://example.com/ping`", abort: true };

/** An address that is called, or written to. It may hold a secret, so it is never sent over the network in the clear. */
export function webAddress() {
  return z
    .string()
    .max(2000)
    .regex(/^https?:\/\/\S+$/, noAddress)
    .refine((text) => URL.canParse(text), noAddress)
    .refine((text) => new URL(text).username === "" && new URL(text).password === "", {
      error: "must not hold a user name or password",
    })
    .refine((text) => !isExposed(text), { error: "must be https; http goes to this machine alone" });
}

/** Whether the address is plain http to another machine, where anyone on the way could read the key. */
export function isExposed(address: string): boolean {
  const url = new URL(address);
  return url.protocol === "http:" && !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}

/** The name or address of a network interface to listen on; its port is a setting of its own. */
export function host() {
  return z.string().regex(/^([A-Za-z0-9._-]{1,253}|(?=.*:.*:)[0-9A-Fa-f:.]{2,45})$/, {
    error: "must be a host name or an address such as `127.0.0.1`",
  });
}

/** Refuses a map with too few keys, unless something else is wrong with it and said already. */
export function needsKeys(least: number, error: string) {
  return z.refine<object>((given) => Object.keys(given).length >= least, {
    error,
    when: ({ issues }) => issues.length === 0,
  });
}

/* What either side calls its things, wherever a setting names one. */

export const login = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$/, {
  error: "must be a GitHub login, such as `octocat` or `my-app[bot]`",
});
export const status = name(200);
export const category = name(200);
export const label = name(50);
export const milestone = name(255);
export const issueType = name(100);
export const roadmapColumn = z.enum(["PLANNED", "IN_PROGRESS", "COMPLETED"]);
