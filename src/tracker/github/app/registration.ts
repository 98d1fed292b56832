import { webSiteOf } from "../../../model/dialect.ts";

/** An App as it is asked for. */
export interface AppWish {
  /** One that nobody on the server has yet, of 34 characters at most; the person may change it on GitHub's page. */
  readonly name: string;
  /** The owner, where that is not the person. */
  readonly organization: string | undefined;
  /** Permissions by GitHub's names for them, such as `{ issues: "write" }`. */
  readonly permissions: Readonly<Record<string, "read" | "write">>;
  /** Where GitHub delivers webhooks; undefined for an App without. */
  readonly webhookUrl: string | undefined;
}

/** Events that bring runs forward, by the permission that an App needs to get them. */
const eventsOf: Readonly<Record<string, readonly string[]>> = {
  issues: ["issues", "label", "milestone", "sub_issues"],
  metadata: ["repository"],
  pull_requests: ["pull_request"],
  contents: ["release"],
  organization_projects: ["projects_v2_item"],
};

/**
 * The address of GitHub's form for a new App, filled in. A person agrees there, and makes the key.
 *
 * @param api - address of the server's API.
 * Source: https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-using-url-parameters
 */
export function addressOfAppForm(api: string, wish: AppWish): string {
  const { name, organization, permissions, webhookUrl } = wish;
  const web = webSiteOf(api);
  const owner = organization === undefined ? "" : `/organizations/${encodeURIComponent(organization)}`;
  const events = Object.keys(permissions).flatMap((permission) => eventsOf[permission] ?? []);
  // An older Enterprise Server does not know it.
  const isEnterprise = !/(?:^|\.)(?:github|ghe)\.com$/.test(new URL(web).hostname);
  const known = events.filter((event) => !isEnterprise || event !== "sub_issues");
  const query = new URLSearchParams({
    name,
    url: organization === undefined ? web : `${web}/${organization}`,
    public: "false",
    webhook_active: String(webhookUrl !== undefined),
    ...(webhookUrl !== undefined && { webhook_url: webhookUrl }),
    ...permissions,
  });
  if (webhookUrl !== undefined) for (const event of known) query.append("events[]", event);
  return `${web}${owner}/settings/apps/new?${query}`;
}
