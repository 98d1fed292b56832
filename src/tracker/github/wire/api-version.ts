import type { Log } from "../../../log.ts";
import { isObject } from "./shapes.ts";

/** Which version of the API is asked for. An unversioned client would be moved to another one the day this is retired. */
export interface ApiVersion {
  headers(): Readonly<Record<string, string>>;
  /** Looks at an answer; true when the server does not know the version, so that it is asked for no more. */
  isRefusedBy(answer: { readonly status: number; readonly data: unknown }): boolean;
}

const version = "2022-11-28";

/** See `ApiVersion`. An Enterprise Server may know other versions than github.com. */
export function createApiVersion(log: Log): ApiVersion {
  let isKnown = true;
  return {
    headers: () => (isKnown ? { "x-github-api-version": version } : {}),
    isRefusedBy({ status, data }) {
      const words = isObject(data) ? String(data["message"]) : "";
      if (!isKnown || status !== 400 || !/\bapi version\b/i.test(words)) return false;
      isKnown = false;
      log.warn(
        { version },
        "The server does not know this version of GitHub's API; it is asked without naming one",
      );
      return true;
    },
  };
}
