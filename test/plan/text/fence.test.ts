import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closeFences } from "../../../src/plan/text/fence.ts";
import { hostileText } from "../hostile-text.ts";

describe("code fences", () => {
  it.each([
    ["a text without one stays", "a `b` c\n", "a `b` c\n"],
    ["a closed one stays", "```js\nx\n```\ny", "```js\nx\n```\ny"],
    ["an open one is closed", "a\n```js\nx", "a\n```js\nx\n```"],
    ["with as many signs as opened it", "~~~~~\nx\n~~~", "~~~~~\nx\n~~~\n~~~~~"],
    ["another sign does not close", "```\nx\n~~~", "```\nx\n~~~\n```"],
    ["nor does one with text behind it", "```\nx\n```js", "```\nx\n```js\n```"],
    ["nor does one that is indented by four", "```\nx\n    ```", "```\nx\n    ```\n```"],
    ["nor does one with a space that Markdown does not know", "```\n```\u00A0", "```\n```\u00A0\n```"],
    ["more signs, blanks around them close", "```\nx\n  ````  \ny", "```\nx\n  ````  \ny"],
    ["backticks with a backtick behind them are no fence", "```a`b\nx", "```a`b\nx"],
    ["tildes may have one", "~~~a`b\nx", "~~~a`b\nx\n~~~"],
    ["an indented one moves to the margin", "- a\n  ```js\n  x\n  ```", "- a\n```js\n  x\n  ```"],
    ["deeper, it belongs to a list", "1. a\n\n    ```\n    x", "1. a\n\n    ```\n    x"],
    ["in a quote, it ends with it", "> ```\n> x", "> ```\n> x"],
    ["an endless row of signs is none", "`".repeat(33), `\u200B${"`".repeat(33)}`],
    ["but closes one", `\`\`\`\n${"`".repeat(33)}`, `\`\`\`\n${"`".repeat(33)}`],
  ])("%s", (_, text, expected) => {
    expect(closeFences(text)).toBe(expected);
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const once = closeFences(text.replaceAll("\u200B", ""));
        expect(closeFences(once)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });
});
