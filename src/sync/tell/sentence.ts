/** A sentence with a capital at its beginning, unless that is a name: `acme-app`, `acme/app#2`, `roadmapColumn`, `.env` and an address stay as they are. */
export function beginSentence(text: string): string {
  return /^[a-z][a-z']*(?![\w/#.@'-]|:\/\/)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
