import type { SignOfLife, WorkedBy } from "./orders.ts";
import { parse, unusable } from "./stored.ts";

/** A sign of life as a state keeps it. By hand, because `boardsync health` reads it, and loads as little as can be. */
export function toSign(place: string, text: string): SignOfLife {
  const found = parse(place, text);
  const { at, who, isLast, address, config, broken }: Partial<Record<keyof SignOfLife, unknown>> =
    Object(found);
  const { print, readAt }: Partial<Record<keyof WorkedBy, unknown>> = Object(config);
  if (typeof at !== "number" || typeof who !== "string") throw unusable(place, "it is no sign of life");
  return {
    at,
    who,
    ...(isLast === true && { isLast }),
    ...(typeof address === "string" && { address }),
    ...(typeof print === "string" && typeof readAt === "number" && { config: { print, readAt } }),
    ...(typeof broken === "object" && broken !== null && { broken: readWords(broken) }),
  };
}

function readWords(words: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(words).filter(([, word]) => typeof word === "string"));
}
