import { describe, expect, it } from "vitest";
import type { RemoteError } from "../../../../src/errors.ts";
import { repository, sendJson, startServer, unbounded } from "../setup.ts";

const header = "github-authentication-token-expiration";

async function endAfter(...headers: readonly Record<string, string>[]): Promise<number | null | undefined> {
  const { tracker } = await startServer((response, { count }) =>
    sendJson(response, 200, { login: "bot" }, headers[count - 1]),
  );
  for (const _ of headers) await tracker.account(unbounded());
  return tracker.credentialEnds?.();
}

describe("the end of the token", () => {
  it.each([
    ["2026-12-01 10:00:00 UTC", "2026-12-01T10:00:00Z"],
    ["2026-12-01 10:00:00 +0200", "2026-12-01T08:00:00Z"],
    ["2026-12-01 10:00:00 -0700", "2026-12-01T17:00:00Z"],
    ["2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z"],
  ])("is read from %s", async (value, expected) => {
    expect(await endAfter({ [header]: value })).toBe(Date.parse(expected));
  });

  it("is null where an answer names none, or one that can't be read", async () => {
    expect(await endAfter({})).toBeNull();
    expect(await endAfter({ [header]: "some day" })).toBeNull();
  });

  it("is not known before the first answer, and stays known after one without it", async () => {
    expect(await endAfter()).toBeUndefined();
    const end = Date.parse("2026-12-01T10:00:00Z");
    expect(await endAfter({ [header]: "2026-12-01 10:00:00 UTC" }, {})).toBe(end);
  });
});

describe("SAML's address", () => {
  const saml = { message: "Resource protected by organization SAML enforcement." };

  async function refusedWith(sso: string, status = 403): Promise<string> {
    const { tracker } = await startServer((response) =>
      sendJson(response, status, saml, { "x-github-sso": sso }),
    );
    const error = await tracker.repository("acme/app", unbounded()).catch((caught: unknown) => caught);
    return (error as RemoteError).message;
  }

  it.each([403, 404])("is in the message of a %i where it is the server's own", async (status) => {
    const { tracker, url } = await startServer((response) =>
      sendJson(response, status, saml, {
        "x-github-sso": `required; url=${own.url}/orgs/acme/sso?authorization_request=A1`,
      }),
    );
    const own = { url };
    const error = await tracker.repository("acme/app", unbounded()).catch((caught: unknown) => caught);
    expect((error as RemoteError).message).toContain(
      `authorize the token for it at ${url}/orgs/acme/sso?authorization_request=A1`,
    );
    const outcome = await tracker.write(repository, { kind: "create-label", name: "bug" });
    if (status === 403) expect(JSON.stringify(outcome)).toContain("/orgs/acme/sso?");
  });

  it.each([
    "required; url=https://evil.example/orgs/acme/sso",
    "required; url=javascript:alert(1)",
    "required; url=https://me:secret@github.com/orgs/acme/sso",
    `required; url=http://127.0.0.1/${"a".repeat(2000)}`,
    "required",
    "required; url=",
    "partial-results; organizations=1,2",
  ])("is left out where it is %s", async (value) => {
    expect(await refusedWith(value)).not.toMatch(/authorize|evil|secret|javascript/);
  });
});
