/** @module-tag long */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RemoteError } from "../src/errors.ts";
import { escapeControls, escapeMarkup } from "../src/escape.ts";
import { createKnownSecrets, createLog, type Log, type LogOptions, redactor } from "../src/log.ts";
import { expectLinear } from "./support/growth.ts";

/** Everything that a terminal might act on, and that a stranger can write into a title. */
const hostile = [
  ["a colour", "\u001b[31m"],
  ["a title of the window", "\u001b]0;owned\u0007"],
  ["a bare escape", "\u001b"],
  ["a return to the start of the line", "\r"],
  ["a backspace", "\b"],
  ["a NUL", "\u0000"],
  ["DEL", "\u007f"],
  ["C1's CSI", "\u009b31m"],
  ["C1's next line", "\u0085"],
  ["a change of direction", "\u202e"],
  ["an isolate", "\u2066"],
  ["a mark of direction", "\u200f"],
  ["the Arabic mark", "\u061c"],
  ["Unicode's line separator", "\u2028"],
] as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** A log whose lines the test can read. */
function givenLog(options: Partial<LogOptions> = {}): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const log = createLog({
    level: "debug",
    isShown: false,
    redact: redactor([]),
    write: (line) => lines.push(line),
    ...options,
  });
  return { log, lines };
}

/** The line that is written for these fields and this message. */
function lineOf(fields: object, message = "Said", options: Partial<LogOptions> = {}): string {
  const { log, lines } = givenLog(options);
  log.info(fields, message);
  expect(lines).toHaveLength(1);
  return lines.join("");
}

function jsonOf(fields: object, message?: string, options?: Partial<LogOptions>): Record<string, unknown> {
  return JSON.parse(lineOf(fields, message, options));
}

function shownOf(fields: object, message?: string, options: Partial<LogOptions> = {}): string {
  return lineOf(fields, message, { ...options, isShown: true });
}

describe("a line of JSON", () => {
  it("has the level as a word, the time, the fields and the message, and nothing else", () => {
    const line = lineOf({ project: "acme", run: 3, isFirst: true, none: null }, "Project started");
    expect(line).toMatch(/^\{.*\}\n$/);
    const { time, ...rest } = JSON.parse(line);
    expect(rest).toEqual({
      level: "info",
      project: "acme",
      run: 3,
      isFirst: true,
      none: null,
      msg: "Project started",
    });
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it.each(["debug", "info", "warn", "error"] as const)("of %s says so", (level) => {
    const { log, lines } = givenLog();
    log[level]({}, "Said");
    expect(lines.map((line) => JSON.parse(line).level)).toEqual([level]);
  });

  it("is a single one, whatever the message holds", () => {
    const line = lineOf({ title: "a\nb" }, 'c\n{"level":"error","msg":"forged"}\n');
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(JSON.parse(line).msg).toBe('c\n{"level":"error","msg":"forged"}\n');
  });

  it("takes a message as it is: no placeholder in it is filled in", () => {
    expect(jsonOf({ count: 1 }, "100%% of %s %d %o %j")["msg"]).toBe("100%% of %s %d %o %j");
  });

  it.each(hostile)("escapes %s and means the same", (_name, text) => {
    const line = lineOf({ [`key${text}`]: text, list: [text] }, `a${text}b`);
    expect(line.slice(0, -1)).not.toMatch(unsafe);
    expect(JSON.parse(line)).toMatchObject({ [`key${text}`]: text, list: [text], msg: `a${text}b` });
  });

  it("parses, whatever is in its fields and its message", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string({ unit: "binary" }),
        (data, message) => {
          const line = lineOf({ data }, message);
          expect(line.slice(0, -1)).not.toMatch(unsafe);
          expect(JSON.parse(line).msg).toBe(message.toWellFormed());
        },
      ),
    );
  });
});

