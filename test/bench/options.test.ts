import { describe, expect, it } from "vitest";
import { readOptions, tellLeftOut } from "./options.ts";

describe("the options of the bench", () => {
  it("without any measure a whole, and say what it leaves out", () => {
    const options = readOptions([]);
    expect(options?.measurements.map(({ posts, projects }) => [posts, projects])).toEqual([
      [1000, 1],
      [10_000, 1],
      [10_000, 1],
      [10_000, 200],
    ]);
    expect(options && tellLeftOut(options)).toContainEqual(expect.stringContaining("100,000 posts"));
  });

  it("leave nothing out by the commands that they name", () => {
    const usual = readOptions([]);
    const commands = (usual ? tellLeftOut(usual) : []).map((line) => line.split(" -- ")[1]?.split(" "));
    const measurements = commands.flatMap((args) => readOptions(args ?? ["--what"])?.measurements ?? []);
    expect(usual && tellLeftOut({ ...usual, measurements })).toEqual([]);
  });

  it.each(["--sizes 0", "--runs 1.5", "--scenarios sleep", "--parts all", "--share 2", "--what"])(
    "refuse %s",
    (text) => expect(readOptions(text.split(" "))).toBeUndefined(),
  );
});
