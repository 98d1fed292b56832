/** Of the two sides and the ledger whoever stands above them knows the ports alone; the ledger's are the files of its folder, none of its rooms. */
const ports = ["board/board", "board/tools", "tracker/tracker", "ledger/*"];

/**
 * The import table of src/README.md, enforced. A folder may import itself, what its line allows, and the npm packages that
 * it owns; everything else is an error.
 */
const table = {
  model: { folders: [], packages: [] },
  plan: { folders: ["model"], packages: ["liquidjs", "turndown", "node:crypto", "node:module"] },
  http: { folders: ["model", "errors", "log"], packages: ["undici", "node:net", "node:util", "node:zlib"] },
  board: {
    folders: ["model", "errors", "log", "http"],
    packages: ["zod", "@modelcontextprotocol/client", "node:"],
  },
  tracker: { folders: ["model", "errors", "log", "select", "http"], packages: ["@octokit/", "zod", "node:"] },
  ledger: { folders: ["model", "errors", "log"], packages: ["better-sqlite3", "pg/", "zod", "node:"] },
  config: { folders: ["errors"], packages: ["zod", "yaml", "node-cron", "node:"] },
  demo: { folders: [], packages: ["node:"] },
  errors: { folders: [], packages: [] },
  escape: { folders: [], packages: [] },
  select: { folders: [], packages: [] },
  log: { folders: ["escape"], packages: ["pino"] },
  sync: { folders: ["model", "plan", "errors", "log", "select", ...ports], packages: ["zod"] },
  // What people ask of a run's outcome, on the same readers as a run.
  story: { folders: ["model", "plan", "errors", "log", "select", "sync", ...ports], packages: [] },
  daemon: {
    folders: [
      "model",
      "errors",
      "escape",
      "log",
      "select",
      "app",
      "http",
      "sync",
      "story",
      "config",
      ...ports,
    ],
    packages: ["fastify", "prom-client", "@octokit/webhooks", "node:"],
  },
  app: {
    folders: ["model", "plan", "errors", "log", "http", "board", "tracker", "ledger", "config", "sync"],
    packages: [],
  },
  // `plan/text/template` for the check of templates while the config is loaded; the ledger's opening, which the commands own.
  commands: {
    folders: [
      "model",
      "errors",
      "escape",
      "log",
      "select",
      "app",
      "sync",
      "story",
      "config",
      "daemon",
      "demo",
      "ledger",
      "plan/text/template",
    ],
    packages: ["commander", "node:"],
  },
  main: { folders: ["commands"], packages: ["node:"] },
};

const quote = (text) => text.replaceAll("/", "\\/").replaceAll("-", "\\-");
/** A file or a folder with all that is in it; with a star at its end only the folder's own files, none of its rooms. */
const place = (name) =>
  name.endsWith("/*") ? `^src/${quote(name.slice(0, -1))}[^/]+\\.ts$` : `^src/${quote(name)}(\\.ts$|/)`;

const forbidden = Object.entries(table).flatMap(([name, { folders, packages }]) => [
  {
    name: `${name}-imports`,
    comment: `src/${name} may import ${folders.join(", ") || "no other folder"}.`,
    severity: "error",
    from: { path: place(name) },
    to: { path: "^src/", pathNot: [place(name), ...folders.map(place)] },
  },
  {
    name: `${name}-packages`,
    comment: `src/${name} may use ${packages.join(", ") || "no package"}.`,
    severity: "error",
    from: { path: place(name) },
    to: {
      dependencyTypesNot: ["local", "type-only"],
      pathNot: [
        "^src/",
        ...packages.map((known) =>
          known === "node:"
            ? "^[a-z_/0-9]+$"
            : known.startsWith("node:")
              ? `^${known.slice(5)}$`
              : `node_modules/${quote(known)}`,
        ),
      ],
    },
  },
]);

/** Rooms within a folder, from the ground up: none may import one that stands behind it, nor the folder's own files. */
const floors = {
  commands: ["print", "open", "reports", "look", "run", "order", "setup", "demo"],
  sync: ["ground", "read", "decide", "write", "past", "tell", "orders"],
  plan: ["ground", "fields", "rules", "board-rules", "text", "imports"],
  "board/http": ["answer", "list"],
  "tracker/github": ["wire", "read", "write", "signals"],
  "ledger/sql": ["store", "schema", "statements", "columns", "issues", "journal", "stamp", "posts", "rows"],
};

const upwards = Object.entries(floors).flatMap(([folder, rooms]) =>
  rooms.map((room, floor) => ({
    name: `${folder}-${room}-upwards`,
    comment: `src/${folder}/${room} may import ${rooms.slice(0, floor).join(", ") || "no other room"} of src/${folder}.`,
    severity: "error",
    from: { path: place(`${folder}/${room}`) },
    to: {
      path: `^src/${folder}/`,
      pathNot: rooms.slice(0, floor + 1).map((lower) => place(`${folder}/${lower}`)),
    },
  })),
);

module.exports = {
  forbidden: [
    { name: "no-circles", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    ...forbidden,
    ...upwards,
    {
      name: "demo-for-demo-alone",
      comment: "The demo's board and GitHub are loaded by no command but demo.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(?:demo|commands/demo)/" },
      to: { path: "^src/demo/" },
    },
  ],
  options: {
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
    },
  },
};
