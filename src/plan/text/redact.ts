import type { Redacted } from "../ground/settings.ts";

/** What nobody sees between the signs of an address: what is not drawn, and what escapes a sign in Markdown. */
const UNSEEN = "[\\\\\\p{Cf}]{0,2}";

/** The sign between a name and its host, also full-width, in an address of a link, and as an entity of HTML. */
const AT = `${UNSEEN}(?:[@＠﹫]|%40|&#0*64;|&#x0*40;|&commat;)${UNSEEN}`;

const LABEL = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{Cf}-]{0,61}[\\p{L}\\p{N}])?";

/** A host: labels of letters, digits and hyphens, and a last one of letters. Lengths are bounded, so that no text takes long. */
const HOST = `(?:${LABEL}${UNSEEN}\\.${UNSEEN}){1,8}\\p{L}[\\p{L}\\p{Cf}]{0,61}\\p{L}`;

/** Emphasis may end before the sign. */
const NAME = "[\\p{L}\\p{N}._%+'-][\\p{L}\\p{N}._%+'\\\\\\p{Cf}*-]{0,63}";

const EMAIL = new RegExp(`${NAME}${AT}${HOST}`, "giu");

/** Neither in the middle of a word or number, nor in an address, a version or an id. */
const BEFORE = "(?<![\\p{L}\\p{N}/=._#-])";
const AFTER = "(?![\\p{L}\\p{N}]|[.,-]\\p{N})";

/** What stands between the digits: spaces and hyphens, whatever their kind, and some of these signs. A dash may be that of a range. */
const between = (signs: string): string => `(?:[\\p{Zs}\\p{Cf}\u2010\u2011\uFE63\uFF0D${signs}-]|&nbsp;)`;

/** Day, month and year. */
const NO_DATE = "(?!\\d{1,2}\\D\\d{1,2}\\D(?:19|20)\\d\\d(?!\\d))";

/** As people write them: each form names what tells it from a date, a price, a version or an id. */
const PHONES: readonly RegExp[] = [
  // +49 30 1234567, 0049 (0)30 1234567
  `(?:\\+|00)[1-9]\\d{0,2}(?:${between(".()/\\p{Pd}")}{0,3}\\d){6,12}`,
  // (555) 123-4567, (030) 1234567
  `\\(\\d{2,5}\\)${between("/")}{0,2}\\d{2,4}(?:${between("")}?\\d{2,5}){1,3}`,
  // 030/1234567, 0170 1234567: eight digits at least, so that 05/2026 stays
  `${NO_DATE}0\\d{1,4}${between("/")}{1,2}\\d{2,8}(?:${between("")}?\\d{2,6}){1,3}`,
  // 555-123-4567
  `\\d{3}${between(".")}\\d{3}${between(".")}\\d{4}`,
].map((form) => new RegExp(`${BEFORE}${form}${AFTER}`, "gu"));

/** Fewer digits are no telephone number that anybody could call from elsewhere. */
const leastDigits = 8;

/** A text without e-mail addresses and telephone numbers, as far as they can be told from other words and numbers. */
export function redactPeople(text: string, kinds: readonly Redacted[]): string {
  const withoutMail = kinds.includes("email") ? text.replace(EMAIL, "[e-mail]") : text;
  if (!kinds.includes("phone")) return withoutMail;
  return PHONES.reduce((rest, form) => rest.replace(form, coverPhone), withoutMail);
}

function coverPhone(found: string): string {
  const digits = found.replaceAll(/\D/g, "").length;
  return digits >= leastDigits ? "[phone number]" : found;
}
