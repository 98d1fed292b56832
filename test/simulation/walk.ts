import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "@swc/core";

/**
 * The walk of one row: which files of `src` are entered, one after another, from the list that shows a closed issue to the PATCH
 * of its post. A file is entered where a function of it begins that has a body in braces; what comes back from a call is no entry.
 */

const src = fileURLToPath(new URL("../../src/", import.meta.url));
const entered: string[] = [];
Object.assign(globalThis, { enter: (file: string) => entered.push(file) });

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith("file:") || !fileURLToPath(url).startsWith(src)) return nextLoad(url, context);
    const file = fileURLToPath(url);
    return { format: "module", shortCircuit: true, source: stripTypeScriptTypes(markBodies(file)) };
  },
});

interface Span {
  readonly start: number;
}

/** The source of a file in which every function says that it begins. */
function markBodies(file: string): string {
  const source = readFileSync(file);
  // Positions are bytes, and go on from one parsed text to the next.
  const before = parseSync("", { syntax: "typescript" }).span.end;
  const places: number[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, span, body } = node as { type?: string; span: Span; body?: { type?: string; span: Span } };
    if (type === "FunctionBody") places.push(span.start - before + 1);
    if (type === "ArrowFunctionExpression" && body?.type === "BlockStatement")
      places.push(body.span.start - before + 1);
    Object.values(node).forEach(visit);
  };
  visit(parseSync(source.toString(), { syntax: "typescript", target: "esnext" }));
  const name = file.slice(src.length);
  const parts: string[] = [];
  let from = 0;
  for (const place of places.toSorted((one, other) => one - other)) {
    parts.push(source.subarray(from, place).toString(), `enter(${JSON.stringify(name)});`);
    from = place;
  }
  return [...parts, source.subarray(from).toString()].join("");
}

const { createStates } = await import("./state.ts");
const { createStage } = await import("./stage.ts");
const { drawScenario } = await import("./scenario.ts");
const { createRandom } = await import("./random.ts");
const { withParts } = await import("./with-parts.ts");
const { addPost } = await import("./people.ts");
const { calm } = await import("./wire.ts");

const drawn = drawScenario(createRandom(1), false);
const settings = {
  ...drawn.settings,
  select: { archived: false, isArchivedDefault: true },
  rules: [{ when: { state: "closed", reason: ["completed"] }, set: { status: "completed" } }],
  whenNoRule: "keep",
  writes: "all",
  settleMs: 0,
  route: [],
  issue: { labels: [], categoryLabels: {}, assignees: [] },
  boardRules: [],
  backlink: false,
  guard: { issues: 50, statuses: 25, flips: 3 },
} as const;
const board = {
  ...drawn.board,
  hidden: [],
  refuses: undefined,
  ignoresStatus: false,
  answers: "record",
} as const;
const github = { ...drawn.github, lagMs: 0, canPush: true };
const scenario = { ...drawn, settings, board, github, posts: 1, faultRate: 0, peopleRate: 0, skewMs: 0 };

const states = createStates();
let walked: readonly string[] = [];
const stage = createStage(scenario, states.fast, {
  world: (world) => ({
    ...world,
    board: withParts(world.board, {
      patchPost(...asked) {
        walked = [...entered];
        return world.board.patchPost(...asked);
      },
    }),
  }),
});
stage.state.clear();
addPost(stage.board, createRandom(1));
await stage.run(calm());
stage.hub.act(0, (people) => people.close("acme/app", 1, "completed"));
stage.time.advance(60 * 60_000);
entered.length = 0;
await stage.run(calm());
states.close();

// What the adapters do behind their ports is no part of it.
const core = walked.filter((file) => /^(?:sync|plan|model)\//.test(file));
const way = core.slice(core.indexOf("sync/decide/decide.ts"));
const rooms = way.map((file) => dirname(file)).filter((room, index, all) => room !== all[index - 1]);
const count = (parts: readonly string[]): number => new Set(parts).size;
process.stdout.write(
  [
    `From \`sync/decide\` to the PATCH: ${count(way)} files of ${count(rooms)} rooms, and ${rooms.length - count(rooms)} returns to a room that was left.`,
    `From the beginning of the run: ${count(core)} files.`,
    ...[...Map.groupBy(way, (file) => dirname(file))].map(
      ([room, files]) => `${room}: ${count(files)} files`,
    ),
    "",
  ].join("\n"),
);
