import { describe, expect, it } from "vitest";
import type { IssueRecord } from "../../../src/model/issue.ts";
import type { ImportSettings } from "../../../src/plan/ground/settings.ts";
import { draftPost, postArguments } from "../../../src/plan/imports/draft.ts";
import { TemplateError } from "../../../src/plan/text/template.ts";

const args = {
  name: "{{ issue.title }}",
  text: "{{ issue.body }}",
  group: "{{ issue.category }}",
  to: "{{ project.id }}",
};
const settings: ImportSettings = { labels: ["idea"], fromAnyone: false, category: "cat_1", args };
const place = { name: "acme/app#7", address: "https://github.com/acme/app/issues/7" };

function record(title: string, body: string): IssueRecord {
  const issue = {
    ...{ repositoryId: 10, number: 7, nodeId: "I_7", state: "open" as const, stateReason: null },
    ...{ labels: ["idea"], assignees: [], milestone: null, type: null, locked: false },
    ...{ createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" },
  };
  return { issue, author: "ada", title, body };
}

describe("the post that an issue becomes", () => {
  it("has its title, and its text with its address behind", () => {
    expect(draftPost(record("CSV", "As a file."), place, settings)).toEqual({
      ...{ kind: "create-post", post: "acme/app#7", issue: { repositoryId: 10, number: 7 }, title: "CSV" },
      ...{ body: `As a file.\n\n${place.address}`, address: place.address, category: "cat_1" },
      reason: "the issue has the label idea",
    });
  });

  it("is called as the issue is where nothing is left of the title, and holds its address alone where it has no text", () => {
    expect(draftPost(record("\u200B", "<!-- nothing -->"), place, settings)).toMatchObject({
      ...{ title: "acme/app#7", body: place.address },
    });
  });

  it("is asked for by the arguments of the config", () => {
    const draft = draftPost(record("CSV {{ 1 }}", "As a file."), place, settings);
    expect(postArguments(draft, settings, "prj_1")).toEqual({
      ...{ name: "CSV {{ 1 }}", text: `As a file.\n\n${place.address}`, group: "cat_1", to: "prj_1" },
    });
    const { category: _, ...without } = settings;
    expect(postArguments(draftPost(record("CSV", ""), place, without), without, "prj_1")).toMatchObject({
      group: "",
    });
  });

  it("is not asked for where its address would be lost, by which it is found again", () => {
    const draft = draftPost(record("CSV", "As a file."), place, settings);
    const lost = { ...settings, args: { name: "{{ issue.title }}" } };
    expect(() => postArguments(draft, lost, "prj_1")).toThrow(TemplateError);
    expect(() => postArguments(draft, lost, "prj_1")).toThrow(/issue\.address/);
  });
});
