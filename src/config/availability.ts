import { type Fault, findAll } from "./paths.ts";

/** A setting that the schema knows and that does nothing yet. */
interface Unavailable {
  /** Where it stands, as a pattern for `findAll`. */
  readonly pattern: string;
  /** Whether this value asks for what is not there; a value that asks for nothing may stand. */
  readonly asksFor: (value: unknown) => boolean;
}

const always = () => true;

/** Delete a line when its feature is there. Nothing that a person writes is silently ignored. */
const unavailable: readonly Unavailable[] = [
  { pattern: "heartbeat", asksFor: always },
  { pattern: "notices", asksFor: always },
];

/** Every setting of the file that this version can't honour. */
export function findUnavailable(content: unknown): readonly Fault[] {
  return unavailable.flatMap(({ pattern, asksFor }) =>
    findAll(content, pattern)
      .filter(({ value }) => asksFor(value))
      .map(({ path }) => ({
        path,
        at: "key" as const,
        message: "is not available yet in this version; remove it",
      })),
  );
}
