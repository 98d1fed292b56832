import { expect, it } from "vitest";
import { readPage } from "./pages.ts";

it("the address of GitHub's form for an App asks for what the rules that `init` writes look at, and no more", () => {
  const page = readPage("config/docs/guides/github-app.md");
  const form = new URL(/https:\/\/github\.com\/settings\/apps\/new\S*/.exec(page)?.[0] ?? "about:blank");
  expect(Object.fromEntries(form.searchParams)).toEqual({
    ...{ name: "boardsync-acme", url: "https://github.com" },
    ...{ public: "false", webhook_active: "false" },
    ...{ issues: "write", metadata: "read", pull_requests: "read" },
  });
});
