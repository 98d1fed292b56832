import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldValue, PostId, ProjectId } from "../../../src/model/post.ts";
import { hashText } from "../../../src/plan/ground/hash.ts";
import type { PostValues } from "../../../src/plan/ground/settings.ts";
import { hashBlock, splitBody } from "../../../src/plan/text/block.ts";
import { createRenderer, type RenderContext, roundVotes } from "../../../src/plan/text/render.ts";
import { templateValues } from "../../../src/plan/text/template.ts";
import { hostileText } from "../hostile-text.ts";
import { enterprise, gitHub } from "../make.ts";

const defaults = { title: "{{ post.title }}", body: "{{ post.description }}", postUrl: undefined };

function postOf(values: Readonly<Record<string, FieldValue>>, id = "p1"): PostValues {
  return { id: id as PostId, values };
}

const context: RenderContext = {
  board: "0123456789abcdef",
  project: "acme" as ProjectId,
};

function render(
  values: Readonly<Record<string, FieldValue>>,
  templates: Partial<{ title: string; body: string; postUrl: string | undefined }> = {},
  id = "p1",
) {
  return createRenderer({ ...defaults, ...templates }, gitHub).render(postOf(values, id), context);
}

describe("a rendered issue", () => {
  it("is title, block and body with their hashes", () => {
    const issue = render({ title: "Dark mode", description: "Please.\n", url: "https://x.example/p/1" });
    expect(issue).toEqual({
      title: "Dark mode",
      block: "Please.\n\nhttps://x.example/p/1",
      body: [
        "<!-- boardsync:v1 board=0123456789abcdef project=YWNtZQ posts=cDE -->",
        "Please.",
        "",
        "https://x.example/p/1",
        "",
        "<!-- boardsync:end -->",
        "",
      ].join("\n"),
      posts: ["p1"],
      titleHash: hashText("Dark mode"),
      blockHash: hashBlock("Please.\n\nhttps://x.example/p/1"),
    });
  });

  it.each([
    ["without a title", {}, "Untitled post p1"],
    ["with null for a title", { title: null }, "Untitled post p1"],
    ["with a blank title", { title: " \n\u200B" }, "Untitled post p1"],
    ["with a number for a title", { title: 404 }, "404"],
    ["with a hostile title", { title: "@all\nfix #1 <!-- x" }, "@\u200Ball fix #\u200B1 <\u200B!-- x"],
    ["with a long title", { title: "x".repeat(300) }, `${"x".repeat(255)}…`],
    ["with an endless title", { title: "x ".repeat(100_000) }, `${"x ".repeat(127)}x…`],
  ])("has a title for a post %s", (_, values, expected) => {
    expect(render(values).title).toBe(expected);
  });

  it("names a post without a title by a safe id", () => {
    expect(render({}, {}, "@you").title).toBe("Untitled post @\u200Byou");
    expect(render({}, {}, "\u200B").title).toBe("Untitled post");
  });

  it("makes one line of a title template and cuts it", () => {
    expect(render({ title: "T" }, { title: "[Feedback]\n  {{ post.title }} " }).title).toBe("[Feedback] T");
    expect(render({ title: "T" }, { title: "{{ post.nothing }}" }).title).toBe("T");
    expect(render({ title: "T" }, { title: `${"x".repeat(300)}` }).title).toBe(`${"x".repeat(255)}…`);
  });

  it.each([
    ["neither description nor address", {}, ""],
    ["no description", { url: "https://x.example/1" }, "https://x.example/1"],
    ["no address", { description: "a" }, "a"],
    ["an address that is none", { description: "a", url: "javascript:alert(1)" }, "a"],
    [
      "an open code block",
      { description: "```\na", url: "https://x.example/1" },
      "```\na\n```\n\nhttps://x.example/1",
    ],
    ["blank lines around", { description: "\n \n  a\n \n" }, "  a"],
  ])("has a block for a post with %s", (_, values, expected) => {
    expect(render(values).block).toBe(expected);
  });

  it("shows a template what it may see of a post, and nothing else", () => {
    const body =
      "{{ post.id }}|{{ post.category }}|{{ post.status }}|{{ post.votes }}|{{ post.url }}|{{ project.id }}|" +
      "{{ project.name }}|{{ post.internalNote }}|{{ post.values.internalNote }}|{{ internalNote }}";
    const values = {
      categoryId: "c#1",
      status: "in_progress",
      votes: 37,
      url: "https://x.example/1",
      internalNote: "secret",
    };
    const renderer = createRenderer({ ...defaults, body: `${body}\nend` }, gitHub);
    expect(renderer.render(postOf(values), context).block).toBe(
      "p1|c#\u200B1|in_progress|20|https://x.example/1|acme||||\nend\n\nhttps://x.example/1",
    );
    expect(renderer.render(postOf({ votes: "37" }), context).block).toBe("p1|||||acme||||\nend");
  });

  it("lets a template ask whether there is a value", () => {
    const body =
      "{% if post.category %}c{% endif %}{% if post.description %}d{% endif %}{% if post.url %}u{% endif %}";
    expect(render({ categoryId: "" }, { body }).block).toBe("");
    expect(render({ categoryId: "1", description: "x", url: "https://x.example/1" }, { body }).block).toBe(
      "cdu\n\nhttps://x.example/1",
    );
  });

  it("trusts the template's own text, not what its filters make of a post's", () => {
    const body = "cc @team, #1 <details>\n\n{{ post.description | url_decode }}\n\n</details>";
    expect(render({ description: "%40all %3C!-- x" }, { body }).block).toBe(
      "cc @team, #1 <details>\n\n@\u200Ball <\u200B!-- x\n\n</details>",
    );
  });

  it("lets no template write boardsync's own comments", () => {
    const issue = render(
      { description: "a" },
      { body: "<!-- note --> <!-- boardsync:end -->\n<!--boardsync:v1" },
    );
    expect(issue.block).toBe("<!-- note --> <\u200B!-- boardsync:end -->\n<\u200B!--boardsync:v1");
    expect(splitBody(issue.body)?.block).toBe(issue.block);
  });

  it("takes a post's text for text, never for a template", () => {
    const issue = render({ title: "{{ post.id }}", description: "{% raw %}{{ post.id }}" });
    expect(issue.title).toBe("{{ post.id }}");
    expect(issue.block).toBe("{% raw %}{{ post.id }}");
  });

  it("closes a code block that the template opened with the post's text", () => {
    const body = "{{ post.description | truncate: 8, '' }}";
    expect(render({ description: "```\nabcdef\n```", url: "https://x.example/1" }, { body }).block).toBe(
      "```\nabcd\n```\n\nhttps://x.example/1",
    );
  });
});

