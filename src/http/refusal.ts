/*
 * Whose refusal an answer is. It concerns what was asked for, and nothing beside that goes without: one table for reads and
 * writes of both sides. The first row that fits counts.
 *
 *     status            said besides                        of what            whose
 *
 *     401               any                                 any                credential
 *     429               any                                 any                limit
 *     400 and above     words or a code of a limit          any                limit
 *     403               nothing of a budget is left         any                limit
 *     400 to 499        a time to come back, but 408        any                limit
 *     403               the account is suspended            any                credential
 *     any               any                                 a read, a label    asked
 *     any               it can't be written to: locked,     any                asked
 *                       full, or merged into another
 *     403               any                                 a post             place
 *     403, 404, 451     any                                 an issue           place
 *     400 to 499        words of a missing permission, of   an issue           place
 *                       an archive, of issues switched off
 *     any other                                             any                asked
 */

/** What tells whose refusal an answer is. */
export interface Said {
  readonly status: number;
  /** Its message and those of its single errors, in the API's own words; values that it quotes are left out. */
  readonly words: readonly string[];
  /** Its codes and types, such as `abuse` or `rate_limited`. */
  readonly codes: readonly string[];
  /** Whether it names a time to come back (`Retry-After`). */
  readonly namesTime: boolean;
  /** Whether it says that nothing is left of a budget. */
  readonly hasNothingLeft: boolean;
}

/**
 * What was asked for: anything that is only read; a write to an issue, or a new one; a label that is to be made in a repository;
 * a change of a post.
 */
export type AskedKind = "read" | "issue" | "label" | "post";

/**
 * `limit`: nothing may be asked there before a time, and nothing is wrong with what was asked. `credential`: all that the token
 * or the key is for. `place`: all writes to the repository, or to the board's project. `asked`: just this read, or this write.
 */
export type Whose = "limit" | "credential" | "place" | "asked";

/** See the table above. */
export function whoseRefusal(said: Said, asked: AskedKind): Whose {
  const { status } = said;
  if (status === 401) return "credential";
  if (isLimit(said)) return "limit";
  if (status === 403 && says(said, ofAccount)) return "credential";
  if (asked === "read" || asked === "label" || says(said, ofItself)) return "asked";
  if (asked === "post") return status === 403 ? "place" : "asked";
  return status === 403 || status === 404 || status === 451 || (isRefusal(status) && says(said, ofPlace))
    ? "place"
    : "asked";
}

function isLimit({ status, words, codes, namesTime, hasNothingLeft }: Said): boolean {
  if (status < 400) return false;
  if (status === 429 || words.some(namesLimit) || codes.some((code) => limitCode.test(code))) return true;
  return (status === 403 && hasNothingLeft) || (isRefusal(status) && status !== 408 && namesTime);
}

/** Whether a sentence of an API says that a limit is reached. */
export function namesLimit(words: string): boolean {
  return ofLimit.test(words);
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}

function says({ words }: Said, what: RegExp): boolean {
  return words.some((text) => what.test(text));
}

const ofLimit =
  /\b(?:rate[ -]?limit|secondary rate|abuse (?:detection|rate)|too many requests|submitted too quickly|blocked from content creation|(?:requests?|calls?|api) (?:limit|quota) (?:is |was |has been )?(?:reached|exceeded))/i;

const limitCode =
  /^(?:abuse|throttled|too[ _-]?many[ _-]?requests|(?:secondary[ _-])?rate[ _-]?limit(?:ed|[ _-]?exceeded)?)$/i;

const ofAccount = /\byour account (?:was|is|has been) (?:suspended|blocked|flagged|disabled)\b/i;

/**
 * Why one issue or one post takes no writes: an issue is locked or has too many comments; a post is locked, merged, closed or
 * archived. "Feedback is closed" and "an archived feedback board" speak of a whole board, and don't belong here.
 */
const ofItself =
  /\b(?:issue|conversation|it) is locked\b|\bissues with more than\b|\b(?:post|idea|suggestion|this feedback) (?:is|was|has been) (?:locked|merged|closed|archived)\b|\b(?:locked|merged|closed|archived) (?:posts?|ideas?|suggestions?|feedback)\b(?! (?:board|portal|forum|project)\b)/i;

const ofPlace =
  /\bnot accessible by (?:integration|personal access token)|\bmust have (?:admin|push|write|triage|maintain)\b|\bSAML\b|\bIP allow list\b|\barchived\b|\bissues (?:are|have been|has been) (?:disabled|switched off|turned off)\b/i;
