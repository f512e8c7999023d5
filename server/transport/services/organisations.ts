import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type {
  AuditEventSchema,
  OrganisationService,
  PlanLimits as ProtoPlanLimits,
  PlanSchema,
} from "@drs/client/gen/drs/v1/organisations_pb";
import type { AuditEvent } from "../../domain/audit/event.ts";
import {
  listAuditEvents,
  createOrganisation,
  listOrganisations,
  updateOrganisation,
} from "../../domain/organisations/organisations.ts";
import type { Domain } from "../../domain/domain.ts";
import type { Plan, PlanLimits } from "../../domain/plans/plan.ts";
import { deletePlan, listPlans, setPlan } from "../../domain/plans/plans.ts";
import { callerOf } from "./caller.ts";
import { present, keyMessage } from "./messages.ts";
import type { WorkspaceService } from "@drs/client/gen/drs/v1/workspaces_pb";
import { createKey, listKeys, revokeKey, rotateKey } from "../../domain/workspaces/keys.ts";
import { createWorkspace, listWorkspaces } from "../../domain/workspaces/workspaces.ts";
import { keyScopes, wordsOf } from "./enums.ts";
import type { UsageService } from "@drs/client/gen/drs/v1/usage_pb";
import { getUsage } from "../../domain/usage/get.ts";
import { totalBytes } from "../../domain/usage/usage.ts";

export function organisationService(domain: Domain): ServiceImpl<typeof OrganisationService> {
  return {
    async createOrganisation({ name, plan }, context) {
      const input = { name, plan };
      const { organisation, workspace, key } = await createOrganisation(domain, { caller: callerOf(context), input });
      return { created: { organisation, workspaceId: workspace.id, apiKey: key.key } };
    },
    async listOrganisations(_request, context) {
      const data = [...(await listOrganisations(domain, { caller: callerOf(context) }))];
      return { total: data.length, data };
    },
    async updateOrganisation({ id, name, plan }, context) {
      const input = { id, name, plan };
      return { organisation: await updateOrganisation(domain, { caller: callerOf(context), input }) };
    },
    async listPlans(_request, context) {
      const plans = await listPlans(domain, { caller: callerOf(context) });
      return { total: plans.length, data: plans.map(planMessage) };
    },
    async setPlan({ name, limits }, context) {
      const input = { name, limits: limitsOf(limits) };
      return { plan: planMessage(await setPlan(domain, { caller: callerOf(context), input })) };
    },
    async deletePlan({ name }, context) {
      await deletePlan(domain, { caller: callerOf(context), input: { name } });
      return {};
    },
    async listAuditEvents({ offset, limit, action, actor, since, until }, context) {
      const input = { offset, limit, action, actor, since, until };
      const { total, data } = await listAuditEvents(domain, { caller: callerOf(context), input });
      return { total, data: data.map(eventMessage) };
    },
  };
}

function limitsOf(limits: ProtoPlanLimits | undefined): PlanLimits {
  return {
    maxUploadBytes: limits?.maxUploadBytes ?? null,
    maxStorageBytes: limits?.maxStorageBytes ?? null,
    maxRetentionDays: limits?.maxRetentionDays ?? null,
    requestsPerMinute: limits?.requestsPerMinute ?? null,
    concurrentJobs: limits?.concurrentJobs ?? null,
    maxPages: limits?.maxPages ?? null,
  };
}

function planMessage({ name, limits }: Plan): MessageInitShape<typeof PlanSchema> {
  return { name, limits: present({ ...limits }) };
}

function eventMessage({ workspaceId, ...event }: AuditEvent): MessageInitShape<typeof AuditEventSchema> {
  return { ...event, workspaceId: workspaceId ?? "" };
}

export function workspaceService(domain: Domain): ServiceImpl<typeof WorkspaceService> {
  return {
    async createWorkspace({ name }, context) {
      return { workspace: await createWorkspace(domain, { caller: callerOf(context), input: { name } }) };
    },
    async listWorkspaces(_request, context) {
      const data = [...(await listWorkspaces(domain, { caller: callerOf(context) }))];
      return { total: data.length, data };
    },
    async createKey({ workspace, name, scopes, expiresInDays, requestsPerMinute, filter }, context) {
      const input = { workspace, name, scopes: wordsOf(keyScopes, scopes), expiresInDays, requestsPerMinute, filter };
      return { key: keyMessage(await createKey(domain, { caller: callerOf(context), input })) };
    },
    async listKeys({ workspace }, context) {
      const keys = await listKeys(domain, { caller: callerOf(context), input: { workspace } });
      return { total: keys.length, data: keys.map(keyMessage) };
    },
    async rotateKey({ id, overlapHours }, context) {
      const input = { id, overlapHours };
      return { key: keyMessage(await rotateKey(domain, { caller: callerOf(context), input })) };
    },
    async revokeKey({ id }, context) {
      return { key: keyMessage(await revokeKey(domain, { caller: callerOf(context), input: { id } })) };
    },
  };
}

export function usageService(domain: Domain): ServiceImpl<typeof UsageService> {
  return {
    async getUsage({ historyDays }, context) {
      const caller = callerOf(context);
      const { stored, limits, requestsByMonth, history, ...usage } = await getUsage(domain, { caller, historyDays });
      return {
        usage: {
          ...usage,
          stored: { ...stored, total: totalBytes(stored) },
          limits: present({ ...limits }),
          requestsByMonth: [...requestsByMonth],
          history: [...history],
        },
      };
    },
  };
}
