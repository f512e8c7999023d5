import type { Kysely } from "kysely";
import type { WebhookStore } from "../../../domain/ports/webhooks.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { againIfUndone } from "../transaction.ts";
import { claimMethods } from "./claims.ts";
import { deliveryMethods } from "./deliveries.ts";
import { endpointMethods } from "./endpoints.ts";
import { enterExpiring } from "./outbox.ts";
import { secretMethods } from "./secrets.ts";

export function webhookStore(db: Kysely<Schema>, engine: Engine): WebhookStore {
  return {
    ...endpointMethods(db),
    ...secretMethods(db),
    ...deliveryMethods(db),
    ...claimMethods(db, engine),
    enterExpiring: (times, limit) => againIfUndone(() => enterExpiring(db, times, limit)),
  };
}
