import { expect, it } from "vitest";
import { failWith, joinFailures } from "../../../src/commands/print/failure.ts";
import { ConfigError, ProjectError, RemoteError, StateError, StateHeldError } from "../../../src/errors.ts";
import { createOutput, createTerminal } from "../stage.ts";

it.each([
  [new ConfigError(["a.yaml:1:1: no.", "a.yaml:2:1: no."]), 2, "config", "a.yaml:1:1: no.\na.yaml:2:1: no."],
  [new RemoteError("board", "unauthorized", "No."), 3, "board.unauthorized", "No."],
  [new RemoteError("tracker", "limited", "Later."), 3, "tracker.limited", "Later."],
  [new ProjectError("tracker.archived", "Archived."), 1, "tracker.archived", "Archived."],
  [new StateError("Broken."), 1, "state.unusable", "Broken."],
  [new StateHeldError("Held by x."), 5, "state.held", "Held by x."],
  [new TypeError("Oh."), 1, "internal", "Oh."],
  ["a text", 1, "internal", "a text"],
])("%s ends a command with %i and `%s`", (error, exit, code, message) => {
  const [out, err] = [createOutput(), createOutput()];
  expect(failWith(createTerminal({ out, err }), { json: true }, error)).toBe(exit);
  expect(JSON.parse(out.text())).toEqual({ error: { code, message } });
  expect(err.text().startsWith(`${message}\n`)).toBe(true);
  expect(err.text().includes("This is a mistake in boardsync.")).toBe(code === "internal");
});

it("several failures are one: the first code, each message once", () => {
  const failures = ["a", "b", "a"].map((message) => ({ code: `code.${message}`, message }));
  expect(joinFailures(failures)).toEqual({ code: "code.a", message: "a\nb" });
});
