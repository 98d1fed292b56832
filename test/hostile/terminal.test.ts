/** @module-tag long */
import { expect, it } from "vitest";
import { openStage, type Ran } from "../commands/stage.ts";

/** Sequences that move, colour, hide, rename, link, turn around, or begin a line that looks like ours. */
const evil = [
  "\u001b[2J\u001b[1;1H",
  "\u001b]0;owned\u0007",
  "\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\",
  "\u009b31m",
  "\u0090q\u009c",
  "\r✓ all is well\n✗ acme-app: forged",
  "\u2028forged\u0085forged",
  "\u202egnp.exe\u2066\u2069\u061c\u200f",
  "\b\b\b\u007f\u0000",
  "\ud800",
].join("x");

/** Nothing but what a text may hold; colours of ours are those of `styleText`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const commanding = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

it("nothing that people, the board or GitHub wrote commands a terminal or passes for a line of ours", async () => {
  const stage = await openStage();
  const { board, github } = stage.story;
  const posts = board.posts("acme-app");
  for (const { id } of posts) board.editPost("acme-app", id, { title: `${evil} ${id}`, description: evil });
  board.addPost("acme-app", { title: "x", status: `planned${evil}`, categoryId: evil });
  const ran: Ran[] = [];
  const run = async (...args: string[]): Promise<void> => {
    for (const isTerminal of [false, true])
      ran.push(await stage.run([...args, "--log-level", "trace"], { isTerminal }));
    ran.push(await stage.run([...args, "--json", "--log-level", "trace"]));
  };
  await run("check");
  await run("plan");
  await run("sync");
  github.label("acme/app", 3, evil.toWellFormed());
  github.close("acme/app", 1, "completed");
  github.close("acme/app", 2, "completed");
  board.failNext(
    { kind: "answer", status: 422, body: { error: evil } },
    { when: ({ method }) => method === "PATCH" },
  );
  await run("sync");
  github.failNext({
    times: 9,
    answer: {
      kind: "answer",
      status: 422,
      body: { message: evil, errors: [{ field: evil, message: evil }], documentation_url: evil },
    },
  });
  board.addPost("acme-app", { title: evil, status: "planned" });
  await run("sync");
  await run("status");
  await run("retry", evil.replaceAll("\u0000", ""));
  await run("approve", evil, "--yes");
  await run("sync", "--project", evil);
  await run(evil.replaceAll("\n", ""));
  expect(ran.some(({ err }) => err.includes("forged"))).toBe(true);
  for (const { out, err } of ran) {
    for (const text of [out, err]) {
      expect(commanding.exec(text)?.[0] ?? "", text.slice(0, 300)).toBe("");
      for (const line of text.split("\n")) expect(line).not.toMatch(/^(?:✗ acme-app: forged|forged)/);
    }
  }
});