describe("the post's address", () => {
  const postUrl = "https://feedback.example.com/p/{{ post.id }}?c={{ post.category }}&p={{ project.id }}";

  it("is made from the template, with each value as one part of it", () => {
    expect(render({ url: "https://x.example/1", categoryId: "c d" }, { postUrl }, "../a?b#1@c").block).toBe(
      "https://feedback.example.com/p/..%2Fa%3Fb%231%40c?c=c%20d&p=acme",
    );
    expect(render({}, { postUrl }, "\uD800").block).toBe(
      "https://feedback.example.com/p/%EF%BF%BD?c=&p=acme",
    );
  });

  it("may be made from the record's", () => {
    const values = { url: "https://x.example/@1", title: "a b" };
    expect(render(values, { postUrl: "{{ post.url }}?t={{ post.title }}" }).block).toBe(
      "https://x.example/%401?t=a%20b",
    );
  });

  it.each(["{{ post.nothing }}", "javascript:{{ post.id }}", "/p/{{ post.id }}"])(
    "is the record's where the template gives none: %s",
    (template) => {
      expect(render({ url: "https://x.example/1" }, { postUrl: template }).block).toBe("https://x.example/1");
    },
  );

  it("is not said twice when the template ends with it", () => {
    const values = { description: "a", url: "https://x.example/1" };
    expect(render(values, { body: "{{ post.description }}\n{{ post.url }}" }).block).toBe(
      "a\nhttps://x.example/1",
    );
  });

  it("makes no reference where it leads to the tracker", () => {
    const renderer = createRenderer(defaults, enterprise);
    const values = {
      description: "https://ghe.example.com/o/r",
      url: "https://ghe.example.com/o/r/issues/1",
    };
    expect(renderer.render(postOf(values), context).block).toBe(
      "https:/\u200B/ghe.example.com/o/r\n\nhttps:/\u200B/ghe.example.com/o/r/issues/1",
    );
  });
});

