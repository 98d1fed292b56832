import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { read, root } from "../deploy/files.ts";
import { printOfSources, readSignature } from "./picture.ts";
import { readShown, tellSteps } from "./terminal.ts";

describe("the README's pictures", () => {
  it("show the page as it is: `npm run pictures` draws it anew", () => {
    const picture = readFileSync(join(root, "config/pictures/page.png"));
    expect(readSignature(picture)).toBe(printOfSources());
  });

  it("show the lines that the demo prints", { tags: "long" }, () => {
    const told = tellSteps();
    expect(told.split("\n").length).toBeGreaterThan(8);
    expect(readShown()).toBe(told);
  });

  it("have the logo that the page has", () => {
    const [, path] = read("config/pictures/logo.svg").match(/ d="([^"]+)"/) ?? [];
    expect(read("src/daemon/page/layout.ts")).toContain(`d='${path}'`);
  });
});
