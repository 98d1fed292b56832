import { describe, expect, it } from "vitest";
import { readProxies } from "../../src/config/proxies.ts";
import { ConfigError } from "../../src/errors.ts";

const none = { http: undefined, https: undefined, none: undefined };

describe("a proxy in the environment", () => {
  it.each([
    [{}, none],
    [{ HTTPS_PROXY: "", HTTP_PROXY: "" }, none],
    [{ HTTPS_PROXY: "http://proxy.corp:3128" }, { ...none, https: "http://proxy.corp:3128" }],
    [
      { https_proxy: "http://a:1", HTTPS_PROXY: "http://b:1" },
      { ...none, https: "http://a:1" },
    ],
    [{ HTTPS_PROXY: "proxy.corp:3128" }, { ...none, https: "http://proxy.corp:3128" }],
    [{ HTTP_PROXY: " me:secret@proxy.corp:3128 " }, { ...none, http: "http://me:secret@proxy.corp:3128" }],
    [{ NO_PROXY: "10.0.0.0/8, a.example" }, { ...none, none: "10.0.0.0/8, a.example" }],
    [{ HTTPS_PROXY: "10.0.0.1:3128" }, { ...none, https: "http://10.0.0.1:3128" }],
  ])("%j is read as an address", (environment, expected) => {
    expect(readProxies(environment)).toEqual(expected);
  });

  it.each([
    [{ HTTPS_PROXY: "http://" }, "HTTPS_PROXY is not the address of a proxy: write it as http://host:port"],
    [{ HTTP_PROXY: "pro xy" }, "HTTP_PROXY is not the address of a proxy: write it as http://host:port"],
    [
      { HTTPS_PROXY: "socks5://me:secret@proxy.corp:1080" },
      "HTTPS_PROXY names a proxy of another kind (socks5://): boardsync speaks to proxies of http and https, as http://host:port",
    ],
    ...["100%", "a\\b", "a#b", "a/b", "1/b", "1#b", "1?b"].map(
      (password): [Record<string, string>, string] => [
        { HTTPS_PROXY: `http://me:${password}@proxy.corp:3128` },
        String.raw`HTTPS_PROXY is not the address of a proxy: write it as http://host:port, and % in its name or password as %25, @ as %40, # as %23, ? as %3F, / as %2F, \ as %5C`,
      ],
    ),
  ])("%j is refused by name, and not shown", (environment, problem) => {
    expect(() => readProxies(environment)).toThrow(new ConfigError([problem]));
  });
});
