import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { syncProjects } from "../../src/app.ts";
import { findConcerned, type Hint, isOwn } from "../../src/daemon/hints.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite.ts";
import type { RepositoryId, RepositoryName } from "../../src/model/issue.ts";
import { load } from "../config/support.ts";
import { createRepository, createRepositoryMemory } from "../ledger/samples.ts";

const now = Date.parse("2026-03-06T12:00:00Z");

const projects = syncProjects(
  load(`
board: { url: https://board.example/api/v1 }
projects:
  - { project: app, repo: acme/app }
  - { project: api, repo: Acme/API, route: [{ category: cat_1, repo: acme/front }] }
  - project: roadmap
    repo: other/roadmap
    rules:
      - { when: { projectStatus: { owner: Acme, project: 7, is: Done } }, set: { status: done } }
`),
);

function givenLedger(): Ledger {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-hints-"));
  const ledger = openLedger(join(folder, "state.db"), { now, version: "1" });
  onTestFinished(() => {
    ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return ledger;
}

async function rememberRepository(
  ledger: Ledger,
  name: string,
  id: number,
  currentName: string,
): Promise<void> {
  const repository = createRepository({ id: id as RepositoryId, name: currentName as RepositoryName });
  await ledger.commit([
    {
      kind: "remember-repository",
      memory: createRepositoryMemory({ name: name as RepositoryName, repository, checkedAt: now }),
    },
  ]);
}

const nothing: Hint = { repositories: [], owner: undefined, sender: undefined };

async function concernedBy(hint: Partial<Hint>, ledger = givenLedger()): Promise<readonly string[]> {
  return findConcerned({ ...nothing, ...hint }, projects, ledger);
}

describe("an event concerns the projects", () => {
  it.each([
    ["of a repository by its name, in any case", "ACME/app", ["app"]],
    ["of a repository that posts are routed to", "acme/front", ["api"]],
    ["of no repository that the config names", "acme/secret", []],
  ])("%s", async (_case, name, keys) => {
    expect(await concernedBy({ repositories: [{ id: 5, name }] })).toEqual(keys);
  });

  it("of a repository that has another name by now", async () => {
    const ledger = givenLedger();
    await rememberRepository(ledger, "acme/app", 5, "acme/app");
    expect(await concernedBy({ repositories: [{ id: 5, name: "acme/renamed" }] }, ledger)).toEqual(["app"]);
  });

  it("of each of several repositories", async () => {
    const repositories = [
      { id: 1, name: "acme/api" },
      { id: 2, name: "acme/app" },
    ];
    expect(await concernedBy({ repositories })).toEqual(["app", "api"]);
  });

  it("whose rules look at projects of this owner", async () => {
    expect(await concernedBy({ owner: "acme" })).toEqual(["roadmap"]);
    expect(await concernedBy({ owner: "other" })).toEqual([]);
  });
});

it("what our own account did is told by its login, in any case", async () => {
  const ledger = givenLedger();
  expect(isOwn({ ...nothing, sender: "Boardsync[bot]" }, ledger)).toBe(false);
  await ledger.commit([{ kind: "remember-account", account: { login: "boardsync[bot]", checkedAt: now } }]);
  expect(isOwn({ ...nothing, sender: "Boardsync[bot]" }, ledger)).toBe(true);
  expect(isOwn({ ...nothing, sender: "ada" }, ledger)).toBe(false);
  expect(isOwn(nothing, ledger)).toBe(false);
});
