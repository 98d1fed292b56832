/** What reads the notices. */
export type Channel = "slack" | "discord" | "teams" | "generic";

/** Discord takes no more in a message. */
const mostOfDiscord = 2000;
/**
 * Bytes of all lines, each with what stands around it. Teams takes 28 KB with all that it adds, and a workflow has said yes by then:
 * https://github.com/MicrosoftDocs/msteams-docs/issues/11274
 */
const mostOfTeams = 24_000;

/**
 * The body of a message. The text is written in Slack's way, in which ids are harmless already; elsewhere its entities would be
 * shown as they are. Nobody is called by a message: Discord is told so, and the others call by more than a text.
 */
export function bodyFor(channel: Channel, about: "notice" | "digest", text: string): object {
  switch (channel) {
    case "slack":
      return { text };
    case "discord":
      return { content: cut(toMarkdown(text)), allowed_mentions: { parse: [] } };
    case "teams":
      return {
        type: "message",
        attachments: [
          {
            contentType: "application/vnd.microsoft.card.adaptive",
            content: {
              $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
              type: "AdaptiveCard",
              version: "1.4",
              body: toBlocks(toMarkdown(text)),
            },
          },
        ],
      };
    case "generic":
      return { about, text: withoutEntities(text).replaceAll("*boardsync*", "boardsync") };
  }
}

function toMarkdown(text: string): string {
  return withoutEntities(text).replaceAll("*boardsync*", "**boardsync**");
}

function withoutEntities(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function cut(text: string): string {
  return text.length > mostOfDiscord ? `${text.slice(0, mostOfDiscord - 1).toWellFormed()}…` : text;
}

function toBlocks(text: string): readonly object[] {
  const blocks = text.split("\n").map((line) => ({ type: "TextBlock", text: line, wrap: true }));
  let bytes = 0;
  const end = blocks.findIndex((block) => {
    bytes += Buffer.byteLength(JSON.stringify(block));
    return bytes > mostOfTeams;
  });
  return end === -1 ? blocks : [...blocks.slice(0, end), { type: "TextBlock", text: "…" }];
}
