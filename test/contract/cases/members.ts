import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, refusalOf, time } from "../answers.ts";
import type { MethodName, Outcome } from "../api.ts";
import type { Scene } from "../scene.ts";
import { onePage, unknownDataset, unknownInvitation, unknownMember } from "../world.ts";

type Role = "owner" | "admin" | "member" | "viewer";

interface Person {
  readonly id: string;
  readonly token: string;
}

/** An organisation of its own, so that what its owners do disturbs no other case. */
interface House {
  readonly id: string;
  readonly workspaceId: string;
  readonly apiKey: string;
}

export function membersCases(scene: Scene): void {
  const { refused } = scene;
  const call = (method: MethodName, request: JsonObject, key: string | null, workspace?: string): Promise<Outcome> =>
    scene.api.call(method, request, { key, ...(workspace !== undefined && { workspace }) });
  const answer = async (...args: Parameters<typeof call>): Promise<JsonObject> => bodyOf(await call(...args));
  const denied = (message: RegExp): object => ({
    ok: false,
    code: "PERMISSION_DENIED",
    message: expect.stringMatching(message),
  });

  async function build(): Promise<House> {
    const created = objectAt(bodyOf(await scene.api.call("createOrganisation", { name: "House" })), "created");
    const { id } = objectAt(created, "organisation");
    return { id: String(id), workspaceId: String(created["workspaceId"]), apiKey: String(created["apiKey"]) };
  }

  async function invite(key: string, role: Role, name: string = role): Promise<JsonObject> {
    return objectAt(await answer("inviteMember", { name, role }, key), "invitation");
  }

  async function join(key: string, role: Role): Promise<Person> {
    const { token } = await invite(key, role);
    const session = objectAt(await answer("acceptInvitation", { token: String(token) }, null), "session");
    return { id: String(objectAt(session, "member")["id"]), token: String(session["token"]) };
  }

  describe("members", () => {
    test("a person is invited, joins once, and is listed and authenticated", async () => {
      const { id: organisationId, workspaceId, apiKey } = await build();
      const invitation = await invite(apiKey, "member", "ada@example.org");
      expect({ ...invitation, email: invitation["email"] ?? null }).toEqual({
        id: expect.stringMatching(/^inv_/),
        name: "ada@example.org",
        email: null,
        role: "member",
        createdAt: time,
        expiresAt: Number(invitation["createdAt"]) + 72 * 3_600_000,
        token: expect.stringMatching(/^drsi_inv_[0-9a-z]{26}_[\w-]{43}$/),
        joinUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/join#drsi_/),
      });
      const { token, joinUrl, ...open } = invitation;
      expect(joinUrl).toMatch(new RegExp(`#${String(token)}$`));
      expect(await answer("listInvitations", {}, apiKey)).toMatchObject({ total: 1, data: [open] });
      const [shown = {}] = listAt(await answer("listInvitations", {}, apiKey), "data");
      expect(shown).not.toHaveProperty("token");
      expect(shown).not.toHaveProperty("joinUrl");
      const offer = objectAt(await answer("showInvitation", { token: String(token) }, null), "offer");
      const { name, role, expiresAt } = invitation;
      expect(offer).toEqual({ name, role, expiresAt, organisationName: "House" });

      const request = { token: String(token), name: "Ada\u202e Lovelace\u0007 " };
      const session = objectAt(await answer("acceptInvitation", request, null), "session");
      const member = objectAt(session, "member");
      expect(session).toMatchObject({
        member: { id: expect.stringMatching(/^mem_/), name: "Ada Lovelace", role: "member", createdAt: time },
        token: expect.stringMatching(/^drsp_[0-9a-z]{26}_[\w-]{43}$/),
        organisationId,
        workspaceId,
      });
      expect(await answer("listInvitations", {}, apiKey)).toMatchObject({ total: 0, data: [] });
      const members = await answer("listMembers", {}, apiKey);
      expect(members).toMatchObject({ total: 1, data: [{ id: member["id"], name: "Ada Lovelace", role: "member" }] });
      expect(await answer("whoAmI", {}, String(session["token"]))).toMatchObject({
        identity: {
          organisationId,
          workspaceId,
          memberId: member["id"],
          role: "member",
          scopes: ["read", "write", "search"],
          isOperator: false,
          name: "Ada Lovelace",
          organisationName: expect.stringMatching(/./),
          workspaceName: "default",
        },
      });
      const key = objectAt(await answer("whoAmI", {}, apiKey), "identity");
      expect(key).toMatchObject({ organisationId, workspaceId, keyId: apiKey.split("_")[1], workspaceName: "default" });
      expect([key["memberId"] ?? "", key["role"] ?? null]).toEqual(["", null]);
      expect(bodyOf(await scene.api.call("whoAmI", {}))).toMatchObject({ identity: { isOperator: true } });
    });

    test("unknown, wrong, used and revoked invitations are refused alike", async () => {
      const { apiKey } = await build();
      const [used, revoked, open] = [
        await invite(apiKey, "viewer"),
        await invite(apiKey, "viewer"),
        await invite(apiKey, "viewer"),
      ];
      await answer("acceptInvitation", { token: String(used["token"]) }, null);
      await answer("revokeInvitation", { id: String(revoked["id"]) }, apiKey);
      const openToken = String(open["token"]);
      const refusals = await Promise.all(
        [
          String(used["token"]),
          String(revoked["token"]),
          openToken.replace(String(open["id"]), unknownInvitation),
          openToken.replace(/.{5}$/, "aaaaa"),
          openToken.replace("drsi_", "drs_"),
          apiKey,
          "' or 1=1 --",
        ].map(async (token) => {
          const { code, message } = refusalOf(await call("acceptInvitation", { token, name: "" }, null));
          expect(refusalOf(await call("showInvitation", { token }, null))).toMatchObject({ code, message });
          return `${code} ${message}`;
        }),
      );
      expect(new Set(refusals).size).toBe(1);
      expect(refusals[0]).toMatch(/^PERMISSION_DENIED this invitation is not valid/);
      await answer("acceptInvitation", { token: openToken }, null);
    });

    test("a member lists the personal tokens, ends one, and reaches none of others", async () => {
      const { apiKey } = await build();
      const [ada, bo] = [await join(apiKey, "admin"), await join(apiKey, "member")];
      const tokensOf = async ({ token }: Person): Promise<JsonObject[]> =>
        listAt(await answer("listTokens", {}, token), "data");
      const [own = {}] = await tokensOf(ada);
      expect({ ...own, deviceName: own["deviceName"] ?? null }).toEqual({
        id: ada.token.split("_")[1],
        deviceName: null,
        createdAt: time,
        isCurrent: true,
      });
      const id = String(own["id"]);
      expect(await call("endToken", { id }, bo.token)).toMatchObject({ code: "NOT_FOUND" });
      expect(await call("endToken", { id }, apiKey)).toMatchObject({ code: "NOT_FOUND" });
      expect((await answer("listTokens", {}, apiKey))["total"] ?? 0).toBe(0);
      await answer("endToken", { id }, ada.token);
      expect(await call("listTokens", {}, ada.token)).toMatchObject({ code: "UNAUTHENTICATED" });
      expect(await tokensOf(bo)).toHaveLength(1);
    });

    test("of many who use an invitation at once, one joins", async () => {
      const { apiKey } = await build();
      const { token } = await invite(apiKey, "viewer");
      const attempts = Array.from({ length: 5 }, () => call("acceptInvitation", { token: String(token) }, null));
      expect((await Promise.all(attempts)).filter(({ ok }) => ok)).toHaveLength(1);
      expect(await answer("listMembers", {}, apiKey)).toMatchObject({ total: 1 });
    });

    test.each([
      [{ name: "", role: "viewer" }, /name/],
      [{ name: "\u200b\u0007", role: "viewer" }, /visible character/],
      [{ name: "a".repeat(129), role: "viewer" }, /name/],
      [{ name: "a", role: "emperor" }, /role/],
      [{ name: "a" }, /role/],
      [{ name: "a", role: "viewer", expiresInHours: 0 }, /expiresInHours/],
      [{ name: "a", role: "viewer", expiresInHours: 721 }, /expiresInHours/],
    ])("the invitation %j is refused", (request, message) =>
      refused("inviteMember", request, "INVALID_ARGUMENT", message),
    );

    test("each role may do what it says and no more", async () => {
      const { apiKey } = await build();
      const people: Record<Role, Person> = {
        owner: await join(apiKey, "owner"),
        admin: await join(apiKey, "admin"),
        member: await join(apiKey, "member"),
        viewer: await join(apiKey, "viewer"),
      };
      const attempts: [MethodName, JsonObject, allowed: readonly Role[]][] = [
        ["listDatasets", {}, ["owner", "admin", "member", "viewer"]],
        ["search", { query: "bats" }, ["owner", "admin", "member", "viewer"]],
        ["whoAmI", {}, ["owner", "admin", "member", "viewer"]],
        [
          "startUpload",
          { fileName: "a.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" },
          ["owner", "admin", "member"],
        ],
        ["listMembers", {}, ["owner", "admin"]],
        ["listInvitations", {}, ["owner", "admin"]],
        ["listWorkspaces", {}, ["owner", "admin"]],
        ["listKeys", {}, ["owner", "admin"]],
        ["createKey", { name: "by a member" }, ["owner", "admin"]],
        ["inviteMember", { name: "x", role: "admin" }, ["owner", "admin"]],
        ["listOrganisations", {}, ["owner", "admin"]],
        ["listPlans", {}, ["owner", "admin"]],
        ["createKey", { name: "as good as an owner", scopes: ["admin"] }, ["owner"]],
        ["inviteMember", { name: "x", role: "owner" }, ["owner"]],
        ["listAuditEvents", {}, ["owner"]],
        ["createOrganisation", { name: "x" }, []],
        ["setPlan", { name: "x", limits: {} }, []],
        ["deletePlan", { name: "x" }, []],
      ];
      for (const [method, request, allowed] of attempts) {
        for (const role of ["owner", "admin", "member", "viewer"] as const) {
          const outcome = await call(method, request, people[role].token);
          if (allowed.includes(role)) expect(outcome, `${method} as ${role}`).toMatchObject({ ok: true });
          else expect(outcome, `${method} as ${role}`).toMatchObject(denied(/scope|only/));
        }
      }
      const upload = await scene.api.upload("extract", { file: onePage }, { key: people.viewer.token });
      expect(upload).toMatchObject(denied(/role "viewer" lacks the scope "write"/));
    });

    test("only owners make, change or remove owners, and no member raises their own role", async () => {
      const { apiKey } = await build();
      const [owner, admin, other] = [
        await join(apiKey, "owner"),
        await join(apiKey, "admin"),
        await join(apiKey, "member"),
      ];
      const byOwners = denied(/only owners may/);
      expect(await call("updateMember", { id: admin.id, role: "owner" }, admin.token)).toMatchObject(byOwners);
      expect(await call("updateMember", { id: other.id, role: "owner" }, admin.token)).toMatchObject(byOwners);
      expect(await call("updateMember", { id: owner.id, role: "viewer" }, admin.token)).toMatchObject(byOwners);
      expect(await call("removeMember", { id: owner.id }, admin.token)).toMatchObject(byOwners);
      expect(await call("updateMember", { id: other.id, role: "admin" }, other.token)).toMatchObject(denied(/scope/));
      expect(await answer("updateMember", { id: other.id, role: "viewer" }, admin.token)).toMatchObject({
        member: { id: other.id, role: "viewer" },
      });
      expect(await answer("updateMember", { id: admin.id, role: "owner" }, owner.token)).toMatchObject({
        member: { id: admin.id, role: "owner" },
      });
      bodyOf(await call("removeMember", { id: owner.id }, admin.token));
    });

    test("an admin cannot become an owner by way of a key", async () => {
      const { apiKey } = await build();
      const admin = await join(apiKey, "admin");
      const [first] = listAt(await answer("listKeys", {}, admin.token), "data");
      const byOwners = denied(/only owners may/);
      expect(await call("rotateKey", { id: String(first?.["id"]) }, admin.token)).toMatchObject(byOwners);
      const request = { scopes: ["read", "admin"] };
      expect(await call("createKey", request, admin.token)).toMatchObject(byOwners);
    });

    test("the last owner stays one, also for an API key", async () => {
      const { apiKey } = await build();
      const owner = await join(apiKey, "owner");
      const stays = { code: "ALREADY_EXISTS", message: expect.stringMatching(/last owner/) };
      for (const key of [owner.token, apiKey]) {
        expect(await call("removeMember", { id: owner.id }, key)).toMatchObject(stays);
        expect(await call("updateMember", { id: owner.id, role: "admin" }, key)).toMatchObject(stays);
      }
      expect(await answer("updateMember", { id: owner.id, role: "owner" }, apiKey)).toMatchObject({
        member: { role: "owner" },
      });
    });

    test("a change of role applies at once, and so does removal", async () => {
      const { apiKey } = await build();
      const person = await join(apiKey, "viewer");
      expect(await call("listMembers", {}, person.token)).toMatchObject(denied(/scope/));
      await answer("updateMember", { id: person.id, role: "admin" }, apiKey);
      expect(await call("listMembers", {}, person.token)).toMatchObject({ ok: true });
      await answer("removeMember", { id: person.id }, apiKey);
      const gone = { code: "UNAUTHENTICATED", message: expect.stringMatching(/personal token is not known/) };
      expect(await call("listDatasets", {}, person.token)).toMatchObject(gone);
      expect(await call("removeMember", { id: person.id }, apiKey)).toMatchObject({ code: "NOT_FOUND" });
    });

    test("signing out ends the token and leaves the member; a key does not sign out", async () => {
      const { apiKey } = await build();
      const person = await join(apiKey, "viewer");
      await answer("signOut", {}, person.token);
      expect(await call("whoAmI", {}, person.token)).toMatchObject({ code: "UNAUTHENTICATED" });
      expect(await answer("listMembers", {}, apiKey)).toMatchObject({ data: [{ id: person.id }] });
      expect(await call("signOut", {}, apiKey)).toMatchObject({ code: "INVALID_ARGUMENT" });
      expect(await call("whoAmI", {}, apiKey)).toMatchObject({ ok: true });
    });

    test("members and invitations of another organisation are like unknown ones", async () => {
      const [own, other] = [await build(), await build()];
      const person = await join(other.apiKey, "viewer");
      const invitation = await invite(other.apiKey, "viewer");
      const attempts: [MethodName, foreign: string, unknown: string, JsonObject][] = [
        ["updateMember", person.id, unknownMember, { role: "admin" }],
        ["removeMember", person.id, unknownMember, {}],
        ["revokeInvitation", String(invitation["id"]), unknownInvitation, {}],
      ];
      for (const [method, foreign, unknown, rest] of attempts) {
        const refusal = async (id: string): Promise<object> => {
          const { code, message } = refusalOf(await call(method, { id, ...rest }, own.apiKey));
          return { code, message: message.replaceAll(id, "ID") };
        };
        expect(await refusal(foreign)).toEqual(await refusal(unknown));
        expect(await refusal(unknown)).toMatchObject({ code: "NOT_FOUND" });
      }
      expect(await answer("listMembers", {}, own.apiKey)).toMatchObject({ total: 0 });
      expect(await answer("listInvitations", {}, own.apiKey)).toMatchObject({ total: 0 });
      expect(await call("whoAmI", {}, person.token)).toMatchObject({ ok: true });
    });
  });

  describe("the workspace of a call", () => {
    test("a member calls in the oldest workspace, or in the one that is named", async () => {
      const { apiKey, workspaceId } = await build();
      const second = String(objectAt(await answer("createWorkspace", { name: "second" }, apiKey), "workspace")["id"]);
      const { token } = await join(apiKey, "viewer");
      const workspaceOf = async (key: string, named?: string): Promise<unknown> =>
        objectAt(await answer("whoAmI", {}, key, named), "identity")["workspaceId"];
      expect(await workspaceOf(token)).toBe(workspaceId);
      for (const named of ["second", second]) expect(await workspaceOf(token, named)).toBe(second);
      expect(await workspaceOf(token, "default")).toBe(workspaceId);
      // A key is of one workspace: naming it is no mistake, naming another is.
      for (const named of ["default", workspaceId]) expect(await workspaceOf(apiKey, named)).toBe(workspaceId);
      expect(await call("whoAmI", {}, apiKey, "second")).toMatchObject({ code: "NOT_FOUND" });
    });

    test("a foreign workspace is refused like an unknown one", async () => {
      const { apiKey } = await build();
      const { token } = await join(apiKey, "owner");
      const refusal = async (key: string, named: string): Promise<object> => {
        const { code, message } = refusalOf(await call("getDataset", { id: unknownDataset }, key, named));
        return { code, message: message.replaceAll(named, "NAME") };
      };
      for (const key of [token, apiKey]) {
        const expected = await refusal(key, "ws_01jzzzzzzzzzzzzzzzzzzzzzzz");
        expect(expected).toEqual({
          code: "NOT_FOUND",
          message: 'there is no workspace "NAME" in this organisation',
        });
        expect(await refusal(key, scene.world.workspaceId)).toEqual(expected);
        expect(await refusal(key, "other")).toEqual(expected);
      }
    });
  });
}
