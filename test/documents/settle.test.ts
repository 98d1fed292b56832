import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { composeConfig } from "../../src/commands/setup/init-config.ts";

const root = join(import.meta.dirname, "../..");

/** Every file that people copy a config from. */
const files = [
  "README.md",
  ...readdirSync(join(root, "config"), { recursive: true, encoding: "utf8" }).map((name) => `config/${name}`),
].filter((name) => /\.(?:md|ya?ml|txt|ts)$/.test(name));

/** The configs in a file: the whole of it, or each block of a page. */
function* configsIn(name: string): Generator<string> {
  const text = readFileSync(join(root, name), "utf8");
  const parts = name.endsWith(".md")
    ? [...text.matchAll(/```\w*\n([\s\S]*?)```/g)].map(([, block]) => block)
    : [text];
  for (const part of parts) {
    // Also as a part of another file, or out-commented.
    const isConfig = /^[\s#]*board:/m.test(part ?? "") && /^[\s#]*projects:/m.test(part ?? "");
    if (isConfig) yield part ?? "";
  }
}

const configs = files.flatMap((name) =>
  [...configsIn(name)].map((text, index) => [`${name}, ${index + 1}`, text] as const),
);

it("finds the configs that are shipped", () => {
  const found = configs.map(([name]) => name.replace(/, \d+$/, ""));
  for (const name of [
    "README.md",
    "config/docs/reference/settings.md",
    "config/sample.yaml",
    "config/samples/company.yaml",
    "config/samples/open-source.yaml",
    "config/samples/products.yaml",
    "config/deploy/kubernetes/config.yaml",
    "config/deploy/helm/values.yaml",
    "config/deploy/helm/README.md",
  ])
    expect(found).toContain(name);
});

it.each(configs)("%s lets a change settle before voters are notified", (_, text) => {
  expect(text).toMatch(/^[\s#]*settle: 1[05]m/m);
});

it("`init` lets a change settle before voters are notified", () => {
  const text = composeConfig({
    url: "https://feedback.example.com/api/v1",
    github: undefined,
    projects: [],
    tools: [],
    hasSchema: false,
    today: "2026-01-31",
  });
  expect(text).toMatch(/^settle: 10m$/m);
});
