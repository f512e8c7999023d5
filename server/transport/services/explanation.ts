import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExplanationSchema } from "@drs/client/gen/drs/v1/explanations_pb";
import type { Explanation } from "../../ranking/answer/explanation.ts";

export function explanationMessage({ parts }: Explanation): MessageInitShape<typeof ExplanationSchema> {
  return {
    parts: parts.map(({ weight, probability, logOdds, base, spaces, likeness, features, words }) => ({
      weight,
      probability,
      logOdds,
      base,
      spaces: spaces.map(({ name, score, logOdds: added }) => ({
        name,
        logOdds: added,
        ...(score !== undefined && { score }),
      })),
      likeness,
      features: features.map(({ name, of, value, logOdds: added }) => ({ name, of, value, logOdds: added })),
      words: words.map(({ word, count, logOdds: added, foundAs }) => ({
        word,
        count,
        logOdds: added,
        foundAs: [...foundAs],
      })),
    })),
  };
}