describe("category and votes of a post", () => {
  const url = "https://x.example/1";
  const categoryLabels = { c1: "area: billing" };
  const block = (values: Readonly<Record<string, FieldValue>>, body = defaults.body) =>
    createRenderer({ ...defaults, body }, gitHub).render(postOf({ description: "a", url, ...values }), {
      ...context,
      categoryLabels,
    }).block;

  it.each<[string, Readonly<Record<string, FieldValue>>, string]>([
    ["both", { categoryId: "c1", votes: 37 }, "Category: area: billing · Votes: 20+"],
    ["one vote", { votes: 1 }, "Votes: 1"],
    ["a category alone", { categoryId: "c1", votes: null }, "Category: area: billing"],
    ["no vote yet, and a category without a label", { categoryId: "c2", votes: 0 }, ""],
    ["a category that is named like a part of every object", { categoryId: "constructor" }, ""],
    ["nothing that the board shows", {}, ""],
  ])("are a line before the address: %s", (_, values, line) => {
    expect(block(values)).toBe(["a", ...(line === "" ? [] : [line]), url].join("\n\n"));
  });

  it("show a template the category's name, where it is known, and its id in an address", () => {
    const templates = {
      ...defaults,
      body: "{{ post.category }}",
      postUrl: "https://x.example/{{ post.category }}",
    };
    const categoryNames = new Map([["c1", "Billing"]]);
    const { block: named } = createRenderer(templates, gitHub).render(postOf({ categoryId: "c1" }), {
      ...context,
      categoryNames,
    });
    expect(named).toBe("Billing\n\nhttps://x.example/c1");
  });

  it("tell what the text says of votes", () => {
    const of = (votes: number, body = defaults.body) =>
      createRenderer({ ...defaults, body }, gitHub).render(postOf({ votes }), context).votes;
    expect([of(37), of(0), of(37, "{{ post.votes }} votes")]).toEqual(["Votes: 20+", undefined, undefined]);
  });

  it("change only with the next step of the votes", () => {
    expect(block({ votes: 49 })).toBe(block({ votes: 20 }));
    expect(block({ votes: 50 })).not.toBe(block({ votes: 49 }));
  });

  it.each([
    ["{{ post.votes }} votes", "20 votes\n\nCategory: area: billing"],
    ["{% if post['votes'] > 9 %}popular{% endif %}", "popular\n\nCategory: area: billing"],
    ["{{ post.category }}", "c1\n\nVotes: 20+"],
    ["{{ post.url }}", "Category: area: billing · Votes: 20+"],
  ])("are not said twice where the template names them: %s", (body, expected) => {
    expect(block({ categoryId: "c1", votes: 37 }, body)).toBe(`${expected}\n\n${url}`);
  });
});

describe("further posts of an issue", () => {
  const others = [
    postOf({ title: "Night @mode", url: "https://x.example/2" }, "p2"),
    postOf({ title: "#3" }, "p3"),
  ];

  it("are named with their address, else with their title, and stand in the marker", () => {
    const issue = createRenderer(defaults, gitHub).render(postOf({ description: "a", votes: 2 }), {
      ...context,
      others,
    });
    expect(issue.block).toBe(
      "a\n\nAlso asked for in: https://x.example/2\nAlso asked for in: #\u200B3\n\nVotes: 2+",
    );
    expect(splitBody(issue.body)?.marker.posts).toEqual(["p1", "p2", "p3"]);
  });

  it("have the address that the template makes", () => {
    const postUrl = "https://x.example/p/{{ post.id }}";
    const issue = createRenderer({ ...defaults, postUrl }, gitHub).render(postOf({}), {
      ...context,
      others,
    });
    expect(issue.block.split("\n").slice(0, 2)).toEqual([
      "Also asked for in: https://x.example/p/p2",
      "Also asked for in: https://x.example/p/p3",
    ]);
  });
});

