import { z } from "zod";
import type { RepositoryName } from "../../../model/issue.ts";
import type { Traffic } from "../../../model/surroundings.ts";
import type { Account, Tracker } from "../../tracker.ts";
import { connect, createAdapter, type ServerOptions } from "../github.ts";
import { call, createClient } from "../wire/client.ts";
import { budgetOfQueries, createGate } from "../wire/limits.ts";
import { createReader, type Read } from "../wire/reader.ts";
import type { Quote } from "../wire/words.ts";
import { type AppKey, signInAsApp } from "./app-auth.ts";
import { createInstallationCredential, refuseApp } from "./installation.ts";
import { createOwners, ownerOf, unseen } from "./owners.ts";

export interface GitHubAppOptions extends ServerOptions {
  readonly app: AppKey;
  /** Every repository that the config names. Their owners are asked for what is known by an id alone. */
  readonly repositories: readonly RepositoryName[];
  /** Told every token and every signed statement before it is used, so that no sink shows it. */
  readonly conceal: (secret: string) => void;
}

/** GitHub as a GitHub App. Each owner's part goes through the App's installation there, with a token and limits of its own. */
export function createGitHubAppTracker(options: GitHubAppOptions): Tracker & Traffic {
  const held = new Set<() => readonly string[]>();
  const connection = connect(options, () => [...held].flatMap((secrets) => secrets()));
  const app = signInAsApp(options.app, connection, options.conceal);
  held.add(app.credential.secrets);
  const gate = createGate(options.clock);
  const send = createClient(connection, app.credential);
  const read = createReader({ ...connection, send, gate, budget: "" });

  const { sender, quote } = connection;
  const owners = createOwners((owner, repository) => {
    const tools = { ...connection, app, read, gate, budget: owner, repository };
    const credential = createInstallationCredential(tools);
    held.add(credential.secrets);
    return createAdapter(connection, credential, owner);
  }, options.repositories);
  const { of, ofId, first } = owners;
  return {
    account: (bounds) => readApp(read(bounds), quote),
    server: (bounds) => first().server(bounds),
    repository: owners.find,
    catalogue: (repository, bounds) => of(repository).catalogue(repository, bounds),
    issueTypes: (repository, etag, bounds) => of(repository).issueTypes(repository, etag, bounds),
    isAssignable: (repository, login, bounds) => of(repository).isAssignable(repository, login, bounds),
    labels: (repository, etag, bounds) => of(repository).labels(repository, etag, bounds),
    milestones: (repository, etag, bounds) => of(repository).milestones(repository, etag, bounds),
    releases: (repository, etag, bounds) => of(repository).releases(repository, etag, bounds),
    listIssues: (repository, query, bounds) => of(repository).listIssues(repository, query, bounds),
    async readIssue(issue, bounds) {
      const tracker = await ofId(issue.repositoryId, bounds);
      return tracker === undefined ? { kind: "missing" } : tracker.readIssue(issue, bounds);
    },
    labelled: (repository, wanted, bounds) => of(repository).labelled(repository, wanted, bounds),
    async events(issue, bounds) {
      const tracker = await ofId(issue.repositoryId, bounds);
      return tracker === undefined ? [] : tracker.events(issue, bounds);
    },
    async labellers(issue, bounds) {
      const tracker = await ofId(issue.repositoryId, bounds);
      return tracker === undefined ? new Map() : tracker.labellers(issue, bounds);
    },
    async *comments(issue, bounds) {
      const tracker = await ofId(issue.repositoryId, bounds);
      if (tracker === undefined) throw unseen(issue.repositoryId);
      yield* tracker.comments(issue, bounds);
    },
    projectField: (wanted, bounds) => owners.ofOwner(wanted.owner).projectField(wanted, bounds),
    readSignals: owners.readSignals,
    write: (repository, write) => of(repository).write(repository, write),
    budgetOf(repository, use) {
      const owner = ownerOf(repository);
      return use === "signals" ? budgetOfQueries(owner) : owner;
    },
    sizes: connection.sizes,
    get requests() {
      return sender.requests;
    },
    answers: sender.answers,
  };
}

const appShape = z.object({ slug: z.string() });

/** What an App writes is written by an account of its own, the same in all installations. */
async function readApp(read: Read, quote: Quote): Promise<Account> {
  const answer = await read({ ...call(({ rest }) => rest.apps.getAuthenticated, {}), subject: "the App" });
  const app = answer.status === 200 ? appShape.safeParse(answer.data).data : undefined;
  if (app === undefined) throw refuseApp(answer, quote);
  return { login: `${app.slug}[bot]` };
}
