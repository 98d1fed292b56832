import { describe, expect, it } from "vitest";
import { command, remedyOf } from "../../src/sync/remedy.ts";

describe("what ends a wait", () => {
  it.each([
    ["held", "p1", "boardsync approve acme-app p1"],
    ["held", "-p1", "boardsync approve acme-app acme-app/-p1"],
    ["parked", "p1", "boardsync retry acme-app/p1"],
    ["quarantined", "p1", "boardsync release acme-app/p1"],
    ["disagreement", "p1", undefined],
    ["settling", "p1", undefined],
    ["undecided", "p1", undefined],
    ["intent", "p1", undefined],
  ] as const)("of %s, of the post %s: %s", (kind, post, typed) => {
    expect(remedyOf({ kind, post }, "acme-app")).toBe(typed);
  });

  it("is quoted where a shell would take an id for its own", () => {
    expect(command("retry", "acme/$(reboot)")).toBe("boardsync retry 'acme/$(reboot)'");
    expect(command("retry", "it's")).toBe("boardsync retry 'it'\\''s'");
  });
});
