import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { loadEnvironment, readLogLevel, readVariable } from "../../src/config/environment.ts";
import { loadSecrets } from "../../src/config/secrets.ts";
import { createAppKey } from "../support/app-key.ts";
import { cwd, failure, problemsOf, readTextFrom } from "./support.ts";

const pkcs8 = { type: "pkcs8", format: "pem" } as const;
const both = { BOARD_API_KEY: "key-1", GITHUB_TOKEN: "token-1" };

function secretsOf(environment: Record<string, string>, files: Record<string, string | Error> = {}) {
  return loadSecrets({ environment, cwd, readText: readTextFrom(files) });
}

describe("secrets", () => {
  it("come from the environment", () => {
    expect(secretsOf(both)).toMatchObject({
      secrets: {
        boardApiKey: "key-1",
        github: { kind: "token", token: "token-1" },
        all: ["key-1", "token-1"],
      },
    });
  });

  it.each(["key-2", "key-2\n", "key-2\r\n", "key-2\n\n"])("come from a file that holds %j", (content) => {
    const environment = { BOARD_API_KEY_FILE: "secrets/key", GITHUB_TOKEN_FILE: "/home/me/token" };
    const { secrets } = secretsOf(environment, { "secrets/key": content, token: "token-2" });
    expect(secrets).toMatchObject({ boardApiKey: "key-2", github: { token: "token-2" } });
  });

  it("may have an empty first form beside the file, as compose files leave it", () => {
    const environment = { ...both, BOARD_API_KEY: "", BOARD_API_KEY_FILE: "key" };
    expect(secretsOf(environment, { key: "key-3" }).secrets.boardApiKey).toBe("key-3");
  });

  it("that are missing are all named", () => {
    expect(problemsOf(() => secretsOf({ GITHUB_TOKEN: "" }))).toEqual([
      "BOARD_API_KEY is not set: set it to the board's API key, or set BOARD_API_KEY_FILE to the name of a file that holds it",
      "GITHUB_TOKEN is empty: set it to a GitHub token (or sign in as a GitHub App, with GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY), or set GITHUB_TOKEN_FILE to the name of a file that holds it",
    ]);
  });

  it.each(["GITHUB_WEBHOOK_SECRET", "BOARDSYNC_HTTP_TOKEN", "BOARDSYNC_HTTP_READ_TOKEN"])(
    "of our own that anybody can guess are refused: %s",
    (name) => {
      expect(problemsOf(() => secretsOf({ ...both, [name]: "x" }))).toEqual([
        `${name} has fewer than 5 characters, which anybody can guess: set it to a long random one (\`openssl rand -hex 32\`)`,
      ]);
    },
  );

  it.each(["BOARD_API_KEY=key-1", "export BOARD_API_KEY=key-1"])(
    "that were pasted with their name are refused: %s",
    (value) => {
      expect(problemsOf(() => secretsOf({ ...both, BOARD_API_KEY: value }))).toEqual([
        "BOARD_API_KEY: the value begins with BOARD_API_KEY=; leave that out",
      ]);
      const files = { key: `${value}\n` };
      const { BOARD_API_KEY: _, ...others } = both;
      expect(problemsOf(() => secretsOf({ ...others, BOARD_API_KEY_FILE: "key" }, files))).toEqual([
        'BOARD_API_KEY_FILE names "key": the value begins with BOARD_API_KEY=; leave that out',
      ]);
    },
  );

  it.each([`"key-1"`, "'key-1'"])("in quotes that nothing has taken off are refused: %s", (value) => {
    expect(problemsOf(() => secretsOf({ ...both, BOARD_API_KEY: value }))).toEqual([
      "BOARD_API_KEY: the value stands in quotes; leave them out",
    ]);
    const { BOARD_API_KEY: _, ...others } = both;
    expect(problemsOf(() => secretsOf({ ...others, BOARD_API_KEY_FILE: "key" }, { key: value }))).toEqual([
      'BOARD_API_KEY_FILE names "key": the value stands in quotes; leave them out',
    ]);
  });

  it.each(["$BOARD_API_KEY", `$${"{BOARD_API_KEY}"}`, `$${"{key}"}`])(
    "that are only a variable's name are refused: %s",
    (value) => {
      expect(problemsOf(() => secretsOf({ ...both, BOARD_API_KEY: value }))).toEqual([
        "BOARD_API_KEY: the value is the name of a variable, and nothing has put in what that holds",
      ]);
    },
  );

  it("of the state's address are covered, as they are written and as they are meant", () => {
    const url = "postgres://me:a%20key@db/state";
    expect(secretsOf({ ...both, BOARDSYNC_STATE_URL: url }).secrets.all).toEqual([
      "key-1",
      "token-1",
      "a%20key",
      "a key",
    ]);
    const files = { url: `${url}?password=another\n` };
    expect(secretsOf({ ...both, BOARDSYNC_STATE_URL_FILE: "url" }, files).secrets.all).toContain("another");
  });

  it("in both forms are refused", () => {
    const environment = { ...both, BOARD_API_KEY_FILE: "key" };
    expect(problemsOf(() => secretsOf(environment, { key: "key-3" }))).toEqual([
      "BOARD_API_KEY and BOARD_API_KEY_FILE are both set; keep one of them",
    ]);
  });

  it.each<[string, string | Error | undefined, string]>([
    ["is not there", undefined, ": there is no such file (/home/me/run/token)"],
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

describe("a GitHub App", () => {
  const { privateKey: pem } = createAppKey();
  const lines = pem.trim().split("\n");
  const app = { BOARD_API_KEY: "key-1", GITHUB_APP_ID: "12345" };

  it("with its key in quotes is told so", () => {
    const quoted = `"${lines.join("\\n")}"`;
    expect(problemsOf(() => secretsOf({ ...app, GITHUB_APP_PRIVATE_KEY: quoted }))).toEqual([
      "GITHUB_APP_PRIVATE_KEY: the value stands in quotes; leave them out",
    ]);
  });

  it.each([
    ["as GitHub gives it", pem],
    ["on one line, as .env files hold it", lines.join("\\n")],
    ["on one line with the line ends of Windows", `${lines.join("\\r\\n")}\\r\\n`],
    ["with the line ends of Windows", lines.join("\r\n")],
    ["as PKCS#8", createPrivateKey(pem).export({ type: "pkcs8", format: "pem" }).toString()],
  ])("signs in with a key %s", (_, value) => {
    const { github } = secretsOf({ ...app, GITHUB_APP_PRIVATE_KEY: value }).secrets;
    if (github.kind !== "app") throw new Error("This should be an App.");
    expect(github.appId).toBe("12345");
    expect(createPrivateKey(github.privateKey).equals(createPrivateKey(pem))).toBe(true);
  });

  it("may have its key in a file", () => {
    const { secrets } = secretsOf({ ...app, GITHUB_APP_PRIVATE_KEY_FILE: "app.pem" }, { "app.pem": pem });
    expect(secrets.github).toMatchObject({ kind: "app", appId: "12345" });
  });

  it("has a key of which no line is ever shown, and an id that may be", () => {
    const { all } = secretsOf({ ...app, GITHUB_APP_PRIVATE_KEY: pem }).secrets;
    expect(all).toEqual(["key-1", ...lines.slice(1, -1)]);
  });

  it.each([
    ["nothing of a key", "abc"],
    ["its first line only", lines[0] ?? ""],
    ["a key of another kind", generateKeyPairSync("ed25519").privateKey.export(pkcs8).toString()],
    ["half of it", lines.slice(0, 9).join("\n")],
  ])("with %s as its key is refused without showing it", (_, value) => {
    const problems = problemsOf(() => secretsOf({ ...app, GITHUB_APP_PRIVATE_KEY: value }));
    expect(problems).toEqual([
      "GITHUB_APP_PRIVATE_KEY: the value is no RSA private key in PEM form; give the whole file that GitHub made, from its line BEGIN to its line END, with line breaks or with \\n in their place",
    ]);
  });

  it("without its key, or without its id, is refused and told which", () => {
    expect(problemsOf(() => secretsOf(app))).toEqual([
      "GITHUB_APP_PRIVATE_KEY is not set: set it to the App's private key, the PEM file that GitHub gives, or set GITHUB_APP_PRIVATE_KEY_FILE to the name of a file that holds it",
    ]);
    expect(problemsOf(() => secretsOf({ BOARD_API_KEY: "k-1", GITHUB_APP_PRIVATE_KEY: pem }))).toEqual([
      "GITHUB_APP_ID is not set: set it to the App's id, as its settings on GitHub show it, or set GITHUB_APP_ID_FILE to the name of a file that holds it",
    ]);
  });

  it("beside a token is refused: one of the two must go", () => {
    expect(problemsOf(() => secretsOf({ ...both, ...app }))).toEqual([
      "GITHUB_TOKEN and GITHUB_APP_ID are all set: keep GITHUB_TOKEN to sign in by a personal access token, or the other two to sign in as a GitHub App",
    ]);
  });
});

describe("the secrets of the daemon's HTTP", () => {
  it("are left out where nobody has set them", () => {
    const environment = { ...both, GITHUB_WEBHOOK_SECRET: "", BOARDSYNC_HTTP_TOKEN_FILE: "" };
    expect(secretsOf(environment).secrets.http).toEqual({
      webhook: undefined,
      token: undefined,
      readToken: undefined,
    });
  });

  it("come from the environment or from files, and are kept out of logs", () => {
    const environment = {
      ...both,
      GITHUB_WEBHOOK_SECRET_FILE: "hook",
      BOARDSYNC_HTTP_TOKEN: "page-1",
      BOARDSYNC_HTTP_READ_TOKEN_FILE: "read",
    };
    const { secrets } = secretsOf(environment, { hook: "hook-1\n", read: "read-1\n" });
    expect(secrets.http).toEqual({ webhook: "hook-1", token: "page-1", readToken: "read-1" });
    expect(secrets.all).toEqual(["key-1", "token-1", "hook-1", "page-1", "read-1"]);
  });

  it("are refused where the token that only reads is the one that gives orders", () => {
    const environment = { ...both, BOARDSYNC_HTTP_TOKEN: "page-1", BOARDSYNC_HTTP_READ_TOKEN: "page-1" };
    expect(problemsOf(() => secretsOf(environment))).toEqual([
      expect.stringMatching(/^BOARDSYNC_HTTP_READ_TOKEN is the same as BOARDSYNC_HTTP_TOKEN/),
    ]);
  });

  it("are refused where they can't be right, together with what else is wrong", () => {
    const environment = {
      GITHUB_TOKEN: "token-1",
      GITHUB_WEBHOOK_SECRET: "a b",
      BOARDSYNC_HTTP_TOKEN_FILE: "no",
    };
    expect(problemsOf(() => secretsOf(environment))).toEqual([
      expect.stringMatching(/^BOARD_API_KEY is not set/),
      expect.stringMatching(/^GITHUB_WEBHOOK_SECRET: the value holds a space/),
      expect.stringMatching(/^BOARDSYNC_HTTP_TOKEN_FILE names "no": /),
    ]);
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

  it.each([
    [{ BOARD_API_KEY: '"key-1"' }, { BOARD_API_KEY: "key-1" }],
    [{ GITHUB_TOKEN: "'token-1' " }, { GITHUB_TOKEN: "token-1" }],
    [{ https_proxy: '"http://a:1"' }, { https_proxy: "http://a:1" }],
    [{ BOARDSYNC_CONFIG: '"half' }, { BOARDSYNC_CONFIG: '"half' }],
    [{ OTHER: '"kept"' }, { OTHER: '"kept"' }],
  ])("loses the quotes that `--env-file` keeps around values of ours: %o", (env, expected) => {
    expect(environmentOf(env)).toEqual(expected);
  });

  it("does not mind a directory called .env", () => {
    expect(environmentOf({ A: "1" }, failure("EISDIR"))).toEqual({ A: "1" });
  });

  it("says when .env may not be read, or the folder that it is looked for in", () => {
    expect(problemsOf(() => environmentOf({}, failure("EACCES")))).toEqual([
      `.env: this user may not read it, or not look into ${cwd}: then start from another folder`,
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
    expect(readLogLevel(environment, "info")).toBe(level);
  });

  it("that is none is refused", () => {
    expect(problemsOf(() => readLogLevel({ BOARDSYNC_LOG_LEVEL: "warning" }, "info"))).toEqual([
      "BOARDSYNC_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, not `warning`",
    ]);
    expect(problemsOf(() => readLogLevel({ BOARDSYNC_LOG_LEVEL: "DEBUG" }, "info"))[0]).toMatch(
      /did you mean `debug`\?$/,
    );
  });
});
