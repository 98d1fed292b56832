import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../../src/model/post.ts";
import {
  boardHash,
  formatMarker,
  guessAddress,
  type Marker,
  parseMarker,
} from "../../../src/plan/text/marker.ts";
import { hostileText } from "../hostile-text.ts";

function markerOf(project: string, posts: readonly string[]): Marker {
  return { board: "0123456789abcdef", project: project as ProjectId, posts: posts as readonly PostId[] };
}

const marker = markerOf("acme", ["p1", "p2"]);
const line = "<!-- boardsync:v1 board=0123456789abcdef project=YWNtZQ posts=cDE,cDI -->";

describe("the marker", () => {
  it("is one line of a fixed form", () => {
    expect(formatMarker(marker)).toBe(line);
  });

  it.each([
    ["alone", line],
    ["with a body behind it", `${line}\nText`],
    ["with CRLF", `${line}\r\nText\r\n`],
    ["after a byte order mark and blanks", `\uFEFF\r\n  ${line}\n`],
    ["below what people wrote", `**Update:** we are on it > soon.\n\n\`\`\`\nx\n\`\`\`\n\n${line}\nText`],
    ["before another one, which does not count", `${line}\n${formatMarker(markerOf("x", ["y"]))}`],
  ])("is read %s", (_, body) => {
    expect(parseMarker(body)).toEqual(marker);
  });

  it.each([
    ["there is none", "Text"],
    ["it is empty", ""],
    ["another comment stands before it", `<!-- x -->\n${line}`],
    ["it is in a code block", `\`\`\`\n${line}`],
    ["it is in a code block below another one", `~~~\nx\n~~~\n\`\`\`html\n${line}\n\`\`\``],
    ["it is code in a line", `as in \`${line}\``],
    ["text stands before it in its line", `See: ${line}`],
    ["text stands behind it in its line", `Look:\n${line} there`],
    ["it is indented", `Look:\n\n    ${line}`],
    ["it is code in a list", `- Look:\n  \`\`\`\n${line}`],
    ["it is code in HTML", `<pre>\n${line}\n</pre>`],
    ["it is quoted", `Look:\n> ${line}`],
    ["its version is another", line.replace("v1", "v2")],
    ["its board is no hash", line.replace("0123456789abcdef", "0123456789ABCDEF")],
    ["it names no post", line.replace("cDE,cDI", "")],
    ["a post is empty", line.replace("cDE,", "cDE,,")],
    ["a post is no base64url", line.replace("cDE", "c*E")],
    ["a post is padded", line.replace("cDE", "cDE=")],
    ["a post is not as we write it", line.replace("cDE", "cDF")],
    ["a project is no UTF-8", line.replace("YWNtZQ", "_w")],
    ["an id is spelt the other way without need", line.replace("YWNtZQ", ":YQBjAA")],
    ["an id is too long", formatMarker(markerOf("x".repeat(201), ["p"]))],
    ["an id is far too long", formatMarker(markerOf("x".repeat(2_000), ["p"]))],
    ["it is not closed", line.replace(" -->", "")],
    ["it says more", line.replace(" -->", " more=1 -->")],
  ])("is not read where %s", (_, body) => {
    expect(parseMarker(body)).toBeUndefined();
  });

  it("carries any ids and holds nothing that could end it", () => {
    const id = fc.oneof(hostileText, fc.string({ unit: "binary" }), fc.constant("\uD800")).map((text) => {
      return text.slice(0, 200) || "x";
    });
    fc.assert(
      fc.property(id, fc.array(id, { minLength: 1, maxLength: 5 }), (project, posts) => {
        const written = formatMarker(markerOf(project, posts));
        expect(written).toMatch(/^<!-- [A-Za-z0-9:_=, -]+ -->$/);
        expect(parseMarker(`${written}\nText`)).toEqual(markerOf(project, posts));
      }),
    );
  });
});

describe("the board's hash", () => {
  it("is the same for each spelling of an address", () => {
    const hash = boardHash("https://feedback.example.com/api/v1");
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    for (const same of [
      "https://feedback.example.com/api/v1/",
      "HTTPS://Feedback.Example.com:443/api/v1//",
      "https://feedback.example.com/api/v1?x#y",
    ]) {
      expect(boardHash(same)).toBe(hash);
    }
  });

  it("is another for another board", () => {
    const hash = boardHash("https://feedback.example.com/api/v1");
    expect(boardHash("https://feedback.example.com/api/v2")).not.toBe(hash);
    expect(boardHash("https://feedback.example.com:8443/api/v1")).not.toBe(hash);
    expect(boardHash("https://feedback.example.org/api/v1")).not.toBe(hash);
  });

  it("throws for what is no address", () => {
    expect(() => boardHash("feedback")).toThrow(TypeError);
  });
});

describe("the address behind a mark of another board", () => {
  const url = "https://feedback.example.com/boards/api/v1";
  it.each([
    ["the same address over http", "http://feedback.example.com/boards/api/v1", "", url],
    ["the same address without its first parts", "https://feedback.example.com/api/v1", "", url],
    ["the same host without a path", "https://feedback.example.com", "", url],
    [
      "the API of a host that the text names",
      "https://old.example/api/v1",
      "See https://OLD.example/p/1.",
      url,
    ],
    ["with a port", "https://old.example:8443/api/v1", "(https://old.example:8443/p/1)", url],
    [
      "the API of a board at the root",
      "https://old.example/api/v1",
      "https://old.example/p/1",
      "https://new.example",
    ],
  ])("is told: %s", (_, address, text, own) => {
    expect(guessAddress(boardHash(address), own, text)).toBe(address);
  });

  it.each([
    ["a host that nothing names", "https://old.example/api/v1", "Text"],
    ["a path that nothing names", "https://old.example/elsewhere", "https://old.example/p/1"],
    ["what is no address", "https://old.example/api/v1", "https://:99999x/ https://%"],
    [
      "more addresses than are tried",
      "https://old.example/api/v1",
      `${"https://a.example ".repeat(20)}https://old.example/p/1`,
    ],
  ])("is not told: %s", (_, address, text) => {
    expect(guessAddress(boardHash(address), url, text)).toBeUndefined();
  });
});
