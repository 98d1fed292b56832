import { EnvHttpProxyAgent } from "undici";
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
    [{ HTTPS_PROXY: "10.0.0.1:3128" }, { ...none, https: "http://10.0.0.1:3128" }],
  ])("%j is read as an address", (environment, expected) => {
    expect(readProxies(environment, [])).toEqual(expected);
  });

  it.each([
    [{ HTTPS_PROXY: "http://" }, "HTTPS_PROXY is not the address of a proxy: write it as http://host:port"],
    [{ HTTP_PROXY: "pro xy" }, "HTTP_PROXY is not the address of a proxy: write it as http://host:port"],
    [
      { HTTPS_PROXY: "socks5://me:secret@proxy.corp:1080" },
      "HTTPS_PROXY names a proxy of another kind (socks5://): boardsync speaks to proxies of http and https, as http://host:port",
    ],
  ])("%j is refused by name, and not shown", (environment, problem) => {
    expect(() => readProxies(environment, [])).toThrow(new ConfigError([problem]));
  });
});

describe("a network in NO_PROXY", () => {
  it.each([
    ["10.0.0.0/8", "https://10.1.2.3/api/v1", "10.0.0.0/8,10.1.2.3"],
    ["a.example, 192.168.0.0/16", "http://192.168.7.1:8080", "a.example, 192.168.0.0/16,192.168.7.1"],
    ["fd00::/8", "https://[fd00::7]/api/v1", "fd00::/8,fd00::7"],
    ["10.0.0.0/8", "https://11.1.2.3/api/v1", "10.0.0.0/8"],
    ["10.0.0.0/99", "https://10.1.2.3/api/v1", "10.0.0.0/99"],
    ["10.0.0.0/", "https://10.1.2.3/api/v1", "10.0.0.0/"],
    ["fd00::/8", "https://10.1.2.3/api/v1", "fd00::/8"],
    ["10.0.0.0/8", "https://board.example/api/v1", "10.0.0.0/8"],
    ["corp/8", "no address", "corp/8"],
  ])("%s and the host of %s", (networks, address, expected) => {
    expect(readProxies({ NO_PROXY: networks }, [address]).none).toBe(expected);
  });

  it("keeps the host in it away from the proxy", async () => {
    const { none: noProxy = "" } = readProxies({ NO_PROXY: "127.0.0.0/8" }, ["http://127.0.0.1:1/"]);
    const agent = new EnvHttpProxyAgent({ httpProxy: "http://127.0.0.1:2", httpsProxy: "", noProxy });
    const failing = agent.request({ origin: "http://127.0.0.1:1", path: "/", method: "GET" });
    await expect(failing).rejects.toThrow("127.0.0.1:1");
    await agent.close();
  });
});
