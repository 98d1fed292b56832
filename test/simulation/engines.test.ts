/** @module-tag long */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Engines, startEngines } from "./engines.ts";

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.close());

it.each([
  ["of all kinds", { hasTools: false }],
  ["with the board's tools", { hasTools: true }],
])("histories %s get the same answers from SQLite and PostgreSQL", async (_, way) => {
  const before = engines.calls;
  for (let seed = 1; seed <= 8; seed += 1) expect(await engines.compare(seed, way)).toBeUndefined();
  expect(engines.calls - before).toBeGreaterThan(1_000);
});
