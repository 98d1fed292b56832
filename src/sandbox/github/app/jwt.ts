import { createVerify } from "node:crypto";

const longestLifeSeconds = 600;

/** What a JSON web token of an App says, and by when it must be believed. */
interface Expectation {
  /** The App's id, as the issuer. */
  readonly issuer: number;
  /** PEM of the public half of the App's key. */
  readonly publicKey: string;
  /** Epoch ms, by the server's clock. */
  readonly now: number;
}

/** Whether a token has the form of a JSON web token, which only an App sends. */
export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/u.test(token);
}

/** Why a JSON web token is refused, in GitHub's words; undefined for a good one. The signature is really verified. */
export function refuseJwt(token: string, { issuer, publicKey, now }: Expectation): string | undefined {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const isSigned = createVerify("RSA-SHA256")
    .update(`${header}.${payload}`)
    .verify(publicKey, Buffer.from(signature, "base64url"));
  if (!isSigned || decode(header)["alg"] !== "RS256") return "A JSON web token could not be decoded";
  const { iss, iat, exp } = decode(payload);
  if (String(iss) !== String(issuer)) return "Integration not found";
  const seconds = now / 1000;
  if (!Number.isInteger(exp) || Number(exp) <= seconds) {
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  }
  if (Number(exp) - seconds > longestLifeSeconds) {
    return "'Expiration time' claim ('exp') is too far in the future";
  }
  if (!Number.isInteger(iat) || Number(iat) > seconds) {
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  }
  return undefined;
}

function decode(part: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
}
