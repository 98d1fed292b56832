import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../../src/model/post.ts";
import {
  composeBody,
  hashBlock,
  normaliseBlock,
  replaceBlock,
  splitBody,
} from "../../../src/plan/text/block.ts";
import { formatMarker, type Marker } from "../../../src/plan/text/marker.ts";
import { sanitiseText } from "../../../src/plan/text/sanitise.ts";
import { hostileText } from "../hostile-text.ts";
import { gitHub } from "../make.ts";

const marker: Marker = {
  board: "0123456789abcdef",
  project: "acme" as ProjectId,
  posts: ["p1" as PostId],
};
const other: Marker = { ...marker, posts: ["p1" as PostId, "p2" as PostId] };
const line = formatMarker(marker);

describe("an issue's body", () => {
  it("is marker, block, end and rest", () => {
    expect(composeBody({ marker, block: "Text\n\nhttps://x.y/1", rest: "\n" })).toBe(
      `${line}\nText\n\nhttps://x.y/1\n\n<!-- boardsync:end -->\n`,
    );
  });

  it("comes apart as it was put together, whatever post and people write", () => {
    fc.assert(
      fc.property(hostileText, hostileText, (text, written) => {
        const block = sanitiseText(text, gitHub)
          .replace(/^\s*\n/, "")
          .trimEnd();
        const rest = `\n${written}`;
        expect(splitBody(composeBody({ marker, block, rest }))).toEqual({ above: "", marker, block, rest });
      }),
      { numRuns: 1_000 },
    );
  });

  it("is read with the line ends of GitHub's own form", () => {
    const body = composeBody({ marker, block: "a\nb", rest: "\nmine" }).replaceAll("\n", "\r\n");
    expect(splitBody(body)).toEqual({ above: "", marker, block: "a\r\nb", rest: "\r\nmine" });
  });

  it.each([
    ["has no comment", "Text"],
    ["begins with somebody's comment", `<!-- x -->\n${composeBody({ marker, block: "a", rest: "" })}`],
    ["has lost its end", `${line}\nText`],
    ["has an end inside of a line only", `${line}\nText <!-- boardsync:end -->`],
    ["has an end above the marker only", `<!-- boardsync:end -->\n${line}\nText`],
  ])("is none of ours where it %s", (_, body) => {
    expect(splitBody(body)).toBeUndefined();
    expect(replaceBlock(body, other, "new")).toBeUndefined();
  });

  it("keeps what people wrote around the block to the letter", () => {
    const rest = "\r\n \r\nmine\t \r\n<!-- boardsync:end -->\r\n<!-- x -->";
    const body = `Above  \r\n\r\n${composeBody({ marker, block: "old\r\ntext", rest })}`;
    expect(replaceBlock(body, other, "new")).toBe(
      `Above  \r\n\r\n${composeBody({ marker: other, block: "new", rest })}`,
    );
  });
});

describe("a block's hash", () => {
  it.each([
    ["line ends", "a\r\nb\rc"],
    ["blanks at the ends of lines", "a  \nb\t\nc "],
    ["empty lines around it", "\n\na\nb\nc\n\n"],
  ])("does not see %s", (_, text) => {
    expect(normaliseBlock(text)).toBe("a\nb\nc");
    expect(hashBlock(text)).toBe(hashBlock("a\nb\nc"));
  });

  it("sees everything else", () => {
    for (const text of ["a\n\nb\nc", " a\nb\nc", "a b\nc", "A\nb\nc"]) {
      expect(hashBlock(text)).not.toBe(hashBlock("a\nb\nc"));
    }
  });
});
