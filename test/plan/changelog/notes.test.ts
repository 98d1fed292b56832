import { describe, expect, it } from "vitest";
import { publicNotes } from "../../../src/plan/changelog/notes.ts";
import { expectLinear } from "../../support/growth.ts";

const clean = (text: string, pages = "https://github.example.com/"): string => publicNotes(text, pages);

describe("the notes of a release, for customers", () => {
  it.each([
    ["plain words", "Faster **search**, `npm i a@1.2`", "Faster **search**, `npm i a@1.2`"],
    ["a line that GitHub made", "* Fix login by @ann in https://github.com/acme/app/pull/12", "* Fix login"],
    ["the tracker's own host", "* Fix by @a-b in https://github.example.com/x/pull/1", "* Fix"],
    ["a subdomain of it", "See https://gist.github.com/x/1 now", "now"],
    ["a link with a text", 'Read [the guide](https://github.com/acme/app/wiki "Guide").', "Read the guide."],
    ["a picture of it", "![A chart](https://user-images.githubusercontent.com/1/a.png)", "A chart"],
    [
      "another address",
      "[Docs](https://docs.example.com/a) https://example.com",
      "[Docs](https://docs.example.com/a) https://example.com",
    ],
    ["a host that only ends alike", "https://notgithub.com/a", "https://notgithub.com/a"],
    ["numbers of issues", "Faster (#12, acme/app#3) and GH-4, fixes #5", "Faster and"],
    ["a heading with a number", "## Version 3", "## Version 3"],
    ["a number that is none", "Costs 5 # a & b#c, item#12x", "Costs 5 # a & b#c, item#12x"],
    ["a team and a bot", "Thanks to @acme/web-team, @dependabot[bot]!", ""],
    ["a word behind a name", "Made by @ann with care", "Made with care"],
    ["a mention with a full-width sign", "by ＠ann", ""],
    ["an e-mail address stays for the next step", "mail ann@example.com", "mail ann@example.com"],
    ["a commit", `Revert \`${"0a".repeat(20)}\` now`, "Revert now"],
    ["a list of which nothing is left", "* a\n* #12\n1. @ann\n* b", "* a\n* b"],
    ["new contributors", "a\n\n## New Contributors\n* @x made it\n\n## More\nb", "a\n\n## More\nb"],
    ["the full changelog", "a\n\n**Full Changelog**: https://github.com/a/b/compare/1...2", "a"],
    ["comments and HTML", "a <!-- TODO\n secret --> b <details><summary>c</summary>d</details>", "a b cd"],
    ["a comment that nothing ends", "a\n<!-- b", "a"],
    ["HTML that is broken up", "<scr<b>ipt>x", "<script>x"],
    ["a hidden sign", "by &#64;ann", ""],
    ["empty lines", "a\n\n\n\n\nb", "a\n\nb"],
  ])("keep what customers can use: %s", (_, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it("are the same when they are cleaned once more", () => {
    const text =
      "* A by @ann in https://github.com/acme/app/pull/12\n\n## B (#3)\n* [c](https://github.com/x)";
    expect(clean(clean(text))).toBe(clean(text));
  });

  it.each(["@a ", "[a](", "<a ", "#1", "by in ", "https://github.com/", "<!--", "(", "0a0a0a0a", "a/"])(
    "take no long time: %s",
    (part) => {
      expectLinear((size) => clean(part.repeat(Math.ceil(size / part.length))), part);
    },
  );
});
