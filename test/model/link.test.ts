import { expect, it } from "vitest";
import { isGivenUp } from "../../src/model/link.ts";
import { done, makeLink, started } from "../plan/make.ts";

it("a post is given up when it has issues, and all of them are gone", () => {
  const [gone, there] = [makeLink(done, { isGone: true }), makeLink(started)];
  expect([[], [there], [gone, there], [gone, gone]].map((links) => isGivenUp({ links }))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
