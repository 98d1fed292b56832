import { expect } from "vitest";
import { type Document, parseAllDocuments } from "yaml";
import { read } from "./files.ts";

/** Where the samples are. */
export const folder = "config/deploy/";

/** The page that says how to use them. */
export const guide = "config/docs/guides/deploying.md";

/** The only document of a YAML file without errors. */
export function parseSample(name: string): Document {
  const documents = parseAllDocuments(read(`${folder}${name}`));
  const [document] = documents;
  if (!("length" in documents) || document === undefined) throw new Error(`${name} is empty`);
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(documents).toHaveLength(1);
  return document;
}

/** Lists and maps of a document as plain values. */
export function valueAt(document: Document, ...path: (string | number)[]): Record<string, unknown> {
  return Object(path.reduce<unknown>((value, step) => Object(value)[step], document.toJS()));
}

export function listAt(document: Document, ...path: (string | number)[]): readonly Record<string, unknown>[] {
  return Object.values(valueAt(document, ...path)).map((value) => Object(value));
}
