import { createHmac } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createServer, request as requestHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createDrs, type Drs, type MemberRole } from "@drs/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SettingSources } from "../../server/settings/settings.ts";
import { openBrowser, type TestBrowser } from "../service/browser.ts";
import {
  type Claims,
  readToken,
  startIdentityProvider,
  type TestProvider,
  tokenOf,
} from "../service/identity-provider.ts";
import { startServer, type TestServer } from "../service/start.ts";

interface Place {
  readonly server: TestServer;
  readonly provider: TestProvider;
  readonly admin: Drs;
  /** As browsers reach it. */
  readonly url: string;
  close(): Promise<void>;
}

async function open(flags: SettingSources["flags"], publicUrl?: string): Promise<Place> {
  const provider = await startIdentityProvider();
  const server = await startServer({
    oidcIssuer: provider.issuer,
    oidcClientId: provider.clientId,
    oidcClientSecret: provider.clientSecret,
    log: "silent",
    ...flags,
    ...(publicUrl !== undefined && { publicUrl }),
  });
  const url = publicUrl ?? server.url;
  provider.serve(`${url}/auth/callback`);
  const admin = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  const close = async (): Promise<void> => {
    await server.remove();
    await provider.close();
  };
  return { server, provider, admin, url, close };
}

let count = 0;
/** A person whom the provider has not seen, who signs in next. */
function newPerson({ provider }: Place, claims: Claims): string {
  count += 1;
  const subject = `person-${count}`;
  provider.people.set(subject, { email_verified: true, name: `Person ${count}`, ...claims });
  provider.person = subject;
  return subject;
}

/** Returns what the console stores of the address at the end of a sign-in. */
const pageSecrets = new WeakMap<TestBrowser, string>();

/** The address as the console leaves it, which takes the secret of its session out. */
function taken(address: string, browser: TestBrowser): string {
  const [page = "", fragment = ""] = address.split("#session=");
  if (fragment === "") return address;
  const said = new URLSearchParams(`session=${fragment}`);
  pageSecrets.set(browser, said.get("session") ?? "");
  const then = said.get("at") ?? "";
  return then === "" ? page : `${page}#${then}`;
}

/** Where a sign-in ends: pages of the console are not asked for. */
async function signIn({ url }: Place, browser: TestBrowser = openBrowser(), query = ""): Promise<string> {
  const isEnd = (address: string): boolean => address.startsWith(url) && !address.startsWith(`${url}/auth/`);
  return taken((await browser.go(`${url}/auth/login${query}`, isEnd)).address, browser);
}

async function ask({ url }: Place, browser: TestBrowser, path: string): Promise<{ status: number; data: unknown }> {
  const pageSecret = pageSecrets.get(browser) ?? "1";
  const headers = { cookie: browser.cookies(`${url}/`), "x-drs-console": pageSecret, "sec-fetch-site": "same-origin" };
  const response = await fetch(`${url}${path}`, { headers });
  const body = (await response.json()) as { data?: unknown };
  return { status: response.status, data: body.data };
}

/** Who a new browser is after it has signed in. */
async function signedIn(
  place: Place,
): Promise<{ readonly browser: TestBrowser; readonly me: Record<string, unknown> }> {
  const browser = openBrowser();
  expect(await signIn(place, browser)).toBe(`${place.url}/`);
  const { status, data } = await ask(place, browser, "/v1/me");
  expect(status).toBe(200);
  return { browser, me: data as Record<string, unknown> };
}

