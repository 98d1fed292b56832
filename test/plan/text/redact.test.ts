import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactPeople } from "../../../src/plan/text/redact.ts";

const both = ["email", "phone"] as const;

describe("an e-mail address in a text", () => {
  it.each([
    ["ada@example.com"],
    ["Ada.Lovelace+board@mail.example.co.uk"],
    ["jörg@müller.example"],
    ["ada＠example.com"],
    ["ada%40example.com"],
    ["ada&#64;example.com"],
    ["ada&#x40;example.com"],
    ["ada&commat;example.com"],
    ["ada\\_lovelace@example.com"],
    ["ada@example\\.com"],
    ["ada\\@example.com"],
    ["ada\u200B@example.com"],
    ["ada@\u200Bexample.com"],
    ["ada@exam\u00ADple.com"],
    ["ada**@example.com"],
  ])("%s is made unreadable", (address) => {
    expect(redactPeople(`Mail ${address}, please.`, both)).toBe("Mail [e-mail], please.");
  });

  it("is found in a link, too", () => {
    expect(redactPeople("[Ada](mailto:ada@example.com?subject=x) <bob@example.org>", both)).toBe(
      "[Ada](mailto:[e-mail]?subject=x) <[e-mail]>",
    );
  });

  it.each(["@ada", "a @ b", "ada@localhost", "3 @ 5.00", "price@", "#1 @acme/team"])(
    "is none in %s",
    (text) => {
      expect(redactPeople(text, both)).toBe(text);
    },
  );
});

describe("a telephone number in a text", () => {
  it.each([
    ["+49 30 1234567"],
    ["+49 (0)30 / 123 45 67"],
    ["+1-555-123-4567"],
    ["0049 170 1234567"],
    ["(555) 123-4567"],
    ["(030) 1234567"],
    ["030/1234567"],
    ["0170 1234567"],
    ["0170 123 45 67"],
    ["555-123-4567"],
    ["555.123.4567"],
    ["+49\u00A030\u00A01234567"],
    ["+33\u202F6\u202F12\u202F34\u202F56\u202F78"],
    ["+49&nbsp;30&nbsp;1234567"],
    ["+49 30\u20131234567"],
    ["0170\u00A01234567"],
    ["555\u2011123\u20114567"],
  ])("%s is made unreadable", (number) => {
    expect(redactPeople(`Call ${number}.`, both)).toBe("Call [phone number].");
    expect(redactPeople(`tel:${number} now`, both)).toBe("tel:[phone number] now");
  });

  it.each([
    ["a date", "2026-01-31, 31.01.2026, 05/2026, 01/02/2026"],
    ["a time", "2026-01-31T09:00:00.000Z, 09:00"],
    ["a version", "1.2.3, v10.15.7, 1.0.0-rc.1, 24.21.0"],
    ["an id", "1234567890, #12345678, PRJ-1234567, 550e8400-e29b-41d4-a716-446655440000"],
    ["a price", "1 000 000, 12,500.00, 1.000.000,00"],
    ["an address of a network", "192.168.100.200, 10.0.0.1:8080"],
    ["an address of the web", "https://example.com/p/030-1234567?id=555-123-4567"],
    ["a hash", "e7c1d555-123-4567abc, 0123456789abcdef0123456789abcdef"],
  ])("is none in %s", (_, text) => {
    expect(redactPeople(text, both)).toBe(text);
  });
});

it("only what is named is made unreadable", () => {
  const text = "ada@example.com, 030/1234567";
  expect(redactPeople(text, ["email"])).toBe("[e-mail], 030/1234567");
  expect(redactPeople(text, ["phone"])).toBe("ada@example.com, [phone number]");
  expect(redactPeople(text, [])).toBe(text);
});

it("no address is left of whatever text", () => {
  const part = fc.constantFrom(
    "ada@example.com",
    "+49 30 1234567",
    " ",
    "x",
    "1",
    "@",
    "＠",
    ".",
    "-",
    "(",
    ")",
    "🙂",
    "&#64;",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const once = redactPeople(parts.join(""), both);
      expect(once).not.toContain("ada@example.com");
    }),
  );
});