describe("the level", () => {
  it.each([
    ["trace", ["debug", "info", "warn", "error"]],
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
    ["fatal", []],
    ["silent", []],
  ])("%s lets through %j", (level, expected) => {
    const { log, lines } = givenLog({ level });
    log.debug({}, "debug");
    log.info({}, "info");
    log.warn({}, "warn");
    log.error({}, "error");
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(expected);
  });

  it("that keeps a line away does not even look at its fields", () => {
    const { log } = givenLog({
      level: "info",
      redact: () => {
        throw new Error("looked at");
      },
    });
    expect(() => log.debug({ title: "a" }, "Said")).not.toThrow();
    expect(() => log.info({ title: "a" }, "Said")).toThrow("looked at");
  });
});

describe("a field", () => {
  it.each([
    ["a time", new Date("2026-03-06T12:00:00Z"), "2026-03-06T12:00:00.000Z"],
    ["a time that is none", new Date(Number.NaN), null],
    ["an address", new URL("https://example.com/a"), "https://example.com/a"],
    ["a large number", 12345678901234567890n, "12345678901234567890"],
    ["no number", Number.NaN, null],
    ["nested fields", { a: [{ b: "c" }] }, { a: [{ b: "c" }] }],
  ])("that is %s is printed", (_name, value, printed) => {
    expect(jsonOf({ value })["value"]).toEqual(printed);
  });

  it.each([
    ["undefined", undefined],
    ["a function", () => "secret"],
    ["a symbol", Symbol("a")],
  ])("that is %s is left out", (_name, value) => {
    expect(Object.keys(jsonOf({ value, other: 1 }))).toEqual(["level", "time", "other", "msg"]);
  });

  it("that is very long is cut, and says by how much", () => {
    const { value, err, msg } = jsonOf(
      { value: "x".repeat(1_000_000), err: new Error("y".repeat(9000)) },
      "z".repeat(8193),
    );
    expect(value).toBe(`${"x".repeat(8192)}… (991808 more)`);
    expect(err).toMatchObject({ message: `${"y".repeat(8192)}… (808 more)` });
    expect(msg).toBe(`${"z".repeat(8192)}… (1 more)`);
  });

  it("is cut behind the redaction, so that no first half of a secret is left", () => {
    const secret = "s3cr3t-value-of-the-board";
    const text = `${"x".repeat(8180)}${secret}${"y".repeat(100)}`;
    expect(lineOf({ text }, "Said", { redact: redactor([secret]) })).not.toContain("s3c");
  });

  it("is not cut in the middle of a character", () => {
    const cut = jsonOf({ text: "😀".repeat(5000).slice(1) })["text"];
    expect(cut).toBe(String(cut).toWellFormed());
  });

  it("that goes round in circles, is very deep or very wide ends somewhere", () => {
    const circle: Record<string, unknown> = { name: "circle" };
    circle["self"] = circle;
    circle["list"] = [circle];
    expect(lineOf({ circle }).length).toBeLessThan(10_000);
    const deep = JSON.parse(`${"[".repeat(2000)}${"]".repeat(2000)}`);
    expect(jsonOf({ deep })["deep"]).toEqual([[[[["…"]]]]]);
    expect(jsonOf({ wide: Array.from({ length: 5000 }, () => 1) })["wide"]).toHaveLength(1000);
    const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 1]));
    expect(Object.keys(Object(jsonOf({ keys })["keys"]))).toHaveLength(1000);
  });

  it("of 200 projects at the start of the daemon is printed whole", () => {
    const projects = Array.from({ length: 200 }, (_, index) => `project-${index}`);
    expect(jsonOf({ projects })["projects"]).toEqual(projects);
  });

  it("named like a part of a prototype is a field like any other", () => {
    const line = lineOf(JSON.parse('{"__proto__":{"polluted":1},"constructor":"c"}'));
    expect(line).toContain('"__proto__":{"polluted":1}');
    expect(line).toContain('"constructor":"c"');
    expect(Object("")).not.toHaveProperty("polluted");
  });
});

/** What octokit throws, with everything that it carries. */
function octokitError(token: string): Error {
  return Object.assign(new Error("Validation Failed"), {
    name: "HttpError",
    status: 422,
    request: {
      url: "https://api.github.com/repos/acme/app/issues",
      headers: { authorization: `token ${token}` },
      body: "text of a post",
    },
    response: { data: { message: "text of a post" }, headers: { "x-secret": token } },
    config: { auth: token },
  });
}

