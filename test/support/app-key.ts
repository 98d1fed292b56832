import { generateKeyPairSync } from "node:crypto";

/** A key for a GitHub App, both halves as PEM, the private one as GitHub gives it (PKCS#1). */
export function createAppKey(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
}
