import type { Sender } from "../../http/send.ts";
import type { Log } from "../../log.ts";
import type { RepositoryId, RepositoryName } from "../../model/issue.ts";
import type { Clock, Random, ReadBounds, Traffic } from "../../model/surroundings.ts";
import type { Tracker } from "../tracker.ts";
import { listIssues } from "./read/listing.ts";
import {
  labelList,
  milestoneList,
  readCatalogue,
  readTypes,
  readWholeList,
  releaseList,
} from "./read/lists.ts";
import { listComments, readIssue } from "./read/reading.ts";
import { describeServer, findRepository, readAccount, readAssignable } from "./read/repositories.ts";
import { createQuery } from "./signals/querying.ts";
import type { Access } from "./wire/access.ts";
import {
  type ConnectionOptions,
  type Credential,
  createApiVersion,
  createClient,
  createTokenCredential,
} from "./wire/client.ts";
import { budgetOfQueries, createGate, createQueryGate } from "./wire/limits.ts";
import { createPages } from "./wire/pages.ts";
import { createSizes, type Sizes } from "./wire/pieces.ts";
import { createReader } from "./wire/reader.ts";
import { createServerClock } from "./wire/transport.ts";
import { createQuote } from "./wire/words.ts";
import { sendWrite } from "./write/writing.ts";

/** What both ways to sign in need. */
export interface ServerOptions {
  /** Base URL of the API: `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly url: string;
  /** Carries the requests. */
  readonly sender: Sender;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Covers the secrets of the other side, too, in what is quoted of the tracker. */
  readonly redact?: (text: string) => string;
  /** How often a read is repeated after a failure or a limit; 3 by default. Writes never are. */
  readonly retries?: number;
  /** The most pages that one list may have; 10,000 by default. */
  readonly pageLimit?: number;
}

export interface GitHubOptions extends ServerOptions {
  readonly token: string;
}

/** The way to a server, and how it is walked. Several adapters may share one. */
export interface GitHubConnection extends ConnectionOptions {
  readonly random: Random;
  readonly retries: number;
  readonly pageLimit: number;
  /** What has been found out of it, by whichever of the adapters. */
  readonly sizes: Sizes;
}

/** GitHub, or GitHub Enterprise Server. One adapter serves all repositories of a personal access token. */
export function createGitHubTracker(options: GitHubOptions): Tracker & Traffic {
  const credential = createTokenCredential(options.token);
  return createAdapter(connect(options, credential.secrets), credential, "");
}

/** @param secrets - those of the moment, which no quoted text shows. */
export function connect(options: ServerOptions, secrets: () => readonly string[]): GitHubConnection {
  const { sender, clock, random, log, retries = 3, pageLimit = 10_000 } = options;
  return {
    url: options.url.replace(/\/+$/, ""),
    sender,
    clock,
    serverClock: createServerClock(clock),
    version: createApiVersion(log),
    random,
    log,
    quote: createQuote(secrets, options.redact),
    retries,
    pageLimit,
    sizes: createSizes(clock),
  };
}

/** An adapter for all that one credential sees. Everything is signed by it, and a limit that it meets is its own. */
export function createAdapter(
  connection: GitHubConnection,
  credential: Credential,
  budget: string,
): Tracker & Traffic {
  const { url, sender, clock, quote, pageLimit, sizes } = connection;
  const send = createClient(connection, credential);
  const gate = createGate(clock);
  const reader = createReader({ ...connection, send, gate, budget });
  const asker = createReader({ ...connection, send, gate: createQueryGate(clock, gate), budget });
  // By id, so it never holds more than the repositories that are synced.
  const names = new Map<RepositoryId, RepositoryName>();
  const within = (bounds: ReadBounds): Access => {
    const read = reader(bounds);
    const pages = createPages({ url, read, quote, sizes, pageLimit });
    const find: Access["find"] = async (wanted) => {
      const found = await findRepository({ read, quote }, wanted);
      // Of an App's installation GitHub shows no push access, whatever it may write.
      const mayWrite = credential.mayWriteIssues?.();
      names.set(found.id, found.name);
      return { ...found, canPush: mayWrite ?? found.canPush, ...(mayWrite && { isWriteKnown: true }) };
    };
    return { url, quote, read, pages, pageLimit, find, names };
  };
  const query = (bounds: ReadBounds) => createQuery(asker(bounds), url, quote);
  const { host } = new URL(url);
  const signalTools = { sizes, host, unsupported: new Map(), compared: new Map() };
  return {
    account: (bounds) => readAccount(within(bounds)),
    ...(credential.ends && { credentialEnds: credential.ends }),
    server: (bounds) => describeServer(within(bounds)),
    repository: (wanted, bounds) => within(bounds).find(wanted),
    catalogue: (repository, bounds) => readCatalogue(within(bounds), repository),
    labels: (repository, etag, bounds) => readWholeList(within(bounds), repository, labelList, etag),
    milestones: (repository, etag, bounds) => readWholeList(within(bounds), repository, milestoneList, etag),
    releases: (repository, etag, bounds) => readWholeList(within(bounds), repository, releaseList, etag),
    issueTypes: (repository, etag, bounds) => readTypes(within(bounds), repository, etag),
    isAssignable: (repository, login, bounds) => readAssignable(within(bounds), repository, login),
    comments: (issue, bounds) => listComments(within(bounds), issue),
    // Loaded with the first rule that asks for them: their shapes take 10 ms to make.
    async projectField(wanted, bounds) {
      const { findProjectField } = await import("./signals/project-fields.ts");
      return findProjectField(query(bounds), wanted, quote);
    },
    async *readSignals(nodeIds, wish, bounds) {
      const { readSignals } = await import("./signals/signals.ts");
      yield* readSignals({ ...signalTools, query: query(bounds) }, nodeIds, wish);
    },
    listIssues(repository, wanted, bounds) {
      names.set(repository.id, repository.name);
      return listIssues(within(bounds), repository, wanted);
    },
    async labelled(repository, wanted, bounds) {
      const { listLabelled } = await import("./read/labelled.ts");
      return listLabelled(within(bounds), repository, wanted);
    },
    async events(issue, bounds) {
      const { readEvents } = await import("./read/labelled.ts");
      return readEvents(within(bounds), issue);
    },
    async labellers(issue, bounds) {
      const { readLabellers } = await import("./read/labelled.ts");
      return readLabellers(within(bounds), issue);
    },
    readIssue: (issue, bounds) => readIssue(within(bounds), issue),
    write: (repository, write) => sendWrite({ send, gate, quote, clock }, repository, write),
    budgetOf: (_repository, use) => (use === "signals" ? budgetOfQueries(budget) : budget),
    sizes,
    get requests() {
      return sender.requests;
    },
    answers: sender.answers,
  };
}
