import { describe, expect, it } from "vitest";
import { loadEnvironment, readLogLevel, readVariable } from "../../src/config/environment.ts";
import { loadSecrets } from "../../src/config/secrets.ts";
import { cwd, failure, problemsOf, readTextFrom } from "./support.ts";

const both = { BOARD_API_KEY: "key-1", GITHUB_TOKEN: "token-1" };

function secretsOf(environment: Record<string, string>, files: Record<string, string | Error> = {}) {
  return loadSecrets({ environment, cwd, readText: readTextFrom(files) });
}

describe("secrets", () => {
  it("come from the environment", () => {
    expect(secretsOf(both)).toMatchObject({
      secrets: { boardApiKey: "key-1", githubToken: "token-1", all: ["key-1", "token-1"] },
      warnings: [],
    });
  });

  it.each(["key-2", "key-2\n", "key-2\r\n", "key-2\n\n"])("come from a file that holds %j", (content) => {
    const environment = { BOARD_API_KEY_FILE: "secrets/key", GITHUB_TOKEN_FILE: "/home/me/token" };
    const { secrets } = secretsOf(environment, { "secrets/key": content, token: "token-2" });
    expect(secrets).toMatchObject({ boardApiKey: "key-2", githubToken: "token-2" });
  });

  it("may have an empty first form beside the file, as compose files leave it", () => {
    const environment = { ...both, BOARD_API_KEY: "", BOARD_API_KEY_FILE: "key" };
    expect(secretsOf(environment, { key: "key-3" }).secrets.boardApiKey).toBe("key-3");
  });

  it("that are missing are all named", () => {
    expect(problemsOf(() => secretsOf({ GITHUB_TOKEN: "" }))).toEqual([
      "BOARD_API_KEY is not set: set it to the board's API key, or set BOARD_API_KEY_FILE to the name of a file that holds it",
      "GITHUB_TOKEN is empty: set it to a GitHub token, or set GITHUB_TOKEN_FILE to the name of a file that holds it",
    ]);
  });

  it("in both forms are refused", () => {
    const environment = { ...both, BOARD_API_KEY_FILE: "key" };
    expect(problemsOf(() => secretsOf(environment, { key: "key-3" }))).toEqual([
      "BOARD_API_KEY and BOARD_API_KEY_FILE are both set; keep one of them",
    ]);
  });

  it.each<[string, string | Error | undefined, string]>([
    ["is not there", undefined, ": there is no such file"],
    ["may not be read", failure("EACCES"), ": this user may not read it"],
    ["is a directory", failure("EISDIR"), ": it is a directory"],
    ["is empty", "\n", ", and that file is empty"],
    ["holds two lines", "one\ntwo", ": the value holds a space, a line break or a character that no key has"],
  ])("from a file that %s are refused", (_, content, reason) => {
    const environment = { ...both, GITHUB_TOKEN: "", GITHUB_TOKEN_FILE: "run/token" };
    const files = content === undefined ? {} : { "run/token": content };
    expect(problemsOf(() => secretsOf(environment, files))).toEqual([
      `GITHUB_TOKEN_FILE names "run/token"${reason}`,
    ]);
  });

  it.each(["abc def", " abc", "abc\n", "abc\tdef", "geheimnüß", "a\u0000b", "\u200babc"])(
    "that would break a header are refused, and never shown: %j",
    (value) => {
      const problems = problemsOf(() => secretsOf({ ...both, BOARD_API_KEY: value }));
      expect(problems).toEqual([
        "BOARD_API_KEY: the value holds a space, a line break or a character that no key has",
      ]);
    },
  );
});

