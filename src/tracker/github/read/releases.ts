import { z } from "zod";
import type { Release } from "../../../model/release.ts";
import { positiveInteger, readEach, time } from "../wire/shapes.ts";
import type { ConditionalList } from "./repositories.ts";

/** A draft is not published, and whoever may push is shown some; one without a tag can't be named. */
const releaseShape = z
  .object({
    id: positiveInteger,
    tag_name: z.string(),
    name: z.string().nullish(),
    body: z.string().nullish(),
    html_url: z.string(),
    draft: z.boolean(),
    prerelease: z.boolean(),
    published_at: time.nullish(),
  })
  .transform((row): readonly Release[] => {
    const {
      id,
      tag_name: tag,
      name,
      body,
      html_url: url,
      draft,
      prerelease,
      published_at: publishedAt,
    } = row;
    if (draft || tag === "" || typeof publishedAt !== "string") return [];
    return [{ id, tag, name: name || tag, body: body ?? "", url, isPrerelease: prerelease, publishedAt }];
  });

/** The releases that were published, newest first. */
export const releaseList: ConditionalList<Release> = {
  name: "releases",
  endpoint: ({ rest }) => rest.repos.listReleases,
  parameters: {},
  readRows: (data) => readEach(data, "releases", releaseShape).flat(),
};