describe("an error in a line", () => {
  it("has its type, message, stack and code, and nothing of what the library put on it", () => {
    const error = Object.assign(octokitError("ghp_abcdef"), { code: "E422" });
    const { err } = jsonOf({ err: error });
    expect(err).toEqual({
      type: "HttpError",
      message: "Validation Failed",
      stack: error.stack,
      code: "E422",
    });
  });

  it("has the code of a remote error, and the library's error as its cause", () => {
    const cause = octokitError("ghp_abcdef");
    const { err } = jsonOf({ err: new RemoteError("tracker", "refused", "GitHub said no.", { cause }) });
    expect(err).toEqual({
      type: "RemoteError",
      message: "GitHub said no.",
      stack: expect.stringContaining("log.test.ts"),
      code: "tracker.refused",
      cause: { type: "HttpError", message: "Validation Failed", stack: cause.stack },
    });
  });

  it.each(["err", "error", "reason"])(
    "is printed in the field %s, and inside of other fields, too",
    (name) => {
      expect(jsonOf({ [name]: new TypeError("no") })[name]).toMatchObject({
        type: "TypeError",
        message: "no",
      });
      expect(jsonOf({ list: [{ [name]: new TypeError("no") }] })["list"]).toMatchObject([
        { [name]: { type: "TypeError", message: "no" } },
      ]);
    },
  );

  it.each([
    ["a number", 19, 19],
    ["an object", { token: "x" }, undefined],
    ["missing", undefined, undefined],
  ])("whose code is %s", (_name, code, printed) => {
    const { err } = jsonOf({ err: Object.assign(new Error("no"), { code }) });
    expect(Object(err).code).toBe(printed);
  });

  it.each([
    ["a text", "the other side hung up", "the other side hung up"],
    ["an object of a library", { request: { body: "text of a post" } }, undefined],
    ["null", null, undefined],
  ])("whose cause is %s", (_name, cause, printed) => {
    const { err } = jsonOf({ err: new Error("no", { cause }) });
    expect(Object(err).cause).toBe(printed);
  });

  it("with a message that is no text does not fail", () => {
    const error = Object.assign(new Error("no"), { name: 5, message: { body: "text of a post" }, stack: 7 });
    expect(jsonOf({ err: error })["err"]).toEqual({ type: "5", message: "[object Object]" });
  });

  it("without a stack is printed without one", () => {
    const error = new Error("no");
    Reflect.deleteProperty(error, "stack");
    expect(Object.keys(Object(jsonOf({ err: error })["err"]))).toEqual(["type", "message"]);
  });

  it("whose causes go round in circles is printed with five of them", () => {
    const first = new Error("first");
    first.cause = new Error("second", { cause: first });
    expect(lineOf({ err: first }).match(/"message":"(first|second)"/g)).toHaveLength(6);
  });
});

const secret = "ghp_S3cr3t/Tok+en=&\"\\é~'x9";

/** Where a secret may hide, and in which shape. */
const hidings: readonly (readonly [name: string, fields: object, message: string])[] = [
  ["the message", {}, `token ${secret}!`],
  ["a field", { note: `token ${secret}!` }, "Said"],
  ["the name of a field", { [`x${secret}`]: 1 }, "Said"],
  ["deep fields", { a: { b: [{ c: secret }] } }, "Said"],
  ["an error's message and stack", { err: new Error(`refused ${secret}`) }, "Said"],
  ["an error's name", { err: Object.assign(new Error("no"), { name: secret }) }, "Said"],
  ["an error's code", { err: Object.assign(new Error("no"), { code: secret }) }, "Said"],
  [
    "the cause of a cause",
    { err: new Error("a", { cause: new Error("b", { cause: new Error(secret) }) }) },
    "Said",
  ],
  ["a cause that is a text", { err: new Error("a", { cause: secret }) }, "Said"],
  ["JSON inside a text", { body: JSON.stringify({ key: secret }) }, "Said"],
  ["JSON inside JSON", { body: JSON.stringify({ body: JSON.stringify({ key: secret }) }) }, "Said"],
  ["an address", { url: new URL(`https://example.com/?key=${encodeURIComponent(secret)}`) }, "Said"],
  ["an address in small letters", { url: lowerEscapes(encodeURIComponent(secret)) }, "Said"],
  ["a form", { body: new URLSearchParams({ key: secret }).toString() }, "Said"],
  ["a small-lettered form", { body: lowerEscapes(new URLSearchParams({ key: secret }).toString()) }, "Said"],
  ["a header of Basic", { header: `Basic ${Buffer.from(`x:${secret}`).toString("base64")}` }, "Said"],
];

