import type { IssueRef } from "../../../model/issue.ts";

/** An issue as the tables name it. */
export type IssuePlace = Readonly<{ repository: number; number: number }>;

export function placeOfIssue({ repositoryId, number }: IssueRef): IssuePlace {
  return { repository: repositoryId, number };
}