describe("a comment that a board rule asks for", () => {
  const renderer = createRenderer(defaults, gitHub);

  it("shows the post's text as text, and nothing of it that the template does not ask for", () => {
    const post = postOf({ title: "@all #1", status: "declined", url: "https://x.example/1", votes: 9 });
    expect(renderer.comment("Now {{ post.status }}: {{ post.title }}", post, context)).toBe(
      "Now declined: @\u200Ball #\u200B1",
    );
  });

  it("trusts no more of what its filters make of a post's text", () => {
    const comment = renderer.comment(
      "@team: {{ post.title | url_decode }}",
      postOf({ title: "%40all" }),
      context,
    );
    expect(comment).toBe("@team: @\u200Ball");
  });

  it("is made of each post anew, by each rule's own template", () => {
    const say = (template: string, title: string) => renderer.comment(template, postOf({ title }), context);
    const template = "Declined: {{ post.title }}";
    expect([say(template, "a"), say("{{ post.title }}!", "a"), say(template, "b")]).toEqual([
      "Declined: a",
      "a!",
      "Declined: b",
    ]);
  });

  it("is cut like any other text", () => {
    const comment = renderer.comment(
      "{{ post.description }}{{ post.description }}",
      postOf({ description: "x".repeat(50_000) }),
      context,
    );
    expect(Buffer.byteLength(comment)).toBeLessThanOrEqual(60_000);
  });

  it("names its place where its template can't be read", () => {
    expect(() => renderer.comment("{{ post.title", postOf({}), context)).toThrow(
      /^boardRules\.set\.comment: /,
    );
  });
});

describe("the limits of an issue", () => {
  const url = "https://x.example/1";
  const notice = "… (cut; the whole text is in the post)";

  it.each([
    ["long", "é".repeat(100_000)],
    ["endless", "x".repeat(1_000_000)],
    ["full of signs that get a break", "@".repeat(200_000)],
    ["an open code block", `\`\`\`\n${"x\n".repeat(100_000)}`],
    ["invisible for as long as it is read", `\u200B`.repeat(300_000)],
  ])("are kept for a description that is %s", (_, description) => {
    const issue = render({ description, url });
    expect(Buffer.byteLength(issue.block)).toBeLessThanOrEqual(60_000);
    expect(issue.block.endsWith(`${notice}\n\n${url}`)).toBe(true);
    expect(splitBody(issue.body)?.block).toBe(issue.block);
  });

  it("are kept for a long template and many posts", () => {
    const others = Array.from({ length: 200 }, (_, index) =>
      postOf({ url: `https://x.example/${"y".repeat(1000)}/${index}` }, `post-${index}-${"x".repeat(100)}`),
    );
    const renderer = createRenderer({ ...defaults, body: "<b>".repeat(30_000) }, gitHub);
    const issue = renderer.render(postOf({ url }), { ...context, others });
    expect(Buffer.byteLength(issue.body)).toBeLessThan(65_536);
    const named = ["p1", ...others.slice(0, 46).map(({ id }) => id)];
    expect([issue.posts, splitBody(issue.body)?.marker.posts]).toEqual([named, named]);
    expect(issue.block).toContain(
      `\nAlso asked for in: ${others[18]?.values["url"]}\nAlso asked for in: 181 more\n`,
    );
    expect(issue.block).toContain(`${notice}\n\nAlso asked for in: `);
    expect(issue.block.split("\n").at(-1)).toBe(url);
  });

  it("are kept whatever the post holds, and the body comes apart again", () => {
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (title, description, id) => {
        fc.pre(id !== "" && id.length <= 200);
        const issue = render({ title, description, url }, {}, id);
        expect(issue.title).not.toBe("");
        expect(issue.title).not.toMatch(/\n/);
        expect(issue.title.length).toBeLessThanOrEqual(256);
        expect(splitBody(issue.body)).toEqual({
          above: "",
          marker: { board: context.board, project: context.project, posts: [id] },
          block: issue.block,
          rest: "\n",
        });
        expect(issue.block.split("\n").at(-1)).toBe(url);
      }),
    );
  });
});

