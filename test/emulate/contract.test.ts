/** @module-tag long */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { validateRequests } from "../support/openapi.ts";
import { type ContractSubject, promises } from "../tracker/contract.ts";
import { createFixture } from "../tracker/github/setup.ts";
import { type Emulated, startEmulated } from "./emulated.ts";
import { settled } from "./settled.ts";

let emulated: Emulated;
let subject: ContractSubject;

beforeEach(async () => {
  // Its times are the machine's: so they are the test's.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-01-05T10:00:00Z") });
  emulated = await startEmulated();
  const { url, tokens, login, act } = emulated;
  subject = {
    login,
    tracker: createFixture(url, { token: tokens.us }).tracker,
    stranger: createFixture(url, { token: tokens.nobody }).tracker,
    act,
    pass: (ms) => void vi.setSystemTime(Date.now() + ms),
  };
});

afterEach(async () => {
  vi.useRealTimers();
  await emulated.close();
  expect(validateRequests(emulated.requests)).toEqual([]);
});

/** What `emulate` can't be held to; the README's table says why. */
const beyond = new Set(settled.flatMap(({ promises: named = [] }) => named));

describe("GitHub, as `emulate` plays it, keeps the contract of a tracker", () => {
  it.each(promises.filter(({ name }) => !beyond.has(name)))("$name", ({ hold }) => hold(subject));
});

describe("GitHub, as `emulate` plays it, does not keep of the contract", () => {
  it.each([...beyond])("%s", async (name) => {
    const promised = promises.find((one) => one.name === name);
    expect(promised).toBeDefined();
    // Once it does, the name leaves the list of what is settled.
    await expect(promised?.hold(subject)).rejects.toThrow();
  });
});
