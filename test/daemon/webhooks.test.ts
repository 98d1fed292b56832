import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { Hint } from "../../src/daemon/hints.ts";
import { type HttpServer, serveHttp } from "../../src/daemon/http.ts";
import { webhookPart } from "../../src/daemon/webhooks.ts";
import { until } from "../support/until.ts";
import { createMemoryLog } from "./memory-log.ts";

const secret = "It's a Secret to Everybody";
const open: HttpServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

interface Example {
  readonly name: string;
  readonly examples: readonly object[];
}

/** What GitHub sends in public examples, by the event's name. */
const payloads = new Map(readExamples().map(({ name, examples }) => [name, examples]));

/** The package is one JSON file. */
function readExamples(): readonly Example[] {
  const file = fileURLToPath(import.meta.resolve("@octokit/webhooks-examples"));
  return JSON.parse(readFileSync(file, "utf8"));
}

interface Delivery {
  readonly event?: string | undefined;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signature?: string | undefined;
  readonly contentType?: string;
  /** Other headers; they win. */
  readonly headers?: Readonly<Record<string, string>>;
}

function sign(body: string | Uint8Array, key = secret): string {
  return `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
}

async function given(options: { readonly secret: string | undefined } = { secret }) {
  const hints: Hint[] = [];
  const notes: string[] = [];
  const reasons: string[] = [];
  const log = createMemoryLog();
  let now = 0;
  const part = webhookPart({
    secret: () => options.secret,
    hint: async (hint) => void hints.push(hint),
    note: (event, outcome, reason) => {
      notes.push(`${event} ${outcome}`);
      if (reason !== undefined) reasons.push(reason);
    },
    monotonic: () => now,
    log,
  });
  const server = await serveHttp({ host: "127.0.0.1", port: 0 }, createMemoryLog(), [part]);
  open.push(server);
  const url = `${server.address}/webhooks/github`;
  return {
    url,
    log,
    pass(ms: number) {
      now += ms;
    },
    hints,
    notes,
    reasons,
    async deliver(delivery: Delivery) {
      const { event, body = "{}", contentType = "application/json" } = delivery;
      const signature = "signature" in delivery ? delivery.signature : sign(body);
      const headers = {
        "content-type": contentType,
        ...(event !== undefined && { "x-github-event": event }),
        ...(signature !== undefined && { "x-hub-signature-256": signature }),
        ...delivery.headers,
      };
      const response = await fetch(url, { method: "POST", headers, body });
      const text = await response.text();
      return { status: response.status, answer: text === "" ? undefined : JSON.parse(text) };
    },
  };
}

const supported = ["issues", "label", "milestone", "pull_request", "release", "repository"];

describe("a delivery of GitHub", () => {
  it.each(supported)("of the event %s names its repositories and who did it", async (event) => {
    const { deliver, hints } = await given();
    const shown = payloads.get(event) ?? [];
    let taken = 0;
    for (const payload of shown) {
      const { status, answer } = await deliver({ event, body: JSON.stringify(payload) });
      expect(status).toBe(202);
      if (answer.status === "accepted") taken += 1;
    }
    expect(taken).toBe(hints.length);
    expect(taken).toBeGreaterThan(event === "pull_request" ? 10 : shown.length - 1);
    for (const { repositories, owner, sender } of hints) {
      expect(repositories[0]).toEqual({
        id: expect.any(Number),
        name: expect.stringMatching(/^[^/]+\/[^/]+$/),
      });
      expect(owner).toBeUndefined();
      expect(sender).toEqual(expect.any(String));
    }
  });

  it("of an item of a project names its owner, as there is no repository", async () => {
    const { deliver, hints } = await given();
    const [payload] = payloads.get("projects_v2_item") ?? [];
    expect((await deliver({ event: "projects_v2_item", body: JSON.stringify(payload) })).status).toBe(202);
    expect(hints).toEqual([{ repositories: [], owner: "github", sender: "monalisa" }]);
  });

  it("of a transfer names both repositories", async () => {
    const { deliver, hints } = await given();
    const body = JSON.stringify({
      action: "transferred",
      repository: { id: 1, full_name: "acme/app" },
      changes: { new_repository: { id: 2, full_name: "acme/api" } },
      sender: { login: "ada" },
    });
    await deliver({ event: "issues", body });
    expect(hints[0]?.repositories).toEqual([
      { id: 1, name: "acme/app" },
      { id: 2, name: "acme/api" },
    ]);
  });

  it("of a sub-issue in another repository names both", async () => {
    const { deliver, hints } = await given();
    const body = JSON.stringify({
      action: "sub_issue_added",
      sub_issue_repo: { id: 2, full_name: "acme/api" },
      repository: { id: 1, full_name: "acme/app" },
      organization: { login: "acme" },
      sender: { login: "ada" },
    });
    await deliver({ event: "sub_issues", body });
    expect(hints).toEqual([
      {
        repositories: [
          { id: 1, name: "acme/app" },
          { id: 2, name: "acme/api" },
        ],
        owner: undefined,
        sender: "ada",
      },
    ]);
  });

  it("of what nobody asked for is taken and left alone", async () => {
    const { deliver, hints, notes } = await given();
    const push = { event: "push", body: JSON.stringify({ ref: "refs/heads/main" }) };
    expect(await deliver(push)).toEqual({ status: 202, answer: { status: "ignored" } });
    const review = { event: "pull_request", body: JSON.stringify({ action: "review_requested" }) };
    expect((await deliver(review)).answer).toEqual({ status: "ignored" });
    expect((await deliver({ event: "__proto__" })).answer).toEqual({ status: "ignored" });
    expect(hints).toEqual([]);
    expect(notes).toEqual(["other ignored", "pull_request ignored", "other ignored"]);
  });

  it("that asks whether anyone is there gets an answer", async () => {
    const { deliver } = await given();
    const [ping] = payloads.get("ping") ?? [];
    expect(await deliver({ event: "ping", body: JSON.stringify(ping) })).toEqual({ status: 204 });
  });

  it("with any bytes in a title is signed by its bytes", async () => {
    const { deliver, hints } = await given();
    const body = JSON.stringify({
      action: "edited",
      title: "Zoë 🚀 \u2028 \ufeff",
      repository: { id: 1, full_name: "a/b" },
    });
    expect((await deliver({ event: "issues", body: `\ufeff${body}` })).status).toBe(400);
    expect((await deliver({ event: "issues", body })).status).toBe(202);
    expect(hints).toHaveLength(1);
  });
});

const form = "application/x-www-form-urlencoded";

describe("a form, as GitHub sends it unless it is told otherwise,", () => {
  const json = JSON.stringify((payloads.get("issues") ?? [])[0]);
  const body = new URLSearchParams({ payload: json }).toString();

  it.each<[string, Delivery]>([
    ["as GitHub writes it", {}],
    ["with a charset", { contentType: `${form}; charset=utf-8` }],
    ["in capitals", { contentType: "Application/X-WWW-Form-Urlencoded;Charset=UTF-8" }],
    ["with spaces", { contentType: `${form} ; charset="utf-8"` }],
    ["with another field beside it", { body: `a=b&${body}&c=d` }],
    ["with its event in capitals", { event: "Issues" }],
    ["with its signature in capitals", { headers: { "x-hub-signature-256": sign(body).toUpperCase() } }],
    ["encoded otherwise", { body: `payload=${encodeURIComponent(json)}` }],
  ])("is read: %s", async (_case, delivery) => {
    const { deliver, hints } = await given();
    const found = await deliver({ event: "issues", body, contentType: form, ...delivery });
    expect(found).toEqual({ status: 202, answer: { status: "accepted" } });
    expect(hints).toMatchObject([{ repositories: [{ name: "Codertocat/Hello-World" }] }]);
  });

  it.each(["application/json; charset=utf-8", "APPLICATION/JSON", "application/json;charset=UTF-8"])(
    "and so is JSON as %s",
    async (contentType) => {
      const { deliver } = await given();
      expect((await deliver({ event: "issues", body: json, contentType })).status).toBe(202);
    },
  );

  it("is signed as it came, not as what it says", async () => {
    const { deliver, hints } = await given();
    const found = await deliver({ event: "issues", body, contentType: form, signature: sign(json) });
    expect([found.status, hints]).toEqual([401, []]);
  });

  it("may be three times as large as JSON, which grows so much in a form", async () => {
    const { deliver, reasons } = await given();
    const text = JSON.stringify({ action: "edited", text: "ü".repeat(400_000) });
    const large = new URLSearchParams({ payload: text }).toString();
    expect((await deliver({ event: "issues", body: large, contentType: form })).status).toBe(202);
    const larger = `payload=${"x".repeat(3 * 1024 * 1024)}`;
    expect((await deliver({ event: "issues", body: larger, contentType: form })).status).toBe(413);
    expect(reasons).toEqual(["size"]);
  });
});

describe("is refused, and hints at nothing,", () => {
  const [payload] = payloads.get("issues") ?? [];
  const body = JSON.stringify(payload);
  it.each<[string, Delivery, number]>([
    ["a wrong signature", { event: "issues", body, signature: sign(body, "another") }, 401],
    ["no signature", { event: "issues", body, signature: undefined }, 401],
    ["a signature of no length", { event: "issues", body, signature: "sha256=" }, 401],
    ["one by the old algorithm", { event: "issues", body, signature: `sha1=${"0".repeat(40)}` }, 401],
    ["a body that was changed on its way", { event: "issues", body: `${body} `, signature: sign(body) }, 401],
    ["no body", { event: "issues", body: "" }, 401],
    ["bytes that are no text", { event: "issues", body: new Uint8Array([0xff, 0xfe, 0x7b]) }, 401],
    ["no event", { event: undefined, body }, 400],
    ["a body that is no JSON", { event: "issues", body: "{" }, 400],
    ["a body that is no object", { event: "issues", body: "7" }, 400],
    ["a text", { event: "issues", body, contentType: "text/plain" }, 415],
    ["more than a mebibyte", { event: "issues", body: " ".repeat(1024 * 1024 + 1) }, 413],
  ])("%s", async (_case, delivery, status) => {
    const { deliver, hints } = await given();
    const found = await deliver(delivery);
    expect(found.status).toBe(status);
    expect(JSON.stringify(found.answer)).not.toContain(secret);
    expect(hints).toEqual([]);
  });

  it.each(
    Object.entries<[Delivery, number]>({
      unsigned: [{ event: "issues", body, signature: undefined }, 401],
      signature: [{ event: "issues", body, signature: sign(body, "another") }, 401],
      type: [{ event: "issues", body, contentType: "multipart/form-data; boundary=x" }, 415],
      size: [{ event: "issues", body: " ".repeat(1024 * 1024 + 1) }, 413],
      payload: [{ event: "issues", body: "other=1", contentType: form }, 400],
      unreadable: [{ event: "issues", body: "payload={", contentType: form }, 400],
      event: [{ event: "push", body }, 202],
    }),
  )("and leaves a line and a count by its reason: %s", async (reason, [delivery, status]) => {
    const { deliver, log, reasons } = await given();
    for (let count = 0; count < 5; count += 1) expect((await deliver(delivery)).status).toBe(status);
    expect(reasons).toEqual(Array.from({ length: 5 }, () => reason));
    expect(log.lines.map(({ fields }) => fields)).toMatchObject([{ reason, deliveries: 1 }]);
    expect(JSON.stringify(log.lines)).not.toContain(secret);
  });

  it("everything where no secret is set, and that is said", async () => {
    const off = await given({ secret: undefined });
    const found = await off.deliver({ event: "issues", body });
    expect(found.status).toBe(404);
    expect(found.answer.reason).toContain("GITHUB_WEBHOOK_SECRET");
    expect([off.hints, off.reasons]).toEqual([[], ["off"]]);
  });

  it("another method", async () => {
    const { url } = await given();
    const response = await fetch(url);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

/** A delivery of which only the head is sent, and what comes back. */
function sendHead(url: string, headers: Readonly<Record<string, string | number>>) {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const lines = Object.entries({ host: hostname, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  let text = "";
  socket.on("data", (data) => {
    text += data.toString();
  });
  socket.on("error", () => undefined);
  socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return { socket, answer: () => text.slice(9, 12) };
}

describe("before a body is read", () => {
  const mebibyte = 1024 * 1024;
  const signed = {
    "content-type": "application/json",
    "content-length": mebibyte,
    "x-github-event": "issues",
    "x-hub-signature-256": sign("x"),
  };

  it("a delivery without a signature is refused", async () => {
    const { url, notes } = await given();
    const { answer, socket } = sendHead(url, { ...signed, "x-hub-signature-256": "sha1=0" });
    await once(socket, "close");
    expect([answer(), notes]).toEqual(["401", ["other refused"]]);
  });

  it.each([
    ["of another type", { "content-type": "text/plain" }, "415", "type"],
    ["that says that it is too large", { "content-length": mebibyte + 1 }, "413", "size"],
  ])("a delivery %s is refused", async (_case, headers, status, reason) => {
    const { url, reasons } = await given();
    const { answer, socket } = sendHead(url, { ...signed, ...headers });
    await once(socket, "close");
    expect([answer(), reasons]).toEqual([status, [reason]]);
  });

  it("a delivery that never arrives whole is counted, and said", async () => {
    const { url, reasons, log } = await given();
    const { socket, answer } = sendHead(url, { ...signed, expect: "100-continue" });
    await until(async () => answer() === "100");
    socket.write("{");
    socket.destroy();
    await until(async () => reasons.length > 0);
    expect(reasons).toEqual(["incomplete"]);
    expect(log.lines.map(({ fields }) => fields)).toEqual([
      { reason: "incomplete", event: "other", deliveries: 1 },
    ]);
  });

  it("no more bodies are taken than 16 MiB in all, and others again once these have ended", async () => {
    const { url, deliver } = await given();
    const waiting = Array.from({ length: 16 }, () => sendHead(url, signed));
    await until(async () => (await deliver({ event: "ping", body: "{}" })).status === 503);
    for (const { socket } of waiting) socket.destroy();
    await until(async () => (await deliver({ event: "ping", body: "{}" })).status === 204);
  });
});

it("wrong signatures are said once a minute, with how many they were", async () => {
  const { deliver, log, pass } = await given();
  const wrong = () => deliver({ event: "issues", signature: sign("other") });
  for (let count = 0; count < 30; count += 1) await wrong();
  pass(60_000);
  await wrong();
  expect(log.lines.map(({ fields }) => fields)).toEqual([
    { reason: "signature", event: "issues", deliveries: 1 },
    { reason: "signature", event: "issues", deliveries: 30 },
  ]);
});

it("every delivery is answered, also when many come at once", async () => {
  const { deliver, hints } = await given();
  const body = JSON.stringify((payloads.get("issues") ?? [])[0]);
  await deliver({ event: "issues", body });
  const answers = await Promise.all(Array.from({ length: 100 }, () => deliver({ event: "issues", body })));
  expect(answers.every(({ status }) => status === 202)).toBe(true);
  expect(hints).toHaveLength(101);
});
