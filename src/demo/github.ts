import { answerGitHub } from "./github-api.ts";
import { createState, type DemoIssue, type DemoRepository, type StateOptions } from "./github-state.ts";
import { type ServeOptions, serve } from "./loopback.ts";

/** A GitHub on loopback: issues, labels and comments over HTTP, and what people do as methods. A thing that isn't there throws. */
export type DemoGitHub = Awaited<ReturnType<typeof startDemoGitHub>>;

/** How the GitHub starts. */
export interface DemoGitHubOptions extends StateOptions, Pick<ServeOptions, "port"> {
  readonly token: string;
}

/** Starts a GitHub on 127.0.0.1. */
export async function startDemoGitHub(options: DemoGitHubOptions) {
  const state = createState(options);
  const { token, now, port } = options;
  const creates = { asked: 0, answered: 0 };
  let hanging: { readonly number: number; met(): void } | undefined;

  const answer = answerGitHub(state, token);
  const { origin, close } = await serve({
    now,
    port,
    answer(asked) {
      const isCreate = asked.method === "POST" && asked.path.endsWith("/issues");
      if (isCreate) creates.asked += 1;
      const given = answer(asked);
      if (isCreate && hanging !== undefined && Object(given.body).number === hanging.number) {
        hanging.met();
        return undefined;
      }
      if (isCreate) creates.answered += 1;
      return given;
    },
  });
  state.url = origin;

  const repositoryOf = (name: string): DemoRepository => {
    const repository = state.repositories.find((one) => one.name === name);
    if (repository === undefined) throw new Error(`The demo has no repository ${name}.`);
    return repository;
  };
  const issue = (name: string, number: number): DemoIssue => {
    const found = repositoryOf(name).issues.get(number);
    if (found === undefined) throw new Error(`The demo has no issue ${name}#${number}.`);
    return found;
  };
  const change = (name: string, number: number, fields: Partial<DemoIssue>): void => {
    state.save(repositoryOf(name), issue(name, number), fields);
  };
  return {
    /** The API's root, without a slash at the end. */
    url: origin,
    token,
    /** Requests to open an issue so far, and those of them whose answer has left. */
    creates,
    issue,
    /** By number. */
    issues: (name: string): readonly DemoIssue[] => [...repositoryOf(name).issues.values()],
    label(name: string, number: number, label: string): void {
      const labels = [...issue(name, number).labels, label];
      change(name, number, { labels: state.spell(repositoryOf(name), labels) });
    },
    close: (name: string, number: number) => change(name, number, { state: "closed", closedBy: "dana" }),
    reopen: (name: string, number: number) => change(name, number, { state: "open" }),
    /** The request that opens the issue of this number is never answered. Kept when the issue is open. */
    hangAt: (number: number) =>
      new Promise<void>((resolve) => {
        hanging = { number, met: resolve };
      }),
    stop: close,
  };
}
