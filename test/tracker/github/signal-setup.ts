import { expect } from "vitest";
import type { SignalAnswer, SignalWish } from "../../../src/tracker/tracker.ts";
import { type SandboxFixture, startSandbox, unbounded } from "./setup.ts";

/** A wish for nothing at all. */
export const nothing: SignalWish = {
  pullRequests: false,
  subIssues: false,
  released: false,
  duplicates: false,
  projects: [],
  facts: false,
};

export function place(number: number, repository = "acme/app") {
  return { repository, number };
}

export async function readSignals(
  { tracker }: Pick<SandboxFixture, "tracker">,
  nodeIds: readonly string[],
  wish: Partial<SignalWish>,
): Promise<readonly SignalAnswer[]> {
  const answers: SignalAnswer[] = [];
  for await (const page of tracker.readSignals(nodeIds, { ...nothing, ...wish }, unbounded())) {
    answers.push(...page);
  }
  return answers;
}

/** Signals of one issue. */
export async function readOne(fixture: SandboxFixture, number: number, wish: Partial<SignalWish>) {
  const { id } = fixture.github.issue("acme/app", number);
  const [answer] = await readSignals(fixture, [`I_${id}`], wish);
  if (answer === undefined) throw new Error("There should have been an answer.");
  return answer;
}

export function known<T>(value: T) {
  return { kind: "known", value };
}

export function unknown(words: RegExp) {
  return { kind: "unknown", message: expect.stringMatching(words) };
}

/** An issue, and a pull request that is linked to it. */
export async function startLinked(options?: Parameters<typeof startSandbox>[0]): Promise<SandboxFixture> {
  const fixture = await startSandbox(options);
  const { github } = fixture;
  github.openIssue("acme/app", { title: "One" });
  github.openPullRequest("acme/app", { title: "For one" });
  github.linkPullRequest(place(1), place(2));
  return fixture;
}
