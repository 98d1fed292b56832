import { BREAK, type Dialect } from "../../model/dialect.ts";
import { toPlainCharacters } from "./characters.ts";
import { cutBytes, cutCodePoints } from "./fence.ts";
import { redactPeople } from "./redact.ts";
import { sanitiseText, sanitiseTitle, withoutSignatures } from "./sanitise.ts";

/**
 * Makes what people wrote on the tracker fit for the board, where customers read it. It holds no hidden comment (as templates of
 * issues have them), no HTML, no mention, no e-mail address, no telephone number, and nothing that looks like a secret.
 */
export function toBoardText(text: string): string {
  const plain = withoutComments(toPlainCharacters(text.slice(0, mostRead)));
  return cutBytes(sanitiseText(cover(plain), board).trim(), mostBytes, "… (cut)");
}

/** The same for one line; blank when nothing is left to be seen. */
export function toBoardTitle(text: string): string {
  return cutCodePoints(sanitiseTitle(cover(toPlainCharacters(text.slice(0, mostTitle))), board), mostShown);
}

/** More of a text than this is not even looked at. */
const mostRead = 262_144;
const mostTitle = 4_096;

/** No board is known that takes less. */
const mostBytes = 10_000;
const mostShown = 200;

/** A board may tell whoever is mentioned, too. */
const board: Pick<Dialect, "silence"> = {
  silence: (text) => text.replaceAll(/[@＠﹫](?=[\p{L}\p{N}_])/gu, `$&${BREAK}`),
};

function cover(text: string): string {
  return secrets.reduce(
    (rest, form) => rest.replaceAll(form, "[secret]"),
    redactPeople(withoutSignatures(text), ["email", "phone"]),
  );
}

/** Keys by the forms that their makers gave them (also in parts, as GitHub's of 2026), keys in PEM, JSON Web Tokens, and passwords in addresses. */
const secrets: readonly RegExp[] = [
  /(?<![\w-])(?:gh[pousr]_|github_pat_|glpat-|sk-|rk_live_|sk_live_|whsec_|xox[abeprs]-|xapp-\d-|npm_|pypi-AgE|dckr_pat_|hvs\.|SG\.[\w-]{22}\.|AIza)[\w-]{16,}(?:\.[\w-]+)*/g,
  /(?<!\w)(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)/g,
  /(?<![\w.-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}/g,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\w\s+/=:,.-]*/g,
  /(?<=:\/\/)[^\s/?#@:]{1,200}:[^\s/?#@]{1,200}(?=@)/g,
];

/** One that nothing ends hides all that follows. */
export function withoutComments(text: string): string {
  return text.replace(/<!--.*?(?:-->|$)/gs, "");
}
