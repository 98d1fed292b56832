import { expect, it } from "vitest";
import { commandsOf } from "./pages.ts";

const shell = (text: string): string => `\`\`\`sh\n${text}\n\`\`\``;

it.each<[what: string, text: string, commands: readonly string[]]>([
  ["without its comment", shell("boardsync plan   # writes nothing"), ["boardsync plan"]],
  ["without its prompt", shell("$ boardsync plan"), ["boardsync plan"]],
  ["without assignments", shell("A=1 B='x y' boardsync health"), ["boardsync health"]],
  ["not where there are assignments alone", shell("BOARD_API_KEY=…\nexport A=1 B=2"), []],
  ["without `sudo`", shell("sudo chmod 400 secrets/*"), ["chmod 400 secrets/*"]],
  ["without redirections", shell("boardsync schema > a.json 2>&1"), ["boardsync schema"]],
  [
    "over several lines",
    shell("kubectl create secret x \\\n  --from-file=a"),
    ["kubectl create secret x --from-file=a"],
  ],
  [
    "each of several",
    shell("git pull && npm ci; npm test | head"),
    ["git pull", "npm ci", "npm test", "head"],
  ],
  ["whole where it is quoted", shell("sh -c 'a && b'"), ["sh -c 'a && b'"]],
  ["of any program in a block for a shell", shell("frobnicate --now"), ["frobnicate --now"]],
  [
    "of any program beside a known one",
    "```\nfrobnicate --now\nboardsync plan\n```",
    ["frobnicate --now", "boardsync plan"],
  ],
  ["behind a prompt, and not what comes of it", "```\n$ frobnicate\nboardsync plan: ok\n```", ["frobnicate"]],
  ["not in a block of output", "```\nRun 1: ok\n```", []],
  [
    "in a sentence",
    "Say `boardsync plan` or `npx boardsync sync --adopt`.",
    ["boardsync plan", "npx boardsync sync --adopt"],
  ],
  [
    "that is broken within a sentence",
    "so `docker\n  compose up` and `npm ci` do",
    ["docker compose up", "npm ci"],
  ],
  ["in a table", "| `docker compose up -d` | `a` |", ["docker compose up -d"]],
  ["that is handed to `source`", "`source <(boardsync completion bash)`", ["boardsync completion bash"]],
  ["not in YAML", "```yaml\nrun: boardsync sync\n```", []],
  ["not where a program is only named", "`boardsync` and `docker`", []],
])("a command is read %s", (_, text, commands) => {
  expect([...commandsOf("page", text)].map((command) => command.text)).toEqual(commands);
});

it.each([
  ["npx boardsync status", "status"],
  ["docker compose exec boardsync boardsync explain POST", "explain POST"],
  ["docker compose exec -T boardsync node /app/dist/main.js status", "status"],
  ["docker compose run --rm boardsync check", "check"],
  ["docker run --rm -v a:/config boardsync:0.1.0 check", "check"],
  ["kubectl exec deploy/boardsync -- boardsync status", "status"],
  ["node /opt/boardsync/dist/main.js status --json", "status"],
  ["docker compose exec boardsync boardsync …", undefined],
  ["docker compose up -d", undefined],
])("%s gives boardsync %s", (text, given) => {
  expect([...commandsOf("page", shell(text))].map(({ boardsync }) => boardsync)).toEqual([given]);
});
