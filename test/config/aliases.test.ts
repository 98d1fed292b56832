import { describe, expect, it } from "vitest";
import { createAliases } from "../../src/config/aliases.ts";
import { configSchema } from "../../src/config/schema.ts";

const aliases = () =>
  createAliases(
    configSchema.parse({
      board: { url: "https://board.example.com" },
      tracker: { url: "https://api.github.com" },
      projects: [{ project: "rocket", repo: "acme-corp/rocket", issue: { assignees: ["jane-doe", "bob"] } }],
    }),
  );

describe("a status or a key", () => {
  it.each(["Waiting for Acme Corp", "Jane Doe", "janedoe asks", "bob asks", "With Bob", "079 123 45 67"])(
    "that names somebody of the config, however it is written, or holds a number: %s",
    (status) => {
      expect(aliases().status(status)).toBe("status-1");
    },
  );

  it.each(["planned", "in_progress", "On hold", "bobbin"])("that names nobody stays: %s", (status) => {
    expect(aliases().status(status)).toBe(status);
  });

  it("of the board's answers likewise, also where a name is a part of it", () => {
    const { keys } = aliases();
    expect(["acme_corp_ref", "bobId", "meta.JaneDoe", "(Jane <x>)"].map(keys)).toEqual([
      "key-1",
      "key-2",
      "meta.key-3",
      "key-4",
    ]);
    expect(keys("meta.githubIssueUrl")).toBe("meta.githubIssueUrl");
  });
});