describe("an organisation with a domain", () => {
  let place: Place;
  beforeAll(async () => {
    place = await open({ oidcAllowedDomains: "corp.example" });
  });
  afterAll(() => place.close());

  const invite = (email: string, role: MemberRole = "viewer") =>
    place.admin.members.invite({ name: "Ada", role, email });

  test("the console is told what there is", async () => {
    const drs = createDrs({ server: place.server.url });
    expect(await drs.sessions.ways()).toEqual({
      oidc: { name: new URL(place.provider.issuer).host, path: "/auth/login" },
      signUp: false,
    });
  });

  test("people of the domain join, and are the same member at the next sign-in and with another address", async () => {
    const subject = newPerson(place, { email: "Ann@Corp.Example" });
    const { me } = await signedIn(place);
    expect(me).toMatchObject({ role: "member" });
    place.provider.people.set(subject, { email: "ann@elsewhere.example", email_verified: false });
    expect((await signedIn(place)).me["memberId"]).toBe(me["memberId"]);
    const events = await place.admin.audit.page({ action: "member.join" });
    expect(events.data[0]).toMatchObject({
      target: me["memberId"],
      details: expect.stringMatching(/member, by sign-in/),
    });
  });

  test("the address of a member makes nobody that member", async () => {
    newPerson(place, { email: "bob@corp.example" });
    const { me } = await signedIn(place);
    newPerson(place, { email: "bob@corp.example" });
    expect((await signedIn(place)).me["memberId"]).not.toBe(me["memberId"]);
  });

  test("an invitation for the address lets a stranger in, once, with its role", async () => {
    newPerson(place, { email: "Cleo@Elsewhere.example" });
    expect(await signIn(place)).toBe(`${place.url}/?error=not_invited`);
    const { id } = await invite("cleo@elsewhere.example", "admin");
    expect((await signedIn(place)).me).toMatchObject({ role: "admin" });
    expect((await place.admin.members.invitations()).map((open) => open.id)).not.toContain(id);
    newPerson(place, { email: "cleo@elsewhere.example" });
    expect(await signIn(place)).toBe(`${place.url}/?error=not_invited`);
  });

  test.each<[string, Claims, string]>([
    ["of another domain", { email: "dan@other.example" }, "not_invited"],
    ["of a subdomain", { email: "dan@sub.corp.example" }, "not_invited"],
    ["whose domain only begins alike", { email: "dan@corp.example.evil.example" }, "not_invited"],
    ["whose address is not verified", { email: "dan@corp.example", email_verified: false }, "email_unverified"],
    ["without an address", {}, "email_unverified"],
  ])("who is %s does not join", async (_, claims, code) => {
    const browser = openBrowser();
    newPerson(place, claims);
    expect(await signIn(place, browser)).toBe(`${place.url}/?error=${code}`);
    expect((await ask(place, browser, "/v1/me")).status).toBe(401);
  });

  test("an invitation does not help an address that is not verified", async () => {
    await invite("eve@elsewhere.example");
    newPerson(place, { email: "eve@elsewhere.example", email_verified: false });
    expect(await signIn(place)).toBe(`${place.url}/?error=email_unverified`);
  });

  test("people of the domain are drawn in by no other organisation", async () => {
    const { apiKey } = await place.admin.organisations.create({ name: "Stranger" });
    const stranger = createDrs({ server: place.server.url, apiKey });
    await stranger.members.invite({ name: "Finn", role: "owner", email: "finn@corp.example" });
    newPerson(place, { email: "finn@corp.example" });
    const { me } = await signedIn(place);
    expect(me["organisationId"]).toBe((await place.admin.me()).organisationId);
  });

  test("a removed member's sessions end, and only a new invitation lets in again", async () => {
    newPerson(place, { email: "gus@corp.example" });
    const { browser, me } = await signedIn(place);
    await place.admin.members.remove(String(me["memberId"]));
    expect((await ask(place, browser, "/v1/me")).status).toBe(401);
    expect(await signIn(place)).toBe(`${place.url}/?error=removed`);
    await invite("gus@corp.example", "viewer");
    const again = await signedIn(place);
    expect(again.me).toMatchObject({ role: "viewer" });
    expect(again.me["memberId"]).not.toBe(me["memberId"]);
  });

  test("two windows that join at a time are one member", async () => {
    newPerson(place, { email: "hal@corp.example" });
    const [one, other] = await Promise.all([signedIn(place), signedIn(place)]);
    expect(one.me["memberId"]).toBe(other.me["memberId"]);
  });

  test("the session is one like any other", async () => {
    newPerson(place, { email: "ida@corp.example" });
    const { browser } = await signedIn(place);
    expect((await ask(place, browser, "/v1/sessions")).data).toMatchObject([{ agent: "a test", isCurrent: true }]);
  });

  describe("what comes back from the provider", () => {
    let browser: TestBrowser;
    let back: string;
    beforeEach(async () => {
      newPerson(place, { email: "jo@corp.example" });
      browser = openBrowser();
      const isBack = (address: string): boolean => address.startsWith(`${place.url}/auth/callback`);
      ({ address: back } = await browser.go(`${place.url}/auth/login`, isBack));
    });
    const end = async (address: string, by = browser): Promise<string> =>
      taken((await by.go(address, (next) => next !== address && !next.includes("/auth/"))).address, by);

    test("counts in the browser that began alone", async () => {
      expect(await end(back, openBrowser())).toBe(`${place.url}/?error=attempt_expired`);
      expect(await end(back)).toBe(`${place.url}/`);
    });

    test("counts once", async () => {
      const kept = browser.cookies(back);
      expect(await end(back)).toBe(`${place.url}/`);
      expect(await end(back)).toBe(`${place.url}/?error=attempt_expired`);
      // The provider gives tokens for a code once, whatever the browser has kept.
      const replayed = await fetch(back, { headers: { cookie: kept }, redirect: "manual" });
      expect(replayed.headers.get("location")).toBe(`${place.url}/?error=provider_refused`);
      expect(replayed.headers.getSetCookie().join()).not.toContain("drss_");
    });

    test("is not taken with another state", async () => {
      const other = new URL(back);
      other.searchParams.set("state", "another");
      expect(await end(other.href)).toBe(`${place.url}/?error=attempt_expired`);
    });

    test("is not taken for the sign-in of another attempt: its nonce and its proof are others", async () => {
      const victim = openBrowser();
      const isBack = (address: string): boolean => address.startsWith(`${place.url}/auth/callback`);
      const theirs = new URL((await victim.go(`${place.url}/auth/login`, isBack)).address);
      const ours = new URL(back);
      ours.searchParams.set("state", theirs.searchParams.get("state") ?? "");
      expect(await end(ours.href, victim)).toBe(`${place.url}/?error=provider_refused`);
    });

    test("is not taken from another issuer", async () => {
      const other = new URL(back);
      other.searchParams.set("iss", "https://evil.example");
      expect(await end(other.href)).toBe(`${place.url}/?error=provider_answer_invalid`);
    });
  });

  describe("an ID token", () => {
    const hmac = (text: string): string =>
      `${text}.${createHmac("sha256", place.provider.clientSecret).update(text).digest("base64url")}`;
    test.each<[string, (...token: Parameters<NonNullable<TestProvider["forge"]>>) => string]>([
      ["with another signature", (token) => `${token.slice(0, -8)}AAAAAAAA`],
      ["without its signature", (token) => token.slice(0, token.lastIndexOf(".") + 1)],
      [
        "of another person, with the signature of this one",
        (token) => {
          const [header, claims] = readToken(token);
          return `${tokenOf(header, { ...claims, sub: "somebody-else" })}${token.slice(token.lastIndexOf("."))}`;
        },
      ],
      ["of no algorithm", (token) => `${tokenOf({ alg: "none" }, readToken(token)[1])}.`],
      ["signed with the client's secret", (token) => hmac(tokenOf({ alg: "HS256" }, readToken(token)[1]))],
      ["of another issuer", (token, signed) => changed(token, signed, { iss: "https://evil.example" })],
      ["for another client", (token, signed) => changed(token, signed, { aud: "another" })],
      ["of another sign-in", (token, signed) => changed(token, signed, { nonce: "another" })],
      ["without a nonce", (token, signed) => changed(token, signed, { nonce: undefined })],
      ["that has expired", (token, signed) => changed(token, signed, { exp: 1_000_000_000 })],
    ])("is not taken: %s", async (_, forge) => {
      newPerson(place, { email: "lea@corp.example" });
      place.provider.forge = forge;
      const browser = openBrowser();
      const end = await signIn(place, browser).finally(() => (place.provider.forge = undefined));
      expect(end).toBe(`${place.url}/?error=provider_answer_invalid`);
      expect((await ask(place, browser, "/v1/me")).status).toBe(401);
    });

    test("that is signed anew as it was is taken", async () => {
      newPerson(place, { email: "lea@corp.example" });
      place.provider.forge = (token, signed) => changed(token, signed, {});
      const { me } = await signedIn(place).finally(() => (place.provider.forge = undefined));
      expect(me).toMatchObject({ role: "member" });
    });

    test("is kept nowhere, and neither is the code that it was given for", async () => {
      newPerson(place, { email: "mo@corp.example" });
      const browser = openBrowser();
      const isBack = (address: string): boolean => address.startsWith(`${place.url}/auth/callback`);
      const back = new URL((await browser.go(`${place.url}/auth/login`, isBack)).address);
      const secrets = [back.searchParams.get("code") ?? ""];
      place.provider.forge = (token) => {
        secrets.push(...token.split(".").slice(1));
        return token;
      };
      await browser
        .go(back.href, (address) => address.startsWith(`${place.url}/#`))
        .finally(() => (place.provider.forge = undefined));
      expect(secrets.map(({ length }) => length > 20)).toEqual([true, true, true]);
      const folder = place.server.dataDir;
      const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
      const bytes = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name))));
      expect(bytes.some((each) => each.includes(String(place.provider.person)))).toBe(true);
      for (const secret of secrets) expect(bytes.some((each) => each.includes(secret))).toBe(false);
    });

    const changed = (token: string, signed: (header: object, claims: object) => string, claims: object): string => {
      const [header, before] = readToken(token);
      return signed(header, { ...before, ...claims });
    };
  });

  test("the attempt's cookie is for this server's sign-in alone, and no script can read it", async () => {
    const response = await fetch(`${place.url}/auth/login`, { redirect: "manual" });
    const [cookie = ""] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^drs_sign_in_\d+=[\w-]+; Path=\/auth; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    const address = new URL(response.headers.get("location") ?? "");
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: `${place.url}/auth/callback`,
    });
    expect(cookie).not.toContain(address.searchParams.get("state"));
  });

  test("who declines at the provider is told so", async () => {
    place.provider.person = null;
    expect(await signIn(place)).toBe(`${place.url}/?error=provider_refused`);
  });

  test("the browser comes back to where it was", async () => {
    newPerson(place, { email: "kim@corp.example" });
    const query = `?return=${encodeURIComponent("/search?q=a%20b#2")}`;
    expect(await signIn(place, openBrowser(), query)).toBe(`${place.url}/search?q=a%20b#2`);
  });

  test.each([
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "evil",
    "@evil.example/",
    ".evil.example/",
    "/\t/evil",
  ])("it does not go to another site: %j", async (target) => {
    const address = `${place.url}/auth/login?return=${encodeURIComponent(target)}`;
    const response = await fetch(address, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });

  test.each(["cross-site", "same-site", "none"])("a page of another site begins none: %s", async (site) => {
    const headers = { "sec-fetch-site": site };
    const address = `${place.url}/auth/login?return=${encodeURIComponent("/search?q=a#b")}`;
    const response = await fetch(address, { redirect: "manual", headers });
    expect(response.headers.get("location")).toBe(`${place.url}/search?q=a`);
    expect(response.headers.getSetCookie()).toEqual([]);
  });
});

