import { describe, expect, it } from "vitest";
import { makeFolder, openStage, type Ran, type RunOptions, runCommand, type Stage } from "../stage.ts";

/** What is asked for, and the form's address in what was printed. */
async function askFor(
  args: readonly string[] = [],
  options: RunOptions = {},
  given?: Stage,
): Promise<Ran & { readonly form: URL }> {
  const stage = given ?? (await openStage());
  const env = { ...(given === undefined && { BOARDSYNC_CONFIG: "nowhere.yaml" }), ...options.env };
  const ran = await stage.run(["init", "--github-app", ...args], { ...options, env });
  return { ...ran, form: new URL(/^https?:\/\/\S+$/m.exec(ran.out)?.[0] ?? "about:blank") };
}

describe("init --github-app", () => {
  it("prints the address of GitHub's form, filled in with the least that an App needs", async () => {
    const { code, form, out, err } = await askFor();
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(`${form.origin}${form.pathname}`).toBe("https://github.com/settings/apps/new");
    expect(Object.fromEntries(form.searchParams)).toEqual({
      name: expect.stringMatching(/^boardsync-[0-9a-f]{6}$/),
      url: "https://github.com",
      ...{ public: "false", webhook_active: "false" },
      ...{ issues: "write", metadata: "read", pull_requests: "read" },
    });
    expect(out).toContain("The App may: issues write, metadata read, pull requests read.");
    expect(out).toContain("GITHUB_APP_ID=the number\nGITHUB_APP_PRIVATE_KEY_FILE=secrets/github-app.pem\n");
    expect(out).not.toContain("GITHUB_WEBHOOK_SECRET");
  });

  it("asks an organization's form, and GitHub for webhooks, where these are named", async () => {
    const hook = "https://sync.example.com/webhooks/github";
    const { form, out } = await askFor(["--organization", "acme", "--webhook-url", hook]);
    expect(form.pathname).toBe("/organizations/acme/settings/apps/new");
    expect(Object.fromEntries(form.searchParams)).toMatchObject({
      ...{ name: "boardsync-acme", url: "https://github.com/acme" },
      ...{ webhook_active: "true", webhook_url: hook },
    });
    expect(form.searchParams.getAll("events[]")).toEqual([
      ...["issues", "label", "milestone", "sub_issues", "repository", "pull_request"],
    ]);
    expect(out).toContain("GITHUB_WEBHOOK_SECRET=the random word\n");
  });

  it("wants of the App what the rules of the config need, on the config's server", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("rules.yaml", (config) =>
      config
        .replace(/(tracker:\n {2}url: )\S+/, "$1https://git.example.com/api/v3")
        .replace("labels: [in progress]", "labels: [in progress], released: true"),
    );
    const { form } = await askFor(["-c", file, "--webhook-url", "https://a.example/hook"], {}, stage);
    expect(form.origin).toBe("https://git.example.com");
    expect(Object.fromEntries(form.searchParams)).toMatchObject({ contents: "read", pull_requests: "read" });
    expect(form.searchParams.getAll("events[]")).not.toContain("sub_issues");
    expect(form.searchParams.getAll("events[]")).toContain("release");
  });

  it("takes the address of another server, and asks nothing", async () => {
    const ask = () => Promise.reject(new Error("asked"));
    const { form } = await askFor(["--github-url", "git.example.com"], { ask });
    expect(form.origin).toBe("https://git.example.com");
  });

  it("prints the address alone with --quiet, and JSON with --json", async () => {
    const quiet = await askFor(["--quiet"]);
    expect(quiet.out).toBe(`${quiet.form.href}\n`);
    const { json } = await askFor(["--json"]);
    expect(json()).toEqual({
      address: expect.stringMatching(/^https:\/\/github\.com\/settings\/apps\/new\?/),
      permissions: { issues: "write", metadata: "read", pull_requests: "read" },
      webhook: null,
    });
  });

  it.each([
    [["--github-app", "--organization", "a/b"], "`--organization a/b`: write the organization's login"],
    [["--github-app", "--webhook-url", "http://acme.example/hook"], "the address of webhooks must be https"],
    [["--organization", "acme"], "`--organization` and `--webhook-url`: only together with `--github-app`."],
  ])("exits 2 with %j", async (args, words) => {
    const given = ["init", "--github-url", "https://git.example.com", ...args];
    const ran = await runCommand(given, { env: {}, cwd: makeFolder() });
    expect(ran).toMatchObject({ code: 2, out: "", err: expect.stringContaining(words) });
  });
});
