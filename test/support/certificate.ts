import { generateKeyPairSync, sign } from "node:crypto";

/** A key, and a certificate for a host that it has signed itself, both as PEM. */
export function createCertificate(host: string, endsAt: Date) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = der(0x30, Buffer.from("06082a8648ce3d040302", "hex"));
  const name = der(
    0x30,
    der(0x31, der(0x30, Buffer.from("0603550403", "hex"), der(0x0c, Buffer.from(host)))),
  );
  const names = der(0x30, der(0x82, Buffer.from(host)));
  const alternative = der(0x30, Buffer.from("0603551d11", "hex"), der(0x04, names));
  const content = der(
    0x30,
    der(0xa0, Buffer.from("020102", "hex")),
    Buffer.from("020101", "hex"),
    ecdsaWithSha256,
    name,
    der(0x30, time(new Date(0)), time(endsAt)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, alternative)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, privateKey));
  const certificate = der(0x30, content, ecdsaWithSha256, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
  };
}

/** One value of ASN.1, as DER writes it. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

function time(at: Date): Buffer {
  return der(0x18, Buffer.from(`${at.toISOString().replaceAll(/\D|\d{3}Z/g, "")}Z`));
}