function lowerEscapes(text: string): string {
  return text.replace(/%../g, (escaped) => escaped.toLowerCase());
}

describe("a secret", () => {
  it.each(hidings)("in %s is in no line", (_name, fields, message) => {
    for (const isShown of [false, true]) {
      const line = lineOf(fields, message, { isShown, redact: redactor([secret]) });
      expect(line).toContain("[redacted]");
      expect(line).not.toContain("S3cr3t");
      expect(line).not.toContain("UzNjcjN0");
      expect(line).not.toContain("x9");
    }
  });

  it("of several lines is in no stack", () => {
    const key = "-----BEGIN KEY-----\nMIIabc\nMIIdef\n-----END KEY-----";
    const line = shownOf({ err: new Error(`Bad key ${key}`) }, `Bad key ${key}`, {
      redact: redactor([key]),
    });
    expect(line).toContain("Bad key [redacted]");
    expect(line).not.toMatch(/MII|KEY/);
  });
});

describe("the redaction", () => {
  it("leaves a text without secrets as it is", () => {
    expect(redactor(["abcdef"])("nothing here")).toBe("nothing here");
  });

  it.each([
    [
      "is the beginning of another",
      ["abcdef", "abcdefghi"],
      "x abcdefghi y abcdef z",
      "x [redacted] y [redacted] z",
    ],
    ["is the end of another", ["defghi", "abcdefghi"], "x abcdefghi y", "x [redacted] y"],
    ["lies inside another", ["cdef", "abcdefghi"], "abcdefghi", "[redacted]"],
    ["overlaps another", ["abcdef", "defghi"], "x abcdefghi y", "x [redacted] y"],
    ["overlaps itself", ["abab"], "x ababab y", "x [redacted] y"],
    ["stands at both ends", ["abcd"], "abcd-abcd", "[redacted]-[redacted]"],
    ["is a part of what stands in its place", ["redacted", "abcd"], "abcd", "[redacted]"],
    [
      "has characters of regular expressions",
      ["a.*b", "$&$1"],
      "aXXb a.*b $&$1",
      "aXXb [redacted] [redacted]",
    ],
    ["is empty or shorter than four characters", ["", "a", "abc"], "abc abcd", "abc abcd"],
    ["has four characters", ["abcd"], "abc abcd", "abc [redacted]"],
    ["is a word of ours", ["posts", "tracker"], '{"posts":8}', '{"posts":8}'],
    ["begins like a word of ours", ["posts8"], '{"posts":"posts8"}', '{"posts":"[redacted]"}'],
  ])("of a secret that %s", (_name, secrets, text, expected) => {
    expect(redactor(secrets)(text)).toBe(expected);
    expect(redactor(secrets.toReversed())(text)).toBe(expected);
  });

  it.each([
    ["a b+c", "a b+c"],
    ["a b+c", "a+b%2Bc"],
    ["a b+c", "a%20b%2bc"],
    ["a~'(é)", "a%7E%27(%C3%A9)"],
    ["a~'(é)", "a~'%28%c3%a9%29"],
    ["a%2Fb", "a%2Fb"],
    ["a%2Fb", "a%252Fb"],
    ["key😀", "key%F0%9F%98%80"],
  ])("finds %j in a URL as %j", (one, encoded) => {
    expect(redactor([one])(`?key=${encoded}&page=2`)).toBe("?key=[redacted]&page=2");
  });

  it("of half a character does not fail", () => {
    expect(redactor(["abc\ud83d"])("x abc\ud83d y")).toBe("x [redacted] y");
  });

  it("leaves nothing of a secret, wherever it stands", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", '"', "%") });
    const secrets = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "%"), minLength: 4, maxLength: 6 }));
    fc.assert(
      fc.property(secrets, fc.array(text), (known, parts) => {
        const whole = parts.flatMap((part, index) => [part, known[index] ?? ""]).join("");
        const safe = redactor(known)(whole);
        for (const one of known) expect(safe.replaceAll("[redacted]", "\u0000")).not.toContain(one);
      }),
    );
  });

  it("finds a secret in HTML", () => {
    const one = "p<>a&s\"s'w`ord";
    expect(redactor([one])(`<b title="${escapeMarkup(one)}">`)).toBe('<b title="[redacted]">');
  });

  it("leaves only the edges of a secret in base64, whatever stands around it", () => {
    const characters = fc.string({
      minLength: 12,
      maxLength: 40,
      unit: fc.constantFrom(..."abcXYZ019_-?>~"),
    });
    fc.assert(
      fc.property(characters, fc.string(), fc.string(), (one, before, after) => {
        for (const encoding of ["base64", "base64url"] as const) {
          const encoded = Buffer.from(`${before}${one}${after}`).toString(encoding);
          const safe = redactor([one])(encoded);
          expect(safe).toContain("[redacted]");
          const left = Buffer.from(safe.replace("[redacted]", ""), encoding).toString("latin1");
          expect(left.length).toBeLessThan(Buffer.byteLength(before + after) + 3);
        }
      }),
    );
  });

  it("hides secrets that are nearly everywhere in a long text, with work that grows no faster than it", () => {
    const redact = redactor([`${"a".repeat(40)}b`, "aaaaaaaa"]);
    expect(redact("a".repeat(65_536))).toBe("[redacted]");
    expectLinear((size) => redact("a".repeat(size)), "redaction");
  });
});

