/**
 * Looking into JSON that nobody vouches for. Only own properties count, so a record that carries `__proto__` or
 * `constructor` can neither change nor fake anything.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The own property of that name; undefined for anything else. */
export function readKey(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Follows a dotted path, such as `meta.nextCursor`, through objects. */
export function readPath(value: unknown, path: string): unknown {
  return path.includes(".") ? path.split(".").reduce(readKey, value) : readKey(value, path);
}

/** A safe whole number, also when it is written as text. */
export function readCount(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
