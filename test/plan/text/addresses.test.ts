import { expect, it } from "vitest";
import { addressKey, listAddresses } from "../../../src/plan/text/web-address.ts";
import { gitHub } from "../make.ts";

const one = "https://feedback.example.com/p/1";

it.each([
  ["alone", one],
  ["in a sentence", `See ${one}. Thanks`],
  ["as a link", `[the post](${one})`],
  ["in angle brackets", `<${one}>`],
  ["in HTML", `<a href="${one}">`],
  ["with a slash at its end", `${one}/`],
  ["with a fragment", `${one}#comment-2, and more`],
  ["in other capitals", "HTTPS://Feedback.Example.com/p/1"],
])("an address is found %s", (_, text) => {
  expect(listAddresses(text, gitHub)).toContain(addressKey(one, gitHub));
});

it.each([
  ["of a longer id", `${one}0`],
  ["of a page below it", `${one}/votes`],
  ["with a query", `${one}?page=2`],
  ["of another host", "https://feedback.example.com.evil.example/p/1"],
  ["that is none", "https://"],
])("an address is not found in one %s", (_, text) => {
  expect(listAddresses(text, gitHub)).not.toContain(addressKey(one, gitHub));
});

it("what is no address of the web has no key", () => {
  expect(addressKey("javascript:alert(1)", gitHub)).toBeUndefined();
});

it("a long text of addresses and full stops is looked through at once", () => {
  // Of its own time: a busy machine does not count. A look at every pair of characters takes a hundred times as long.
  const before = process.cpuUsage();
  listAddresses(`https://x.example/${".".repeat(65_000)}a`, gitHub);
  listAddresses("https://x.example/a ".repeat(3_000), gitHub);
  expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
});