describe("roles by groups", () => {
  let place: Place;
  beforeAll(async () => {
    const oidcRoles = "staff=member,board=owner,desk=viewer";
    place = await open({ oidcAllowedDomains: "corp.example", oidcRoles });
  });
  afterAll(() => place.close());

  test("the highest counts, at every sign-in", async () => {
    const email = "ann@corp.example";
    const subject = newPerson(place, { email, groups: ["desk", "staff"] });
    const { browser, me } = await signedIn(place);
    expect(me).toMatchObject({ role: "member" });
    place.provider.people.set(subject, { email, groups: ["desk"] });
    expect((await signedIn(place)).me).toMatchObject({ memberId: me["memberId"], role: "viewer" });
    expect((await ask(place, browser, "/v1/me")).data).toMatchObject({ role: "viewer" });
    place.provider.people.set(subject, { email, groups: ["others"] });
    expect(await signIn(place)).toBe(`${place.url}/?error=no_role`);
  });

  test("the last owner stays one", async () => {
    const email = "bo@corp.example";
    const subject = newPerson(place, { email, groups: ["board"] });
    expect((await signedIn(place)).me).toMatchObject({ role: "owner" });
    place.provider.people.set(subject, { email, groups: ["desk"] });
    expect((await signedIn(place)).me).toMatchObject({ role: "owner" });
  });

  test("groups go before the role of an invitation, in that organisation alone", async () => {
    const email = "cy@elsewhere.example";
    await place.admin.members.invite({ name: "Cy", role: "admin", email });
    newPerson(place, { email, groups: ["desk"] });
    expect((await signedIn(place)).me).toMatchObject({ role: "viewer" });

    const { apiKey } = await place.admin.organisations.create({ name: "Stranger" });
    const stranger = createDrs({ server: place.server.url, apiKey });
    await stranger.members.invite({ name: "Di", role: "viewer", email: "di@elsewhere.example" });
    newPerson(place, { email: "di@elsewhere.example", groups: ["board"] });
    const { me } = await signedIn(place);
    expect(me).toMatchObject({ role: "viewer", organisationId: (await stranger.me()).organisationId });
  });
});

