import { describe } from "vitest";
import { bm25Contract } from "./vectors-bm25.contract.ts";
import type { OpenVectorFixture } from "./testing/vectors.ts";
import { wordConditionsContract } from "./vectors-conditions.contract.ts";
import { documentsContract } from "./vectors-documents.contract.ts";
import { passingContract } from "./vectors-passing.contract.ts";
import { vectorsApartContract } from "./vectors-apart.contract.ts";
import { vectorCodesContract } from "./vectors-codes.contract.ts";
import { vectorGenerationsContract } from "./vectors-generations.contract.ts";
import { vectorRankingContract } from "./vectors-ranking.contract.ts";
import { vectorSharingContract } from "./vectors-sharing.contract.ts";
import { statisticsContract } from "./vectors-statistics.contract.ts";
import { vectorTablesContract } from "./vectors-tables.contract.ts";
import { wordRankingContract } from "./vectors-words.contract.ts";

/** The contract of every vector store. */
export function vectorsContract(name: string, open: OpenVectorFixture): void {
  describe(`vectors: ${name}`, () => {
    vectorRankingContract(open);
    vectorCodesContract(open);
    wordRankingContract(open);
    bm25Contract(open);
    wordConditionsContract(open);
    passingContract(open);
    statisticsContract(open);
    documentsContract(open);
    vectorSharingContract(open);
    vectorGenerationsContract(open);
    vectorTablesContract(open);
    vectorsApartContract(open);
  });
}
