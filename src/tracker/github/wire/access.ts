import { RemoteError } from "../../../errors.ts";
import type { Repository, RepositoryId, RepositoryName } from "../../../model/issue.ts";
import type { Pages } from "./pages.ts";
import type { Read } from "./reader.ts";
import { isRepositoryName, splitName } from "./shapes.ts";
import type { Quote } from "./words.ts";

/** What is asked of GitHub with one credential, and within the bounds of one look, goes by this. */
export interface Access {
  /** Base URL of the API. */
  readonly url: string;
  readonly quote: Quote;
  readonly read: Read;
  readonly pages: Pages;
  readonly pageLimit: number;
  /** Looks a repository up, now. @throws RemoteError */
  readonly find: (wanted: RepositoryName | RepositoryId) => Promise<Repository>;
  /** What repositories were called when they were last looked up, so that reading an issue of a known one needs one request. */
  readonly names: ReadonlyMap<RepositoryId, RepositoryName>;
}

/** The path parameters of a repository. @throws RemoteError `refused` for what is no repository's name. */
export function addressRepository(name: RepositoryName, quote: Quote): { owner: string; repo: string } {
  if (isRepositoryName(name)) return splitName(name);
  throw new RemoteError("tracker", "refused", `"${quote(name)}" is not the name of a repository.`);
}
