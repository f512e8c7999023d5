import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../service/browser.ts";
import { startIdentityProvider, type TestProvider } from "../service/identity-provider.ts";
import { startServer, type TestServer } from "../service/start.ts";

let provider: TestProvider;
let server: TestServer;
let admin: Drs;

async function open(flags: Parameters<typeof startServer>[0]): Promise<void> {
  provider = await startIdentityProvider();
  const { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret } = provider;
  server = await startServer({ oidcIssuer, oidcClientId, oidcClientSecret, log: "silent", ...flags });
  provider.serve(`${server.url}/auth/callback`);
  admin = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
}
async function close(): Promise<void> {
  await server.remove();
  await provider.close();
}

async function newOrganisation(name: string): Promise<Drs> {
  const { apiKey } = await admin.organisations.create({ name });
  return createDrs({ server: server.url, apiKey });
}

function beThePerson(subject: string): string {
  const email = `${subject}@mail.example`;
  provider.people.set(subject, { email, email_verified: true, name: subject });
  provider.person = subject;
  return email;
}

/** Where the sign-in of a person ends. */
async function signIn(query = ""): Promise<string> {
  const isEnd = (address: string): boolean => address.startsWith(server.url) && !address.includes("/auth/");
  const { address } = await openBrowser().go(`${server.url}/auth/login${query}`, isEnd);
  return address.slice(server.url.length);
}

const namesIn = async (drs: Drs): Promise<readonly string[]> => (await drs.members.list()).map(({ name }) => name);

describe("where anybody may found an organisation", () => {
  beforeAll(() => open({ oidcSignUpPlan: "unlimited" }));
  afterAll(close);

  test("an invitation of a stranger takes nobody's sign-up over", async () => {
    const stranger = await newOrganisation("Stranger");
    const email = beThePerson("ann");
    await stranger.members.invite({ name: "Ann", role: "owner", email });
    expect(await signIn()).toBe("/?error=invited");
    expect(await namesIn(stranger)).not.toContain("ann");
    expect(await signIn("?found=1")).toMatch(/^\/(?!\?error)/);
    expect(await signIn()).toMatch(/^\/(?!\?error)/);
    expect(await namesIn(stranger)).not.toContain("ann");
    const founded = (await admin.organisations.list()).filter(({ name }) => name === "ann");
    expect(founded).toHaveLength(1);
  });

  test("nor that of a friend, which its own link accepts", async () => {
    const [friend, stranger] = [await newOrganisation("Friend"), await newOrganisation("Stranger")];
    const email = beThePerson("bob");
    const { token } = await friend.members.invite({ name: "Bob", role: "member", email });
    await stranger.members.invite({ name: "Bob", role: "owner", email });
    expect(await signIn()).toBe("/?error=invited");
    await createDrs({ server: server.url }).acceptInvitation({ token, name: "bob" });
    expect([await namesIn(friend), await namesIn(stranger)]).toEqual([
      expect.arrayContaining(["bob"]),
      expect.not.arrayContaining(["bob"]),
    ]);
  });

  test("who was removed is drawn back by their own organisation alone", async () => {
    const email = beThePerson("cleo");
    await admin.members.invite({ name: "Cleo", role: "viewer", email });
    expect(await signIn()).toMatch(/^\/(?!\?error)/);
    const member = (await admin.members.list()).find(({ name }) => name === "cleo");
    await admin.members.remove(member?.id ?? "");
    const stranger = await newOrganisation("Stranger");
    await stranger.members.invite({ name: "Cleo", role: "owner", email });
    expect(await signIn()).toBe("/?error=invited");
    expect(await signIn("?found=1")).toBe("/?error=removed");
    await admin.members.invite({ name: "Cleo", role: "viewer", email });
    expect(await signIn()).toMatch(/^\/(?!\?error)/);
    expect(await namesIn(stranger)).not.toContain("cleo");
  });
});

describe("where nobody may", () => {
  beforeAll(() => open({}));
  afterAll(close);

  test("of several organisations that invite an address none wins by being the last", async () => {
    const [first, last] = [await newOrganisation("First"), await newOrganisation("Last")];
    const email = beThePerson("dan");
    for (const drs of [first, last]) await drs.members.invite({ name: "Dan", role: "member", email });
    expect(await signIn()).toBe("/?error=invited");
    for (const { id } of await last.members.invitations()) await last.members.revokeInvitation(id);
    expect(await signIn()).toMatch(/^\/(?!\?error)/);
    expect([await namesIn(first), await namesIn(last)]).toEqual([
      expect.arrayContaining(["dan"]),
      expect.not.arrayContaining(["dan"]),
    ]);
  });

  test("of many people whom the provider gives the invited address one joins, also where all come at once", async () => {
    const email = "gus@mail.example";
    await admin.members.invite({ name: "Gus", role: "admin", email });
    const backs: (() => Promise<string>)[] = [];
    for (let count = 0; count < 8; count++) {
      provider.person = `gus-${count}`;
      provider.people.set(provider.person, { email: email.toUpperCase(), email_verified: true, name: "Gus" });
      const browser = openBrowser();
      const isBack = (address: string): boolean => address.startsWith(`${server.url}/auth/callback`);
      const { address: back } = await browser.go(`${server.url}/auth/login`, isBack);
      backs.push(async () =>
        (await browser.go(back, (next) => !next.includes("/auth/"))).address.slice(server.url.length),
      );
    }
    const ends = await Promise.all(backs.map(async (back) => back()));
    expect(ends.filter((end) => end.startsWith("/#session="))).toHaveLength(1);
    expect(ends.filter((end) => end === "/?error=not_invited")).toHaveLength(7);
    expect((await namesIn(admin)).filter((name) => name === "Gus")).toHaveLength(1);
  });

  test("the organisation that runs the service goes first", async () => {
    const email = beThePerson("eve");
    await admin.members.invite({ name: "Eve", role: "viewer", email });
    const stranger = await newOrganisation("Stranger");
    await stranger.members.invite({ name: "Eve", role: "owner", email });
    expect(await signIn()).toMatch(/^\/(?!\?error)/);
    expect([await namesIn(admin), await namesIn(stranger)]).toEqual([
      expect.arrayContaining(["eve"]),
      expect.not.arrayContaining(["eve"]),
    ]);
  });
});
