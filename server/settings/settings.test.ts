import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readDataDir, readSettings, settingDefinitions } from "./settings.ts";

describe("readSettings", () => {
  test("flag goes before environment, environment before config file, file before default", () => {
    const file = join(mkdtempSync(join(tmpdir(), "drs-config-")), "drs.json");
    writeFileSync(file, JSON.stringify({ port: 1, host: "::1", workers: 3 }));
    const env = { DRS_CONFIG: file, DRS_PORT: "2", DRS_HOST: "0.0.0.0" };
    const settings = readSettings({ flags: { port: "3" }, env });
    expect(settings).toMatchObject({ port: 3, host: "0.0.0.0", workers: 3, renditions: "on-demand" });
  });

  test("listens on this machine alone unless it is told otherwise", () => {
    expect(readSettings({ flags: {}, env: {} })).toMatchObject({ host: "127.0.0.1" });
  });

  test("reads sizes with units", () => {
    const size = (text: string): number => readSettings({ flags: { cacheBytes: text }, env: {} }).cacheBytes;
    expect(size("1048576")).toBe(2 ** 20);
    expect(size("1.5gb")).toBe(1.5 * 2 ** 30);
    expect(size("10 MiB")).toBe(10 * 2 ** 20);
  });

  test.each([
    [{ port: "http" }, /--port \(DRS_PORT\)/],
    [{ port: "65536" }, /--port/],
    [{ cacheBytes: "much" }, /--cache-bytes \(DRS_CACHE_BYTES\).*500MB/],
    [{ cacheBytes: "0" }, /--cache-bytes/],
    [
      { vectorCacheBytes: "47.9MB" },
      /--vector-cache-bytes \(DRS_VECTOR_CACHE_BYTES\) must be at least 48MB, not 47.9MB/,
    ],
    [{ renditions: "never" }, /on-demand, eager/],
    [{ publicUrl: "drs.example" }, /--public-url/],
    [{ workers: "0" }, /--workers/],
    [{ trustedProxies: "10.0.0.1, proxy.example" }, /--trusted-proxies.*"proxy.example"/],
  ])("refuses %j and names the setting", (flags, message) => {
    expect(() => readSettings({ flags, env: {} })).toThrow(message);
  });

  const provider = { oidcIssuer: "https://login.example", oidcClientId: "drs", oidcClientSecret: "of the client" };
  test("reads what is set of a provider", () => {
    const flags = { ...provider, oidcAllowedDomains: "Corp.Example, b.example", oidcRoles: "a=b=admin, *=viewer" };
    expect(readSettings({ flags, env: {} })).toMatchObject({
      oidcIssuer: "https://login.example",
      oidcScopes: ["openid", "email", "profile"],
      oidcAllowedDomains: ["corp.example", "b.example"],
      oidcRoles: [
        ["a=b", "admin"],
        ["*", "viewer"],
      ],
    });
  });

  test.each([
    [{ oidcIssuer: "http://login.example" }, /--oidc-issuer \(DRS_OIDC_ISSUER\) must be an https address/],
    [{ oidcIssuer: "https://login.example/?a=b" }, /--oidc-issuer/],
    [{ oidcClientSecret: "" }, /--oidc-client-secret \(DRS_OIDC_CLIENT_SECRET\) must be set/],
    [{ oidcIssuer: "" }, /--oidc-issuer .* is unset/],
    [{ oidcRoles: "staff" }, /--oidc-roles .*GROUP=ROLE, not "staff"/],
    [{ oidcRoles: "staff=boss" }, /--oidc-roles .*viewer, member, admin, owner, not "boss"/],
    [{ oidcAllowedDomains: "@corp.example" }, /--oidc-allowed-domains .*example.org, not "@corp.example"/],
    [{ oidcScopes: "email" }, /--oidc-scopes .*openid/],
  ])("refuses %j of a provider", (flags, message) => {
    expect(() => readSettings({ flags: { ...provider, ...flags }, env: {} })).toThrow(message);
  });

  test("a config file that cannot be read is named", () => {
    expect(() => readSettings({ env: { DRS_CONFIG: "/nowhere/drs.json" } })).toThrow(/\/nowhere\/drs.json/);
  });

  test.each([
    [{ "cache-byte": "1GB" }, /drs.json.*"cache-byte" is not a setting; did you mean cache-bytes\?/],
    [{ dataDir: "/srv" }, /"dataDir" is not a setting; did you mean data-dir\?/],
    [{ colour: "red" }, /"colour" is not a setting; there are data-dir, host, port, /],
    [{ host: null }, /"host" must be a text, a number or a list of them/],
    [{ host: { name: "x" } }, /"host" must be a text/],
  ])("a config file with %j is refused", (content, message) => {
    const file = join(mkdtempSync(join(tmpdir(), "drs-config-")), "drs.json");
    writeFileSync(file, JSON.stringify(content));
    expect(() => readSettings({ env: { DRS_CONFIG: file } })).toThrow(message);
    expect(() => readDataDir({ env: { DRS_CONFIG: file } })).toThrow(message);
  });

  test("a config file may have a list", () => {
    const file = join(mkdtempSync(join(tmpdir(), "drs-config-")), "drs.json");
    writeFileSync(file, JSON.stringify({ "url-allow": ["10.0.0.1", "intern.example"] }));
    expect(readSettings({ env: { DRS_CONFIG: file } }).urlAllow).toEqual(["10.0.0.1", "intern.example"]);
  });

  test("who needs the data folder alone need not mind the other settings", () => {
    const env = { DRS_DATA_DIR: "/srv/drs", DRS_PORT: "tcp://10.0.0.1:8420", DRS_WORKERS: "many" };
    expect(readDataDir({ env })).toBe("/srv/drs");
  });

  test("every setting has one flag and one variable of the same name", () => {
    for (const { flag, variable } of settingDefinitions) {
      expect(variable).toBe(`DRS_${flag.slice(2).replaceAll("-", "_").toUpperCase()}`);
    }
  });
});
