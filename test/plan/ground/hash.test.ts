import { expect, it } from "vitest";
import { hashText } from "../../../src/plan/ground/hash.ts";

it("hashes the UTF-8 of a text with SHA-256", () => {
  expect(hashText("é")).toBe("4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c");
  expect(hashText("é")).not.toBe(hashText("e\u0301"));
});
