import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { read } from "../deploy/files.ts";

/** What the picture of the page is made of: where one of these has changed, the picture is out of date. */
const sources = [
  "src/daemon/page/chart.ts",
  "src/daemon/page/layout.ts",
  "src/daemon/page/overview.ts",
  "src/daemon/page/style.ts",
  "src/daemon/page/waits.ts",
  "src/daemon/page/words.ts",
  "test/pictures/scene.ts",
];

/** Changes with whatever the picture shows. */
export function printOfSources(): string {
  return hash("sha256", sources.map(read).join(""));
}

const keyword = "boardsync sources\0";
const signatureLength = 8;

/** The same picture with a text in it, as PNG's chunk tEXt (https://www.w3.org/TR/png-3/#11tEXt). */
export function sign(png: Buffer, text: string): Buffer {
  const content = Buffer.from(`tEXt${keyword}${text}`, "latin1");
  const chunk = Buffer.alloc(content.length + 8);
  chunk.writeUInt32BE(content.length - 4, 0);
  content.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(content), content.length + 4);
  // Behind the first chunk, IHDR, which has 13 bytes.
  const at = signatureLength + 13 + 12;
  return Buffer.concat([png.subarray(0, at), chunk, png.subarray(at)]);
}

/** The text that `sign` has put in. */
export function readSignature(png: Buffer): string | undefined {
  const [, text] = png.toString("latin1").match(new RegExp(`tEXt${keyword}([0-9a-f]{64})`)) ?? [];
  return text;
}
