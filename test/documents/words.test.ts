import { expect, it } from "vitest";
import { isOwnWord } from "../../src/log.ts";
import { readPage } from "./pages.ts";

/** Names in examples. */
const strangers = new Set(["acme", "admin", "bash", "grafana", "mallory"]);

it.each(["json", "messages", "metrics", "commands"])(
  "no secret is looked for that is a word of the reference: %s",
  (name) => {
    const spans = [...readPage(`config/docs/reference/${name}.md`).matchAll(/`([^`]*)`/g)].map(
      ([, span = ""]) => span,
    );
    const words = new Set(spans.flatMap((span) => span.match(/(?<![A-Za-z])[a-z]{4,}(?![A-Za-z])/g) ?? []));
    expect(words.size).toBeGreaterThan(20);
    expect([...words].filter((word) => !isOwnWord(word) && !strangers.has(word))).toEqual([]);
  },
);
