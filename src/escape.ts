/** Foreign text made harmless where it is shown: on a terminal, in JSON, in HTML. */

/**
 * What a terminal would act on, but for the end of a line: C0, DEL, C1, the marks that turn text around, and Unicode's own
 * line ends.
 */
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Makes every control character of a text visible, such as `<1b>`; the ends of lines stay. */
export function escapeControls(text: string): string {
  return text.replace(controls, (found) => `<${found.charCodeAt(0).toString(16).padStart(2, "0")}>`);
}

/** JSON escapes the first 32 characters; the other ones that a terminal would act on get the same, and mean the same. */
export function escapeJson(json: string): string {
  return json.replace(controls, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Text as HTML shows it, in an element or between the quotes of an attribute. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
