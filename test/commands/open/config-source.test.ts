import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, rootCertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { configSource } from "../../../src/commands/open/config-source.ts";
import { createTerminal } from "../stage.ts";

const [company = "", ...others] = rootCertificates;

function source(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "boardsync-source-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return configSource(createTerminal({ cwd, env }), {});
}

describe("NODE_EXTRA_CA_CERTS, which Node.js reads only when it starts,", () => {
  let before: string[];
  beforeEach(() => {
    before = getCACertificates("default");
    setDefaultCACertificates(others);
  });
  afterEach(() => setDefaultCACertificates(before));

  it.each([
    ["in `.env`", { ".env": "NODE_EXTRA_CA_CERTS=ca.crt\n" }, {}],
    ["in quotes, as `docker run --env-file` leaves them", {}, { NODE_EXTRA_CA_CERTS: '"ca.crt"' }],
  ])("is honoured %s", (_, files, env) => {
    source({ "ca.crt": `Company\n${company}\n`, ...files }, env);
    source({ "ca.crt": `Company\n${company}\n`, ...files }, env);
    const trusted = getCACertificates("default").map((text) => text.replace(/\s/g, ""));
    expect(trusted).toHaveLength(others.length + 1);
    expect(trusted).toContain(company.replace(/\s/g, ""));
  });

  it.each([
    [
      "is not there",
      { ".env": "NODE_EXTRA_CA_CERTS=ca.crt\n" },
      /^NODE_EXTRA_CA_CERTS names ca\.crt: .*there is no such file/,
    ],
    [
      "holds none",
      { ".env": "NODE_EXTRA_CA_CERTS=ca.crt\n", "ca.crt": "a key" },
      /^NODE_EXTRA_CA_CERTS names ca\.crt, which holds no certificate in PEM form$/,
    ],
  ])("is refused where its file %s", (_, files, problem) => {
    expect(() => source(files)).toThrow(problem);
  });
});
