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
  });

  it("keeps what people wrote around the block to the letter", () => {
    const rest = "\r\n \r\nmine\t \r\n<!-- boardsync:end -->\r\n<!-- x -->";
    const body = `Above  \r\n\r\n${composeBody({ marker, block: "old\r\ntext", rest })}`;
    const split = splitBody(body);
    expect(split && replaceBlock(split, other, "new", 65_535)?.body).toBe(
      `Above  \r\n\r\n${composeBody({ marker: other, block: "new", rest })}`,
    );
  });
});

describe("a block that is larger than the room that people leave", () => {
  const limit = 65_535;
  const url = "https://board.example/p/1";

  function put(rest: string, block: string) {
    const split = splitBody(composeBody({ marker, block: "old", rest }));
    if (split === undefined) throw new Error("This is no body of ours.");
    return replaceBlock(split, other, block, limit);
  }

  it.each([
    ["plain text", "word ".repeat(12_000)],
    ["text of characters that take four bytes", "👩‍🚀".repeat(6_000)],
    ["text with references", "&lt;".repeat(15_000)],
    ["code", `\`\`\`\n${"line\n".repeat(12_000)}\`\`\``],
    ["one line", "x".repeat(60_000)],
  ])("is cut to it, and says so (%s)", (_, text) => {
    for (let size = 30_000; size < 30_012; size += 1) {
      const put1 = put("p".repeat(size), `${text}\n\n${url}`);
      const split = splitBody(put1?.body ?? "");
      expect(Buffer.byteLength(put1?.body ?? "")).toBeLessThanOrEqual(limit);
      expect(Buffer.byteLength(put1?.body ?? "")).toBeGreaterThan(limit - 200);
      expect(split).toMatchObject({ marker: other, rest: "p".repeat(size), block: put1?.block });
      expect(put1?.block).toContain("(cut; the whole text is in the post)");
      expect(put1?.block.endsWith(`\n\n${url}`)).toBe(true);
      expect(put1?.block.isWellFormed()).toBe(true);
      expect((put1?.block.match(/^```/gm) ?? []).length % 2).toBe(0);
      expect(put1?.block).not.toMatch(/&[a-z]{0,2}\n/);
    }
  });

  it("is whole where it just fits, and cut where one byte is missing", () => {
    const block = "b".repeat(1_000);
    const room = limit - Buffer.byteLength(composeBody({ marker: other, block, rest: "" }));
    expect(put("p".repeat(room), block)?.block).toBe(block);
    expect(put("p".repeat(room + 1), block)?.block).toContain("(cut;");
  });

  it("is nothing but the notice where there is next to no room, and nothing where there is none", () => {
    const room = limit - Buffer.byteLength(composeBody({ marker: other, block: "", rest: "" }));
    expect(put("p".repeat(room - 60), "b".repeat(300))?.block).toBe("… (cut; the whole text is in the post)");
    expect(put("p".repeat(room - 10), "b".repeat(300))).toBeUndefined();
    expect(put("p".repeat(room + 100), "b".repeat(300))).toBeUndefined();
  });

  it("is counted in characters where the tracker shows that it counts these", () => {
    const rest = "文".repeat(40_000);
    expect(put(rest, "b".repeat(20_000))?.block).toBe("b".repeat(20_000));
    const cut = put(rest, "b".repeat(30_000));
    expect(cut?.block).toContain("(cut;");
    expect(cut?.body.length).toBeLessThanOrEqual(limit);
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