describe("votes", () => {
  it.each([
    [0, 0],
    [-3, 0],
    [0.5, 0],
    [1, 1],
    [2, 2],
    [4, 2],
    [5, 5],
    [9, 5],
    [10, 10],
    [19, 10],
    [20, 20],
    [99, 50],
    [100, 100],
    [1_000, 1_000],
    [4_999, 2_000],
    [Number.POSITIVE_INFINITY, 1_000_000_000],
  ])("%d are shown as %d", (votes, shown) => {
    expect(roundVotes(votes)).toBe(shown);
  });
});

describe("a renderer", () => {
  it.each([
    ["title", "issue.title: undefined filter: nope (line 1, column 1)"],
    ["body", "issue.body: undefined filter: nope (line 1, column 1)"],
    ["postUrl", "issue.postUrl: undefined filter: nope (line 1, column 1)"],
  ])("is not made with a bad %s", (name, message) => {
    expect(() => createRenderer({ ...defaults, [name]: "{{ post.id | nope }}" }, gitHub)).toThrow(message);
  });
});

describe("every value that a template may name", () => {
  const values = {
    title: "T",
    description: "D",
    categoryId: "C",
    status: "S",
    votes: 7,
    url: "https://x.example/1",
  };

  it.each(templateValues.text)("is there for a text: %s", (name) => {
    const renderer = createRenderer({ ...defaults, body: `[{{ ${name} }}]` }, gitHub);
    expect(renderer.render(postOf(values), context).block).toMatch(/^\[[^\]]+\]/);
  });

  it.each(templateValues.address)("is there for an address: %s", (name) => {
    const postUrl = `https://y.example/?q={{ ${name} | url_encode }}&end=1`;
    const renderer = createRenderer({ ...defaults, postUrl }, gitHub);
    expect(renderer.address(postOf(values), context)).toMatch(/\?q=[^&]+&/);
  });
});

describe("a description in HTML", () => {
  const render = (description: string, redact: readonly ("email" | "phone")[] = []) =>
    createRenderer(defaults, gitHub).render(postOf({ description }), { ...context, redact }).block;

  it("becomes a readable text, as safe as any other", () => {
    const block = render(
      '<p>Hi @octocat, fixes #1 &lt;!-- boardsync:v1 --&gt;</p><ul><li>one</li></ul><p><a href="javascript:a()">x</a><img src="https://e.example/p.png"></p>',
    );
    expect(block).toContain("-   one");
    expect(block).toContain("@\u200Boctocat");
    expect(block).not.toMatch(/<!--|javascript:|fixes #1|!\[/);
  });

  it.each([
    "https://s.example.com/a?GoogleAccessId=a@b.example&Expires=1767603600&Signature=SIGN",
    "<p>https://s.example.com/a?X-Goog-Credential=a%40b.example%2F1&amp;X-Goog-Signature=SIGN</p>",
  ])("shows nothing of a signed query that names an account: %s", (text) => {
    const block = render(text.replace("SIGN", "0a".repeat(32)), ["email", "phone"]);
    expect(block).toMatch(/https:\/\/s\.example\.com\/a$/m);
    expect(block).not.toContain("0a0a");
  });

  it("hides people's addresses however they are written", () => {
    const block = render("<p>ada_l@x.example, ada&#95;l&#64;y.example</p>", ["email"]);
    expect(block).not.toMatch(/ada|example/);
  });
});
