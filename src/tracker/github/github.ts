import type { Log } from "../../log.ts";
import type { RepositoryId, RepositoryName } from "../../model/issue.ts";
import type { Clock, Random, ReadBounds } from "../../model/surroundings.ts";
import type { Tracker } from "../tracker.ts";
import { createClient } from "./client.ts";
import { createKnownNames } from "./identity.ts";
import { createGate } from "./limits.ts";
import { listIssues } from "./listing.ts";
import { createPageReader, createPages } from "./pages.ts";
import { createReader } from "./reader.ts";
import { readIssue } from "./reading.ts";
import { findRepository, readAccount, readCatalogue } from "./repositories.ts";
import { createTransport, type Fetch } from "./transport.ts";
import { createQuote } from "./words.ts";
import { sendWrite } from "./writing.ts";

export interface GitHubOptions {
  /** Base URL of the API: `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly url: string;
  readonly token: string;
  /** Deadline of each request, from its first byte to the answer's last one. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Carries the requests, proxies included; the one of Node.js by default, which knows no proxy. */
  readonly fetch?: Fetch;
  /** How often a read is repeated after a failure or a limit; 3 by default. Writes never are. */
  readonly retries?: number;
  /** The most pages that one list may have; 10,000 by default. */
  readonly pageLimit?: number;
  /** The largest answer that is read, decompressed; 32 MiB by default. */
  readonly bodyLimitBytes?: number;
}

/** GitHub, or GitHub Enterprise Server, by REST. One adapter serves all repositories of a token. */
export function createGitHubTracker(options: GitHubOptions): Tracker {
  const { clock, random, log, token, timeoutMs } = options;
  const { fetch = globalThis.fetch, retries = 3, pageLimit = 10_000 } = options;
  const { bodyLimitBytes = 32 * 1024 * 1024 } = options;
  const url = options.url.replace(/\/+$/, "");
  const quote = createQuote(token);
  const transport = createTransport({ fetch, timeoutMs, bodyLimitBytes });
  const send = createClient({ url, token, transport, log, quote });
  const gate = createGate(clock);
  const read = createReader({ send, gate, clock, random, log, quote, retries });
  const readPage = createPageReader(read, quote);
  const pages = createPages(readPage, pageLimit);
  const names = createKnownNames();
  const find = async (wanted: RepositoryName | RepositoryId, bounds: ReadBounds) => {
    const repository = await findRepository(read, wanted, bounds, quote);
    names.note(repository);
    return repository;
  };
  return {
    account: (bounds) => readAccount(read, bounds, quote),
    repository: find,
    catalogue: (repository, bounds) => readCatalogue(pages, repository, bounds, quote),
    listIssues: (repository, query, bounds) => {
      names.note(repository);
      return listIssues({ readPage, pages, find, quote, pageLimit }, repository, query, bounds);
    },
    readIssue: (issue, bounds) => readIssue({ read, find, names, quote }, issue, bounds),
    write: (repository, write) => sendWrite({ send, gate, quote }, repository, write),
    get requests() {
      return transport.requests;
    },
  };
}
