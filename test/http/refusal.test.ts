import { describe, expect, it } from "vitest";
import { type AskedKind, type Said, type Whose, whoseRefusal } from "../../src/http/refusal.ts";

function answer(status: number, words = "", more: Partial<Said> = {}): Said {
  return { status, words: [words], codes: [], namesTime: false, hasNothingLeft: false, ...more };
}

const everything: readonly AskedKind[] = ["read", "issue", "label", "post"];

describe("whose refusal an answer is", () => {
  it.each<[Said, Whose]>([
    [answer(401, "Bad credentials"), "credential"],
    [answer(401, "API rate limit exceeded"), "credential"],
    [answer(401, "", { namesTime: true }), "credential"],
    [answer(403, "Sorry. Your account was suspended."), "credential"],
    [answer(403, "Your account has been flagged. Contact support."), "credential"],
    [answer(429), "limit"],
    [answer(403, "You have exceeded a secondary rate limit."), "limit"],
    [answer(403, "API rate limit exceeded for user ID 1001."), "limit"],
    [answer(403, "", { hasNothingLeft: true }), "limit"],
    [answer(403, "Forbidden", { namesTime: true }), "limit"],
    [answer(422, "Validation Failed", { codes: ["abuse"] }), "limit"],
    [answer(422, "was submitted too quickly"), "limit"],
    [answer(422, "You have triggered an abuse detection mechanism"), "limit"],
    [answer(422, "API rate limit exceeded"), "limit"],
    [answer(422, "Try later", { namesTime: true }), "limit"],
    [answer(400, "Too many requests"), "limit"],
    [answer(400, "", { codes: ["rate_limited"] }), "limit"],
    [answer(409, "", { codes: ["RATE_LIMIT_EXCEEDED"] }), "limit"],
    [answer(503, "Rate limit reached, slow down"), "limit"],
    [answer(500, "temporarily blocked from content creation"), "limit"],
    [answer(404, "The API quota was exceeded"), "limit"],
    [answer(413, "", { namesTime: true }), "limit"],
  ])("of whatever was asked: %o is of the %s", (said, whose) => {
    expect(everything.map((asked) => whoseRefusal(said, asked))).toEqual(everything.map(() => whose));
  });

  it.each<[Said, Partial<Record<AskedKind, Whose>>]>([
    [answer(403, "Resource not accessible by personal access token"), { issue: "place", post: "place" }],
    [answer(403, "Resource not accessible by integration"), { issue: "place", post: "place" }],
    [answer(403, "Must have admin rights to Repository."), { issue: "place", post: "place" }],
    [answer(403, "Resource protected by organization SAML enforcement."), { issue: "place", post: "place" }],
    [answer(403, "Repository was archived so is read-only."), { issue: "place", post: "place" }],
    [answer(403, "words that nobody has foreseen"), { issue: "place", post: "place" }],
    [answer(403, "Unable to create comment because issue is locked."), {}],
    [answer(403, "Unable to update issue because it is locked."), {}],
    [answer(403, "Commenting is disabled on issues with more than 2500 comments"), {}],
    [answer(403, "This post is locked"), {}],
    [answer(403, "The idea was merged into another one"), {}],
    [answer(403, "Merged posts can't be edited"), {}],
    [answer(403, "This feedback is closed"), {}],
    [answer(403, "Feedback is closed for this project"), { issue: "place", post: "place" }],
    [answer(403, "An archived feedback board can't be changed"), { issue: "place", post: "place" }],
    [answer(403, "You may not edit posts"), { issue: "place", post: "place" }],
    [answer(404, "Not Found"), { issue: "place" }],
    [answer(451, "Repository access blocked"), { issue: "place" }],
    [answer(410, "Issues are disabled for this repo"), { issue: "place" }],
    [answer(410, "Issues has been disabled in this repository."), { issue: "place" }],
    [answer(422, "Must have push access to the repository"), { issue: "place" }],
    [answer(410, "This issue was deleted"), {}],
    [answer(422, "Validation Failed", { codes: ["invalid", "custom"] }), {}],
    [answer(400, "Problems parsing JSON"), {}],
    [answer(413, "Payload Too Large"), {}],
    [answer(408, "", { namesTime: true }), {}],
    [answer(502, "Server Error"), {}],
    [answer(503, "", { namesTime: true }), {}],
    [answer(500, "The repository is archived"), {}],
  ])("by what was asked: %o", (said, whose) => {
    for (const asked of everything)
      expect([asked, whoseRefusal(said, asked)]).toEqual([asked, whose[asked] ?? "asked"]);
  });
});
