import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
} from "yaml";
import { type Fault, formatPath, type Path } from "./paths.ts";

/** Uses of YAML anchors, each counted with the anchors inside it: enough for a thousand projects that share their rules. */
const aliasLimit = 10_000;

/** One slip can make everything behind it look wrong; beyond this many errors of YAML nobody learns anything more. */
const faultLimit = 10;

/** A config file as it was read: its content, and where each part of it stands. */
export interface ConfigDocument {
  /** Maps, lists and scalars; undefined when the text is no YAML at all. */
  readonly content: unknown;
  /** What is wrong with the YAML itself, as lines for the user. */
  readonly problems: readonly Problem[];
  /** Gives a fault its line. A part that is missing stands where the part around it begins. */
  locate(fault: Pick<Fault, "path" | "at">): Position;
  /** A value as it is written: `0123`, which is read as 123. undefined for what is not there. */
  write(path: Path): string | undefined;
}

/** Line and column, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What is wrong, and where: a sentence without its beginning. */
export interface Problem extends Position {
  readonly message: string;
}

/** Reads YAML (and so JSON). Never throws: what is wrong becomes problems. */
export function parseConfigDocument(text: string): ConfigDocument {
  const lines = new LineCounter();
  // Without `prettyErrors: false` the messages would quote lines of the file. The library's own search for repeated keys
  // compares each with each. What it warns of, it would write to stderr by itself.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: "error",
  });
  const loose = findLooseAliases(document, text).map((offset) => ({
    ...toPosition(offset, lines),
    message: looseAlias,
  }));
  const wrong = [...document.errors, ...document.warnings];
  const parts = findClosedParts(document, lines);
  const overLines = new Set(
    wrong.filter(({ code }) => code === "MULTILINE_IMPLICIT_KEY").map(({ pos }) => pos[0]),
  );
  const describe = (error: YAMLError): Problem => {
    const at = toPosition(error.pos[0], lines);
    const before = at.column - 1;
    const isFirst = before < mostIndent && text.slice(error.pos[0] - before, error.pos[0]).trim() === "";
    return describeYamlError(error, { at, parts, lines, isOfIndent: isFirst || overLines.has(error.pos[0]) });
  };
  const found = [
    ...firstOfLines([...loose, ...wrong.map(describe)]),
    ...findRepeatedKeys(document).map(({ path, offset }) => ({
      ...toPosition(offset, lines),
      message: `${formatPath(path)}: this key stands here already; keep one of them`,
    })),
  ];
  const problems = found.slice(0, faultLimit);
  const locate: ConfigDocument["locate"] = (fault) => toPosition(findOffset(document, fault), lines);
  const write: ConfigDocument["write"] = (path) => findSource(document, path, text);
  // Where the text is no YAML, what it seems to hold would only bring errors that are not there.
  if (document.errors.length > 0 || loose.length > 0) return { content: undefined, problems, locate, write };
  try {
    const content: unknown = document.toJS({ maxAliasCount: aliasLimit });
    return { content, problems, locate, write };
  } catch {
    const message = "the YAML uses its anchors too often";
    return { content: undefined, problems: [...problems, { line: 1, column: 1, message }], locate, write };
  }
}

/** Nobody indents further; a line may be a whole file, and hold an error at each of its signs. */
const mostIndent = 100;

/** What the YAML library says in words of programmers, in plain ones. */
const plainWords: Readonly<Partial<Record<YAMLError["code"], string>>> = {
  MULTIPLE_DOCS: "the file must hold one document, without further `---` lines",
  RESOURCE_EXHAUSTION: "the file is nested too deeply",
};

/** What is wrong with the YAML; `isOfLibrary` where only the library has words for it. */
interface YamlProblem extends Problem {
  readonly isOfLibrary?: boolean;
}

interface ErrorPlace {
  readonly at: Position;
  readonly parts: ClosedParts;
  readonly lines: LineCounter;
  /** Whether it begins its line, or goes on over the next: then the lines are indented wrongly. */
  readonly isOfIndent: boolean;
}

function describeYamlError(
  error: YAMLError,
  { at, parts: { quotes, flows }, lines, isOfIndent }: ErrorPlace,
): YamlProblem {
  const { line } = at;
  // Nothing closes it, or the quote does with which the next text begins: the error is then lines below.
  const opened = quotes.findLast(({ begin, end }) => begin.line < line && line <= end.line);
  if (opened !== undefined)
    return { ...opened.begin, message: `the quote that begins here is not closed on its line${closeIt}` };
  if (/^Missing closing ["']quote/.test(error.message))
    return { ...at, message: `a quote that begins on this line is not closed${closeIt}` };
  const [, sign = ""] = /end with a ([\]}])$/.exec(error.message) ?? [];
  const begin = flows.get(`${sign}${error.pos[0]}`);
  if (begin !== undefined) {
    const open = sign === "]" ? "[" : "{";
    return {
      ...toPosition(begin, lines),
      message: `the \`${open}\` that begins here is not closed${closeIt}`,
    };
  }
  const words = error.message.replaceAll(/\s+/g, " ").trim();
  const isBehind = words.endsWith(" at node end");
  const plain = isBehind ? "a value has ended before this" : plainWords[error.code];
  // Of text that YAML takes for something else: `Q1: launch`, `@next`.
  const ofLines = isOfIndent ? checkIndent : quoteAll;
  const isOfBlock = isBehind || error.code === "BLOCK_AS_IMPLICIT_KEY";
  const advice = isOfBlock ? ofLines : error.code === "BAD_SCALAR_START" ? quoteAll : "";
  const said = plain ?? `this is not valid YAML: ${words}`;
  return { ...at, message: `${said}${advice}`, isOfLibrary: plain === undefined };
}

