import type { IssueRef } from "../model/issue.ts";

/** The links that a person ends. Links are made by `Rows.link`, and follow a transfer by `Absences.follow`. */
export interface Links {
  /** Whether the text of an issue is some post's, by a link that remembers it. */
  hasContent(issue: IssueRef): Promise<boolean>;
}
