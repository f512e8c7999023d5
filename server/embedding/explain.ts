import type { ExplainedPart, Explanation, SpaceEvidence } from "../domain/ports/explanation.ts";
import type { Reading } from "../domain/ports/pack-ranking.ts";
import { type PageHit, type PageKey, rowKey } from "../domain/ports/vectors.ts";
import { askedGroups, evidenceOf, type Hits, type Note, pagesIn } from "./fusion.ts";
import type { FusionSettings } from "./manifest.ts";
import { baseOf, scaleOf } from "./odds.ts";
import { featureNames } from "./ranker/gains.ts";
import { partOfFeature } from "./ranker/feature-parts.ts";
import { explainWords } from "./ranker/explain-words.ts";

type Group = FusionSettings[number];

interface Asked {
  readonly hits: Hits;
  readonly reading: Reading | undefined;
  /** All that were found. */
  readonly pages: ReadonlyMap<string, PageHit>;
  /** The `rowKey`s of the pages that are explained. */
  readonly wanted: ReadonlySet<string>;
}

/** Why `fuse` has given these pages their scores, by `rowKey`; pages that were not found are left out. */
export function explain(
  groups: FusionSettings,
  { hits, reading }: { readonly hits: Hits; readonly reading?: Reading | undefined },
  wanted: readonly PageKey[],
): ReadonlyMap<string, Explanation> {
  const asked = askedGroups(groups, hits);
  const totalWeight = asked.reduce((sum, { weight }) => sum + weight, 0);
  const found = { hits, reading, pages: pagesIn(hits), wanted: new Set(wanted.map(rowKey)) };
  const parts = asked.map((group) => explainGroup(group, group.weight / totalWeight, found));
  const keys = [...found.wanted].filter((key) => found.pages.has(key));
  return new Map(keys.map((key) => [key, { parts: parts.flatMap((part) => part.get(key) ?? []) }]));
}

function explainGroup(group: Group, weight: number, asked: Asked): ReadonlyMap<string, ExplainedPart> {
  const { wanted, reading } = asked;
  const scale = scaleOf(group.odds);
  const notes = new Map<string, Noted>(Array.from(wanted, (key) => [key, { spaces: [], likeness: 0, features: [] }]));
  const evidence = evidenceOf(group, asked, noteInto(notes, group, scale));
  const base = baseOf(group, evidence.values());
  const ranked = group.ranker !== undefined && reading !== undefined ? group.ranker : undefined;
  const words = ranked === undefined ? undefined : explainWords(reading ?? nothingRead, wanted);
  const parts = new Map<string, ExplainedPart>();
  for (const [key, noted] of notes) {
    const value = evidence.get(key);
    if (value === undefined) continue;
    const logOdds = base + scale * value;
    const byWords = noted.spaces.find(({ name, score }) => name === ranked?.space && score !== undefined);
    parts.set(key, {
      weight,
      probability: 1 / (1 + Math.exp(-logOdds)),
      logOdds,
      base,
      ...noted,
      words: (words?.get(key) ?? []).map(({ word, count, share }) => ({
        word,
        count,
        logOdds: share * (byWords?.logOdds ?? 0),
      })),
    });
  }
  return parts;
}

const nothingRead: Reading = { question: [], pages: new Map(), documents: new Map() };

interface Noted {
  readonly spaces: SpaceEvidence[];
  likeness: number;
  features: ExplainedPart["features"];
}

/** Takes down what becomes of the evidence, as log-odds: `scale` is how many of them one of it makes. */
function noteInto(notes: ReadonlyMap<string, Noted>, { ranker }: Group, scale: number): Note {
  return {
    space(key, name, score, amount) {
      notes.get(key)?.spaces.push({ name, score, logOdds: scale * amount });
    },
    likeness(key, gain) {
      const noted = notes.get(key);
      if (noted !== undefined) noted.likeness = scale * gain;
    },
    features(key, values) {
      const noted = notes.get(key);
      if (noted === undefined || ranker === undefined) return;
      noted.features = featureNames.map((name) => ({
        name,
        of: partOfFeature(name),
        value: values[name],
        logOdds: scale * (ranker.weights[name] ?? 0) * values[name],
      }));
    },
  };
}
