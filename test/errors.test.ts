import { describe, expect, it } from "vitest";
import { ConfigError, ProjectError, RemoteError, StateError, StateHeldError } from "../src/errors.ts";

describe("an error that ends a run", () => {
  it.each([
    [new ConfigError(["a"]), "ConfigError"],
    [new RemoteError("board", "limited", "a"), "RemoteError"],
    [new ProjectError("board.project", "a"), "ProjectError"],
    [new StateError("a"), "StateError"],
    [new StateHeldError("a"), "StateHeldError"],
  ])("%s is told by its class and its name", (error, name) => {
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(name);
    expect(error.message).toBe("a");
    expect(error.stack).toContain("errors.test.ts");
  });

  it("of the config holds every problem, one a line", () => {
    const error = new ConfigError(["The first.", "The second."]);
    expect(error.problems).toEqual(["The first.", "The second."]);
    expect(error.message).toBe("The first.\nThe second.");
  });

  it.each([
    ["board", "unauthorized", "board.unauthorized"],
    ["tracker", "unreadable", "tracker.unreadable"],
  ] as const)("of the %s that is %s has the code %s", (side, fault, code) => {
    const error = new RemoteError(side, fault, "No.");
    expect([error.side, error.fault, error.code]).toEqual([side, fault, code]);
  });

  it("of a side keeps what the library threw, and the time before which nothing is asked again", () => {
    const cause = new TypeError("fetch failed");
    const error = new RemoteError("board", "limited", "Later.", { cause, retryAt: 5 });
    expect(error.cause).toBe(cause);
    expect(error.retryAt).toBe(5);
    expect(new RemoteError("board", "missing", "No.").retryAt).toBeUndefined();
  });

  it("of a project has the code that it was given", () => {
    expect(new ProjectError("tracker.archived", "It is archived.").code).toBe("tracker.archived");
  });

  it("of the state keeps its cause", () => {
    const cause = new Error("SQLITE_FULL");
    expect(new StateError("The disk is full.", { cause }).cause).toBe(cause);
  });
});
