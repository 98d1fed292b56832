/** What a status of a board may mean for an issue. */
type Meaning = "planned" | "inProgress" | "completed" | "closed";

/** For each meaning the board's own word, where one of those in use has it. */
export type Meanings = Readonly<Partial<Record<Meaning, string>>>;

/** Common words, folded: without case, blanks, `-` and `_`; the plainest first, which wins where a board has several. */
const words: Readonly<Record<Meaning, string>> = {
  planned: "planned scheduled accepted approved upcoming next todo onroadmap backlog",
  inProgress: "inprogress started indevelopment doing building underway working workinprogress wip active",
  completed: "completed complete done shipped released live launched delivered implemented finished resolved",
  closed: "closed declined rejected notplanned wontdo wontfix cancelled canceled dismissed discarded",
};

/** Matches the statuses that a board uses to what GitHub knows of an issue; what has no common word is left alone. */
export function matchStatuses(statuses: readonly string[]): Meanings {
  const found = Object.entries(words).map(([meaning, known]) => {
    const word = known.split(" ").find((one) => statuses.some((status) => fold(status) === one));
    return [meaning, statuses.find((status) => fold(status) === word)] as const;
  });
  return Object.fromEntries(found.filter(([, status]) => status !== undefined));
}

function fold(status: string): string {
  return status.toLowerCase().replaceAll(/[\s_'’-]+/g, "");
}
