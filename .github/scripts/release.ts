/**
 * What a release asks of the tree, in the checkout's root:
 *
 *     node .github/scripts/release.ts check v0.1.0    whether everything speaks of this version: a sentence for each that does not, and 1
 *     node .github/scripts/release.ts notes v0.1.0    the changelog's section of this version
 */
import { readFileSync } from "node:fs";

const [command, tag = ""] = process.argv.slice(2);
const version = tag.replace(/^v/, "");
const section = findSection(read("CHANGELOG.md"), version);

if (command === "check") {
  const faults = findFaults();
  process.stdout.write(faults.length === 0 ? `Everything is ready for ${tag}.\n` : "");
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} else if (command === "notes" && section !== undefined) {
  process.stdout.write(`${section}\n`);
} else {
  process.stderr.write(
    "Give `check` or `notes`, and a tag of which the changelog has a section, such as `v0.1.0`.\n",
  );
  process.exitCode = 2;
}

function findFaults(): readonly string[] {
  if (!/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(tag))
    return [`The tag \`${tag}\` names no version: a release's is like v1.2.3.`];
  const chart = read("config/deploy/helm/Chart.yaml");
  const found = {
    "package.json": JSON.parse(read("package.json")).version,
    "package-lock.json": JSON.parse(read("package-lock.json")).version,
    "`version` of config/deploy/helm/Chart.yaml": valueAt(chart, "version"),
    "`appVersion` of config/deploy/helm/Chart.yaml": valueAt(chart, "appVersion"),
  };
  const others = Object.entries(found).flatMap(([where, other]) =>
    other === version ? [] : [`The tag is ${tag}, and ${where} says ${other ?? "nothing"}.`],
  );
  return section === undefined ? [...others, `CHANGELOG.md has no text under \`## [${version}]\`.`] : others;
}

/** The text below `## [VERSION]`, up to the next heading of that kind; undefined where there is none. */
function findSection(changelog: string, wanted: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((text) => text.startsWith(`[${wanted}]`));
  return found?.slice(found.indexOf("\n")).trim() || undefined;
}

/** A plain value on the first level of a YAML file: the runner has no package installed when this is asked. */
function valueAt(yaml: string, key: string): string | undefined {
  return new RegExp(`^${key}: *["']?([^"'\\s#]+)`, "m").exec(yaml)?.[1];
}

function read(file: string): string {
  return readFileSync(file, "utf8");
}
