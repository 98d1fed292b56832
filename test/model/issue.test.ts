import { expect, it } from "vitest";
import { isSameRepository } from "../../src/model/issue.ts";

it("a repository's name has no case", () => {
  expect(isSameRepository("Acme/App", "acme/app")).toBe(true);
  expect(isSameRepository("acme/app", "acme/apps")).toBe(false);
});
