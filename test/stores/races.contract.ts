import { describe } from "vitest";
import type { OpenMetadataFixture } from "./testing/metadata.ts";
import { attemptRaces } from "./races/attempts.ts";
import { claimRaces } from "./races/claims.ts";
import { documentRaces } from "./races/documents.ts";
import { indexRaces } from "./races/indices.ts";
import { jobRaces } from "./races/jobs.ts";
import { packRaces } from "./races/packs.ts";
import { tenantRaces } from "./races/tenants.ts";
import { uploadRaces } from "./races/uploads.ts";

/**
 * Calls of several connections that meet, over many rounds: what they answer and leave behind is what they would if they
 * came one after the other, in some order.
 */
export function racesContract(open: OpenMetadataFixture): void {
  describe("races", () => {
    claimRaces(open);
    jobRaces(open);
    documentRaces(open);
    uploadRaces(open);
    indexRaces(open);
    packRaces(open);
    tenantRaces(open);
    attemptRaces(open);
  });
}
