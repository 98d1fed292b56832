import { z } from "zod";
import { configSchema } from "./schema.ts";

/** A JSON Schema, as far as this program looks into one. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  /** The keys that a map may have. */
  readonly propertyNames?: { readonly enum?: readonly string[] };
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  /** The name of one of `$defs` of the whole schema: `#/$defs/conditions`. */
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** The JSON Schema (2020-12) of what a person writes into the config file; for editors, and for `boardsync schema`. */
export function configJsonSchema(): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: "input", target: "draft-2020-12" });
  const title = "boardsync config";
  // The one boundary where zod's wider type becomes ours; the test validates the result with ajv.
  return { $schema, title, description: "What boardsync keeps in step, and how.", ...schema } as JsonSchema;
}