describe("sign-up, below a path of a proxy", () => {
  let place: Place;
  let proxy: { readonly url: string; to(target: string): void; close(): Promise<void> };
  beforeAll(async () => {
    proxy = await startPrefixProxy("/drs");
    place = await open({ oidcSignUpPlan: "unlimited" }, `${proxy.url}/drs`);
    proxy.to(place.server.url);
  });
  afterAll(async () => {
    await proxy.close();
    await place.close();
  });

  test("who is not invited founds an organisation, and owns it", async () => {
    newPerson(place, { email: "ann@gmail.example", name: "Ann" });
    const { browser, me } = await signedIn(place);
    expect(me).toMatchObject({ role: "owner", isOperator: false });
    expect((await ask(place, browser, "/v1/admin/organisations")).data).toMatchObject([
      { name: "Ann", plan: "unlimited" },
    ]);
    expect((await ask(place, browser, "/v1/admin/keys")).data).toEqual([]);
    newPerson(place, { email: "bob@gmail.example" });
    expect((await signedIn(place)).me["organisationId"]).not.toBe(me["organisationId"]);
  });

  test("cookies and addresses are of that path", async () => {
    const response = await fetch(`${place.url}/auth/login`, { redirect: "manual" });
    expect(response.headers.getSetCookie()[0]).toContain("; Path=/drs/auth;");
    newPerson(place, { email: "cleo@gmail.example" });
    expect(await signIn(place, openBrowser(), "?return=/search")).toBe(`${place.url}/search`);
    const outside = await fetch(`${place.url}/auth/login?return=/../other`, { redirect: "manual" });
    expect(outside.status).toBe(400);
  });
});