describe("secrets of features that are not there yet", () => {
  it.each([
    [{ GITHUB_APP_ID: "1" }, "GITHUB_APP_ID"],
    [{ GITHUB_APP_PRIVATE_KEY_FILE: "key" }, "GITHUB_APP_PRIVATE_KEY"],
    [{ GITHUB_APP_ID: "1", GITHUB_APP_PRIVATE_KEY: "k" }, "GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY"],
  ])("a GitHub App without a token is refused: %o", (app, names) => {
    expect(problemsOf(() => secretsOf({ BOARD_API_KEY: "key-1", ...app }))).toEqual([
      `${names}: signing in as a GitHub App is not available yet in this version; set GITHUB_TOKEN to a personal access token`,
    ]);
  });

  it("are kept out of logs whatever is wrong with them", () => {
    const environment = {
      ...both,
      GITHUB_APP_PRIVATE_KEY: "-----BEGIN KEY-----\nMIIE\n",
      GITHUB_WEBHOOK_SECRET: "a b",
    };
    expect(secretsOf(environment).secrets.all).toEqual([
      "key-1",
      "token-1",
      "-----BEGIN KEY-----\nMIIE\n",
      "a b",
    ]);
  });

  it("are named in warnings where nothing needs them, and still kept out of logs", () => {
    const environment = {
      ...both,
      GITHUB_APP_ID: "12345",
      GITHUB_APP_PRIVATE_KEY_FILE: "app.pem",
      GITHUB_WEBHOOK_SECRET_FILE: "hook",
      BOARDSYNC_HTTP_TOKEN: "page-1",
    };
    const { secrets, warnings } = secretsOf(environment, { hook: "hook-1\n" });
    expect(warnings).toEqual([
      "GITHUB_APP_ID is not used yet in this version",
      "GITHUB_APP_PRIVATE_KEY is not used yet in this version",
      "GITHUB_WEBHOOK_SECRET is not used yet in this version",
      "BOARDSYNC_HTTP_TOKEN is not used yet in this version",
    ]);
    expect(secrets.all).toEqual(["key-1", "token-1", "12345", "hook-1", "page-1"]);
  });
});

describe("the environment", () => {
  const environmentOf = (env: Record<string, string | undefined>, dotEnv?: string | Error) =>
    loadEnvironment({ env, cwd, readText: readTextFrom(dotEnv === undefined ? {} : { ".env": dotEnv }) });

  it("is what it is where there is no .env", () => {
    expect(environmentOf({ A: "1", B: undefined })).toEqual({ A: "1" });
  });

  it("gets from .env what it does not have itself", () => {
    expect(environmentOf({ A: "real" }, "A=file\nB='quoted value' # comment\nexport C=3\n")).toEqual({
      A: "real",
      B: "quoted value",
      C: "3",
    });
  });

  it.each([
    [{ BOARD_API_KEY_FILE: "f" }, "BOARD_API_KEY=k", { BOARD_API_KEY_FILE: "f" }],
    [{ BOARD_API_KEY: "k" }, "BOARD_API_KEY_FILE=f", { BOARD_API_KEY: "k" }],
    [{ BOARD_API_KEY: "" }, "BOARD_API_KEY=k", { BOARD_API_KEY: "" }],
  ])("wins over either form of a secret in .env: %o over %s", (env, dotEnv, result) => {
    expect(environmentOf(env, dotEnv)).toEqual(result);
  });

  it("does not mind a directory called .env", () => {
    expect(environmentOf({ A: "1" }, failure("EISDIR"))).toEqual({ A: "1" });
  });

  it("says when .env may not be read", () => {
    expect(problemsOf(() => environmentOf({}, failure("EACCES")))).toEqual([
      ".env: this user may not read it",
    ]);
  });

  it("has no variables that JavaScript invents", () => {
    expect(readVariable(environmentOf({}), "constructor")).toBeUndefined();
  });
});

describe("the log level", () => {
  it.each([
    [{}, "info"],
    [{ BOARDSYNC_LOG_LEVEL: "" }, "info"],
    [{ BOARDSYNC_LOG_LEVEL: "trace" }, "trace"],
    [{ BOARDSYNC_LOG_LEVEL: "fatal" }, "fatal"],
  ])("for %o is %s", (environment, level) => {
    expect(readLogLevel(environment)).toBe(level);
  });

  it("that is none is refused", () => {
    expect(problemsOf(() => readLogLevel({ BOARDSYNC_LOG_LEVEL: "warning" }))).toEqual([
      "BOARDSYNC_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, not `warning`",
    ]);
    expect(problemsOf(() => readLogLevel({ BOARDSYNC_LOG_LEVEL: "DEBUG" }))[0]).toMatch(
      /did you mean `debug`\?$/,
    );
  });
});
