import { describe, expect, it } from "vitest";
import { parseUnit, read } from "./files.ts";
import { folder } from "./sample.ts";

describe("systemd", () => {
  const services = [
    ["boardsync.service", "daemon"],
    ["boardsync-sync.service", "sync"],
  ] as const;

  it.each(services)(
    "%s starts `%s`, and stops it no sooner than the write in hand may take",
    (name, command) => {
      const unit = parseUnit(read(`${folder}systemd/${name}`));
      expect(unit).toContainEqual(["Service.ExecStart", `boardsync ${command}`]);
      expect(unit).toContainEqual(["Service.TimeoutStopSec", "10"]);
    },
  );

  it.each(services)("%s takes every right from the program but its state's folder", (name) => {
    const unit = Object.fromEntries(parseUnit(read(`${folder}systemd/${name}`)));
    expect(unit).toMatchObject({
      "Service.DynamicUser": "yes",
      "Service.StateDirectory": "boardsync",
      "Service.StateDirectoryMode": "0700",
      "Service.NoNewPrivileges": "yes",
      "Service.CapabilityBoundingSet": "",
      "Service.ProtectSystem": "strict",
      "Service.ProtectHome": "yes",
      "Service.PrivateTmp": "yes",
      "Service.PrivateDevices": "yes",
      "Service.ProtectKernelTunables": "yes",
      "Service.RestrictNamespaces": "yes",
      "Service.RestrictSUIDSGID": "yes",
      "Service.LockPersonality": "yes",
      "Service.SystemCallArchitectures": "native",
    });
    // The compiler of Node.js needs it: with this directive nothing would start.
    expect(unit).not.toHaveProperty("Service.MemoryDenyWriteExecute");
  });

  it("hands each secret over as a credential, and keeps both services on one state", () => {
    const [daemon, sync] = services.map(([name]) =>
      parseUnit(read(`${folder}systemd/${name}`)).filter(([key]) =>
        /\.(Environment|LoadCredential|StateDirectory|User)$/.test(key),
      ),
    );
    expect(sync).toEqual(daemon);
    expect(daemon).toEqual(
      expect.arrayContaining([
        ["Service.LoadCredential", "board-api-key:/etc/boardsync/board-api-key"],
        ["Service.Environment", "BOARD_API_KEY_FILE=%d/board-api-key"],
        ["Service.LoadCredential", "github-token:/etc/boardsync/github-token"],
        ["Service.Environment", "GITHUB_TOKEN_FILE=%d/github-token"],
        ["Service.Environment", "BOARDSYNC_STATE=%S/boardsync/boardsync.db"],
        ["Service.Environment", "BOARDSYNC_CONFIG=/etc/boardsync/boardsync.yaml"],
      ]),
    );
  });

  it("does not start a daemon again whose config is wrong", () => {
    const unit = parseUnit(read(`${folder}systemd/boardsync.service`));
    expect(unit).toContainEqual(["Service.Restart", "on-failure"]);
    expect(unit).toContainEqual(["Service.RestartPreventExitStatus", "2"]);
  });

  it("reloads the daemon's config by SIGHUP", () => {
    const unit = parseUnit(read(`${folder}systemd/boardsync.service`));
    expect(unit).toContainEqual(["Service.ExecReload", "/bin/kill -HUP $MAINPID"]);
  });

  it("starts a run that was missed while the machine was off", () => {
    const timer = Object.fromEntries(parseUnit(read(`${folder}systemd/boardsync-sync.timer`)));
    expect(timer).toMatchObject({
      "Timer.OnCalendar": "*:0/15",
      "Timer.Persistent": "yes",
      "Install.WantedBy": "timers.target",
    });
  });
});

describe("cron", () => {
  const lines = read(`${folder}crontab`)
    .split("\n")
    .filter((line) => !line.startsWith("#"));

  it("ends with a line break, without which cron leaves out the last line", () => {
    expect(lines.at(-1)).toBe("");
  });

  it("starts one run as a user of its own, and is quiet unless something is wrong", () => {
    expect(lines.filter((line) => /^[*\d]/.test(line))).toEqual([
      "*/15 * * * * boardsync boardsync sync --quiet --log-level warn",
    ]);
  });

  it("names files for config, state and secrets, as cron has no environment to speak of", () => {
    const names = lines.flatMap((line) => /^(\w+)=(.*)$/.exec(line)?.[1] ?? []);
    expect(names).toEqual([
      "MAILTO",
      "PATH",
      "BOARDSYNC_CONFIG",
      "BOARDSYNC_STATE",
      "BOARD_API_KEY_FILE",
      "GITHUB_TOKEN_FILE",
    ]);
  });
});
