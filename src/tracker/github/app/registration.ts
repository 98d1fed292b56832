import { RemoteError } from "../../../errors.ts";
import { connect, type ServerOptions } from "../github.ts";
import { refuseAnswer } from "../wire/answers.ts";
import { createOctokit, readFailure } from "../wire/client.ts";
import { webOf } from "../wire/links.ts";
import { TransportFailure } from "../wire/network.ts";
import { isObject } from "../wire/shapes.ts";

/**
 * Registers a GitHub App from a manifest: a browser posts the manifest to GitHub, where a person agrees; GitHub sends the
 * browser back with a code; whoever has the code gets the App's key for it, once and within an hour.
 *
 * Source: https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
 */
export interface AppRegistration {
  /** Where the browser posts the form; its field `manifest` holds the manifest, as JSON. */
  formAddress(organization: string | undefined, state: string): string;
  composeManifest(wish: AppWish): string;
  /**
   * Gets the App for its code: one request, since the code is good for one.
   *
   * @throws RemoteError where there is no App in the answer.
   */
  redeem(code: string): Promise<RegisteredApp>;
}

/** An App as it is asked for. */
export interface AppWish {
  /** One that nobody on the server has yet, of 34 characters at most; the person may change it on GitHub's page. */
  readonly name: string;
  /** The owner, where that is not the person. */
  readonly organization: string | undefined;
  /** Such as `{ issues: "write" }`. */
  readonly permissions: AppPermissions;
  /** Where GitHub delivers webhooks; undefined for an App without. */
  readonly webhookUrl: string | undefined;
  /** Where the browser comes back to. */
  readonly redirectUrl: string;
}

/** Permissions by GitHub's names for them. */
export type AppPermissions = Readonly<Record<string, "read" | "write">>;

/** An App as it was made. Everything but the secrets may be shown. */
export interface RegisteredApp {
  readonly id: string;
  readonly name: string;
  /** Its page. */
  readonly page: string;
  /** Where it is installed. */
  readonly installPage: string;
  readonly privateKey: string;
  /** undefined where GitHub has made none. */
  readonly webhookSecret: string | undefined;
  /** Everything that must be shown nowhere, also of what we don't use. */
  readonly secrets: readonly string[];
}

/** Events that bring runs forward, by the permission that an App needs to get them. */
const eventsOf: Readonly<Record<string, readonly string[]>> = {
  issues: ["issues", "label", "milestone", "sub_issues"],
  metadata: ["repository"],
  pull_requests: ["pull_request"],
  contents: ["release"],
  organization_projects: ["projects_v2_item"],
};

/** See `AppRegistration`. */
export function createAppRegistration(options: ServerOptions): AppRegistration {
  const connection = connect(options, () => []);
  const web = webOf(connection.url);
  return {
    formAddress(organization, state) {
      const owner = organization === undefined ? "" : `/organizations/${encodeURIComponent(organization)}`;
      return `${web}${owner}/settings/apps/new?state=${encodeURIComponent(state)}`;
    },
    composeManifest: (wish) => JSON.stringify(manifestOf(wish, web)),
    async redeem(code) {
      const subject = "the code of the new App";
      const answer = await createOctokit(connection)
        .request("POST /app-manifests/{code}/conversions", {
          code,
          headers: { accept: "application/vnd.github+json", ...connection.version.headers() },
        })
        .catch(readFailure);
      if (answer instanceof TransportFailure) {
        const message = `GitHub did not answer when it was asked for the App's key: ${answer.message}.`;
        throw new RemoteError("tracker", "unreachable", message, {
          cause: answer,
          detail: answer.isOfProxy ? "proxy" : undefined,
        });
      }
      if (answer.status === 404) {
        const message =
          "GitHub does not know the code of the new App (404): it is good once, and for an hour.";
        throw new RemoteError("tracker", "refused", message, { detail: "told" });
      }
      const app = answer.status === 201 ? readApp(answer.data, web) : undefined;
      if (app === undefined) throw refuseAnswer(answer, subject, connection.quote);
      return app;
    },
  };
}

function manifestOf(
  { name, organization, permissions, webhookUrl, redirectUrl }: AppWish,
  web: string,
): object {
  const isEnterprise = !/(?:^|\.)(?:github|ghe)\.com$/.test(new URL(web).hostname);
  const events = Object.keys(permissions).flatMap((permission) => eventsOf[permission] ?? []);
  // An older Enterprise Server refuses a manifest with an event that it does not know.
  const known = events.filter((event) => !isEnterprise || event !== "sub_issues");
  // GitHub also refuses one whose `hook_attributes` have no address, inactive ones, too.
  const webhook =
    webhookUrl === undefined
      ? {}
      : { hook_attributes: { url: webhookUrl, active: true }, default_events: known };
  return {
    name,
    url: organization === undefined ? web : `${web}/${organization}`,
    redirect_url: redirectUrl,
    public: false,
    default_permissions: permissions,
    ...webhook,
  };
}

function readApp(data: unknown, web: string): RegisteredApp | undefined {
  if (!isObject(data)) return undefined;
  const { id, slug, name, pem, webhook_secret: webhook, client_secret: client } = data;
  if (!Number.isSafeInteger(id) || typeof slug !== "string" || typeof pem !== "string") return undefined;
  if (!pem.includes("PRIVATE KEY")) return undefined;
  const page = readPage(data["html_url"], web) ?? `${web}/apps/${encodeURIComponent(slug)}`;
  const webhookSecret = typeof webhook === "string" && webhook !== "" ? webhook : undefined;
  const lines = pem.split("\n").filter((line) => line !== "" && !line.startsWith("-----"));
  return {
    id: String(id),
    name: typeof name === "string" ? name : slug,
    page,
    installPage: `${page}/installations/new`,
    privateKey: pem.endsWith("\n") ? pem : `${pem}\n`,
    webhookSecret,
    secrets: [...lines, ...[webhookSecret, client].filter((secret) => typeof secret === "string")],
  };
}

/** An Enterprise Server has the pages of Apps elsewhere; only an address of the same server is believed. */
function readPage(address: unknown, web: string): string | undefined {
  if (typeof address !== "string" || !URL.canParse(address)) return undefined;
  const { origin, pathname } = new URL(address);
  return origin === web && pathname !== "/" ? `${origin}${pathname.replace(/\/+$/, "")}` : undefined;
}