describe("a provider that is away", () => {
  test("keeps nobody from starting, and those who sign in are told", async () => {
    const provider = await startIdentityProvider();
    const { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret } = provider;
    const server = await startServer({ oidcIssuer, oidcClientId, oidcClientSecret, log: "silent" });
    try {
      const login = async () =>
        (await fetch(`${server.url}/auth/login`, { redirect: "manual" })).headers.get("location");
      expect(await login()).toBe(`${server.url}/?error=provider_unavailable`);
      // It is asked again by the next who comes.
      provider.serve(`${server.url}/auth/callback`);
      expect(await login()).toContain(`${oidcIssuer}/auth?`);
    } finally {
      await server.remove();
      await provider.close();
    }
  });
});

test("without a provider there is nothing of it", async () => {
  const server = await startServer();
  try {
    expect(await createDrs({ server: server.url }).sessions.ways()).toEqual({ oidc: null, signUp: false });
    expect((await fetch(`${server.url}/auth/login`, { redirect: "manual" })).status).toBe(404);
  } finally {
    await server.remove();
  }
});

/** A proxy that takes the prefix off paths. */
async function startPrefixProxy(prefix: string) {
  let target = "";
  const server = createServer((request, response) => {
    if (request.url?.startsWith(`${prefix}/`) !== true) return void response.writeHead(404).end();
    const { method, headers } = request;
    const onward = requestHttp(`${target}${request.url.slice(prefix.length)}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to: (url: string) => void (target = url),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