/** One problem for each line, for the others mostly come from the same slip: the first one that we have words of our own for, or else the first. */
function firstOfLines(problems: readonly YamlProblem[]): readonly Problem[] {
  const rank = ({ isOfLibrary = false }: YamlProblem): number => Number(isOfLibrary);
  const sorted = problems.toSorted((one, other) => one.line - other.line || rank(one) - rank(other));
  return sorted
    .filter(({ line }, index) => line !== sorted[index - 1]?.line)
    .map(({ isOfLibrary: _, ...problem }) => problem);
}

const closeIt = "; close it";
const checkIndent = "; check how far the lines here are indented";
const quoteAll = "; put quotes around the whole text";
const looseAlias = `\`*\` begins an alias of YAML, and no anchor of its name stands above${quoteAll}`;

/** What a sign has to close, and may not have. */
interface ClosedParts {
  /** Texts in quotes that end on another line than they begin. */
  readonly quotes: readonly { readonly begin: Position; readonly end: Position }[];
  /** Where lists and groups in brackets begin, by the sign that closes them and where they end; of several the innermost. */
  readonly flows: ReadonlyMap<string, number>;
}

function findClosedParts(document: Document, lines: LineCounter): ClosedParts {
  const quotes: { begin: Position; end: Position }[] = [];
  const flows = new Map<string, number>();
  visit(document, {
    Scalar(_, { type, range }) {
      if (range == null || (type !== "QUOTE_DOUBLE" && type !== "QUOTE_SINGLE")) return;
      const [begin, end] = [toPosition(range[0], lines), toPosition(range[1], lines)];
      if (begin.line < end.line) quotes.push({ begin, end });
    },
    Collection(_, node) {
      if (node.flow === true && node.range != null)
        flows.set(`${isSeq(node) ? "]" : "}"}${node.range[1]}`, node.range[0]);
    },
  });
  return { quotes, flows };
}

/** Where aliases stand whose anchor is nowhere above: mostly text that begins with `*`, such as a schedule. */
function findLooseAliases(document: Document, text: string): readonly number[] {
  const anchors = new Set<string | undefined>();
  const found: number[] = [];
  // Where there are errors, an anchor may be lost with what could not be read.
  const written = document.errors.length > 0 ? text.matchAll(/&([^\s,[\]{}]+)/g) : [];
  for (const [, name] of written) anchors.add(name);
  visit(document, {
    Node(_, node) {
      if (!isAlias(node)) anchors.add(node.anchor);
      else if (!anchors.has(node.source)) found.push(startOf(node) ?? 0);
    },
  });
  return found;
}

/** The keys that stand in their map already, and where each begins. */
function findRepeatedKeys(document: Document): readonly { readonly path: Path; readonly offset: number }[] {
  const found: { path: Path; offset: number }[] = [];
  visit(document, {
    Map(_, map, ancestors) {
      const known = new Set<unknown>();
      for (const pair of map.items) {
        const key = nameOfKey(document, pair.key);
        if (known.has(key))
          found.push({ path: pathOf(document, [...ancestors, map, pair]), offset: startOf(pair.key) ?? 0 });
        known.add(key);
      }
    },
  });
  return found;
}

/** What a key is called in the content: `10` and `"10"` are one there. A key that is no single value is only like itself. */
function nameOfKey(document: Document, key: unknown): unknown {
  const node = isAlias(key) ? key.resolve(document) : key;
  return isScalar(node) ? String(node.value ?? "") : node;
}

/** The path of the last one of nodes that stand in each other. */
function pathOf(document: Document, nodes: readonly unknown[]): Path {
  return nodes.flatMap((node, depth): Path => {
    if (isPair(node)) return [String(nameOfKey(document, node.key))];
    const child = nodes[depth + 1];
    return isSeq(node) ? [node.items.indexOf(child)] : [];
  });
}

function toPosition(offset: number, lines: LineCounter): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function findOffset(document: Document, { path, at }: Pick<Fault, "path" | "at">): number {
  let node: Node | undefined = document.contents ?? undefined;
  let offset = startOf(node) ?? 0;
  for (const [index, step] of path.entries()) {
    const next = enter(document, node, step);
    if (next === undefined) return offset;
    const isLast = index === path.length - 1;
    const start = isLast && at === "key" ? next.key : (next.value ?? next.key);
    offset = start ?? offset;
    node = next.node;
  }
  return offset;
}

function findSource(document: Document, path: Path, text: string): string | undefined {
  let node: Node | undefined = document.contents ?? undefined;
  for (const step of path) node = enter(document, node, step)?.node;
  const value = isAlias(node) ? node.resolve(document) : node;
  return value?.range == null ? undefined : text.slice(value.range[0], value.range[1]);
}

/** One step into a map or list: where its key and its value start, and the value. */
function enter(document: Document, from: Node | undefined, step: Path[number]) {
  const node = isAlias(from) ? from.resolve(document) : from;
  if (isSeq(node) && typeof step === "number") {
    const element = node.items[step];
    return isNode(element) ? { key: startOf(element), value: startOf(element), node: element } : undefined;
  }
  if (!isMap(node)) return undefined;
  // A repeated key counts where it stands last, as it does for the content.
  const pair: Pair | undefined = node.items.findLast(({ key }) => nameOfKey(document, key) === step);
  if (pair === undefined) return undefined;
  const value = isNode(pair.value) ? pair.value : undefined;
  // `key:` with nothing behind it has an empty scalar, which stands at no place that a person would look at.
  const isEmpty = isScalar(value) && value.value === null;
  return { key: startOf(pair.key), value: isEmpty ? undefined : startOf(value), node: value };
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
