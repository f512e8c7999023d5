import { describe, expect, test } from "vitest";
import { objectOf, type RestClient } from "./client.ts";
import { auditEvent, identity, invitation, member, organisation, planLimits, workspace } from "./shapes.ts";

/** The answers about organisations and their members, field by field. */
export function administrationCases(rest: RestClient): void {
  describe("answers", () => {
    test("organisations, plans and the audit log", async () => {
      const created = await rest.post("/v1/admin/organisations", { name: "Shapes" });
      expect(created.json).toEqual({
        success: true,
        total: 1,
        data: { organisation, workspaceId: workspace.id, apiKey: expect.stringMatching(/^drs_/) },
      });
      const id = String(objectOf(objectOf(objectOf(created.json)["data"])["organisation"])["id"]);
      const body = JSON.stringify({ name: "Forms" });
      const headers = { "content-type": "application/json" };
      const renamed = await rest.send(`/v1/admin/organisations/${id}`, { method: "PATCH", headers, body });
      expect(renamed.json).toEqual({ success: true, total: 1, data: { ...organisation, id, name: "Forms" } });
      const { json: organisations } = await rest.send("/v1/admin/organisations");
      expect(organisations).toEqual({ success: true, total: 2, data: [organisation, organisation] });

      const limits = { ...planLimits, maxPages: 10 };
      const put = { method: "PUT", headers, body: JSON.stringify({ limits: { maxPages: 10 } }) };
      const plan = await rest.send("/v1/admin/plans/shapes", put);
      expect(plan.json).toEqual({ success: true, total: 1, data: { name: "shapes", limits } });
      const { json: plans } = await rest.send("/v1/admin/plans");
      const data = [
        { name: "shapes", limits },
        { name: "unlimited", limits: planLimits },
      ];
      expect(plans).toEqual({ success: true, total: 2, data });
      const deleted = await rest.send("/v1/admin/plans/shapes", { method: "DELETE" });
      expect(deleted.json).toEqual({ success: true });

      const { json: audit } = await rest.send("/v1/admin/audit?action=plan.");
      expect(audit).toEqual({
        success: true,
        total: 2,
        data: [
          { ...auditEvent, action: "plan.delete", target: "shapes", workspaceId: "", details: "" },
          { ...auditEvent, action: "plan.set", target: "shapes", workspaceId: "", details: "maxPages 10" },
        ],
      });
    });

    test("members and invitations", async () => {
      expect((await rest.send("/v1/me")).json).toEqual({ success: true, total: 1, data: identity });
      const invited = await rest.post("/v1/admin/invitations", { name: "Ada", role: "viewer" });
      const token = expect.stringMatching(/^drsi_/);
      const joinUrl = expect.stringMatching(/\/join#drsi_/);
      expect(invited.json).toEqual({ success: true, total: 1, data: { ...invitation, token, joinUrl } });
      const { json: invitations } = await rest.send("/v1/admin/invitations");
      expect(invitations).toEqual({ success: true, total: 1, data: [invitation] });
      const request = { token: objectOf(objectOf(invited.json)["data"])["token"] };
      const accepted = await rest.post("/v1/invitations/accept", request);
      expect(accepted.json).toEqual({
        success: true,
        total: 1,
        data: {
          member,
          token: expect.stringMatching(/^drsp_/),
          organisationId: organisation.id,
          workspaceId: workspace.id,
        },
      });
      const session = objectOf(objectOf(accepted.json)["data"]);
      const headers = { authorization: `Bearer ${String(session["token"])}` };
      const { json: me } = await rest.send("/v1/me", { headers });
      const data = { ...identity, keyId: "", memberId: member.id, scopes: ["read", "search"], role: "viewer" };
      expect(me).toEqual({ success: true, total: 1, data });
      const id = String(objectOf(session["member"])["id"]);
      const { json: members } = await rest.send("/v1/admin/members");
      expect(members).toEqual({ success: true, total: 1, data: [member] });
      const out = await rest.send("/v1/me/sign-out", { method: "POST", headers });
      expect(out.json).toEqual({ success: true });
      const removed = await rest.send(`/v1/admin/members/${id}`, { method: "DELETE" });
      expect(removed.json).toEqual({ success: true });
    });
  });
}
