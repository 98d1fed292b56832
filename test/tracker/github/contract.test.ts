import { describe, expect, it } from "vitest";
import { type ContractSubject, promises } from "../contract.ts";
import { createFixture, startSandbox } from "./setup.ts";

const personsToken = "ghp_DanasIsNoSecret";

async function start(): Promise<ContractSubject> {
  const repositories = [{ name: "acme/app", collaborators: ["dana"] }] as const;
  const { github, tracker, clock } = await startSandbox({ repositories });
  github.addToken(personsToken, "dana");
  return {
    tracker,
    stranger: createFixture(github.url, { token: "ghp_unknown", clock }).tracker,
    login: github.login,
    pass: clock.pass,
    async act(method, path, body) {
      const answer = await fetch(`${github.url}/repos/acme/app${path}`, {
        method,
        headers: { authorization: `Bearer ${personsToken}` },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(answer.status, await answer.text()).toBeLessThan(300);
    },
  };
}

describe("GitHub, as the sandbox plays it, keeps the contract of a tracker", () => {
  it.each(promises)("$name", async ({ hold }) => {
    await hold(await start());
  });
});
