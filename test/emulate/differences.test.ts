/** @module-tag long */
import { readFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { createOpenApiValidator } from "../support/openapi.ts";
import { startSandboxGitHub } from "../support/sandbox/github/github.ts";
import { compare, observe, type Side } from "./compare.ts";
import { startEmulated } from "./emulated.ts";
import { type Settled, settled } from "./settled.ts";
import type { StageName } from "./steps.ts";

async function openEmulated(): Promise<Side> {
  const { origin, tokens, act, close } = await startEmulated();
  const acts: Readonly<Record<StageName, () => Promise<void>>> = {
    "a pull request": () => act("POST", "/pulls", { title: "Change", head: "change", base: "main" }),
    "an archive": () => act("PATCH", "", { archived: true }),
    "no issues": () => act("PATCH", "", { has_issues: false }),
  };
  return { origin, tokens, close, prepare: (stage) => acts[stage]() };
}

async function openSandbox(): Promise<Side> {
  const github = await startSandboxGitHub({ repositories: [{ name: "acme/app", collaborators: ["dana"] }] });
  const tokens = { us: github.token, person: "ghp_Danas", outsider: "ghp_Eves", nobody: "ghp_Nobodys" };
  github.addToken(tokens.person, "dana");
  github.addToken(tokens.outsider, "eve");
  const acts: Readonly<Record<StageName, () => void>> = {
    "a pull request": () => void github.openPullRequest("acme/app", { title: "Change" }),
    "an archive": () => github.archive("acme/app"),
    "no issues": () => github.disableIssues("acme/app"),
  };
  return { origin: github.url, tokens, close: github.stop, prepare: async (stage) => acts[stage]() };
}

it("is settled, wherever `emulate`, GitHub's description and the sandbox differ", async () => {
  // Both sides go by the machine's clock.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-01-05T10:00:00.400Z") });
  onTestFinished(() => void vi.useRealTimers());
  const validator = createOpenApiValidator();
  const pass = (): void => void vi.setSystemTime(Date.now() + 1_000);
  const emulated = await observe(openEmulated, validator, pass);
  const lines = compare(emulated, await observe(openSandbox, validator, pass));
  const known = settled.flatMap((row) => row.lines);
  expect(lines.filter((line) => !known.some((pattern) => pattern.test(line)))).toEqual([]);
  // What `emulate` has mended meanwhile leaves the list.
  expect(known.filter((pattern) => !lines.some((line) => pattern.test(line)))).toEqual([]);
});

it("is settled in the README's table, row by row", () => {
  const page = readFileSync(new URL("README.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("|"));
  expect(rows.slice(2).join("\n")).toBe(settled.map(rowOf).join("\n"));
});

function rowOf({ about, emulate, sandbox, because }: Settled): string {
  return `| ${[about, emulate, sandbox, because].join(" | ")} |`;
}