describe("a line for a terminal", () => {
  it.each(hostile)("shows %s instead of passing it on", (_name, text) => {
    const error = Object.assign(new Error(`a${text}b`), { code: `c${text}`, name: `n${text}` });
    const line = shownOf({ [`key${text}`]: `v${text}`, list: [text], err: error }, `m${text}n`);
    expect(JSON.stringify(JSON.parse(line))).not.toMatch(unsafe);
    const shown = escapeControls(text);
    for (const part of [`key${shown}`, `v${shown}`, `a${shown}b`, `c${shown}`, `m${shown}n`]) {
      expect(line).toContain(part);
    }
  });

  it("is written within the call, in the order of the calls", () => {
    const { log, lines } = givenLog({ isShown: true });
    log.warn({}, "one");
    log.error({}, "two");
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["one", "two"]);
  });
});

describe("escaping control characters", () => {
  it.each([
    ["a\nb", "a\nb"],
    ["a\tb", "a<09>b"],
    ["\u001b[2J", "<1b>[2J"],
    ["\u009b", "<9b>"],
    ["\u202e", "<202e>"],
    ["é 😀 ש", "é 😀 ש"],
    ["\\u001b", "\\u001b"],
    ["", ""],
  ])("%j becomes %j", (text, expected) => {
    expect(escapeControls(text)).toBe(expected);
  });
});

describe("secrets that become known later", () => {
  it("are covered from then on, also by a log that was made before", () => {
    const known = createKnownSecrets();
    const { redact } = known;
    expect(redact("key-1 token-1")).toBe("key-1 token-1");
    known.add(["key-1"]);
    known.addPassing("token-1");
    expect(redact("key-1 token-1")).toBe("[redacted] [redacted]");
  });

  it("are forgotten in their order where they hold for an hour only, and the others never", () => {
    const known = createKnownSecrets();
    known.add(["key-1"]);
    for (let count = 0; count < 65; count += 1) known.addPassing(`token-${count};`);
    expect(known.redact("key-1 token-0; token-1; token-64;")).toBe(
      "[redacted] token-0; [redacted] [redacted]",
    );
  });
});
