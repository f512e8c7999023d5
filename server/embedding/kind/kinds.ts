/**
 * The types of content that a page may have besides text. The order is part of the format: a page's vector has one place for
 * each.
 */
export const kinds = ["bar-chart", "line-graph", "table", "map", "photo", "form", "diagram", "drawing"] as const;

export type Kind = (typeof kinds)[number];

/**
 * One number for each page type and one that brings the vector's length to 1, padded to a multiple of eight as the vector index
 * requires.
 */
export const kindDimensions = 16;

/** Minimum longer side of the pictures that are classified, in pixels. */
export const kindLongSide = 640;

/**
 * Encodes probabilities as a unit vector, so that its cosine with an axis is the probability of that page type divided by
 * the square root of the number of types.
 */
export function encodeKinds(probabilities: ReadonlyMap<Kind, number>): Float32Array {
  const vector = new Float32Array(kindDimensions);
  let rest = 1;
  for (const [index, kind] of kinds.entries()) {
    const share = (probabilities.get(kind) ?? 0) ** 2 / kinds.length;
    vector[index] = Math.sqrt(share);
    rest -= share;
  }
  vector[kinds.length] = Math.sqrt(Math.max(0, rest));
  return vector;
}

/** Encodes a query for pages of any of these types. Returns undefined if there are no types; the space then gives no scores. */
export function encodeWanted(wanted: ReadonlySet<Kind>): Float32Array | undefined {
  if (wanted.size === 0) return undefined;
  const vector = new Float32Array(kindDimensions);
  for (const [index, kind] of kinds.entries()) if (wanted.has(kind)) vector[index] = 1 / Math.sqrt(wanted.size);
  return vector;
}

/**
 * The ways in which queries name a page type. Words with other common meanings ("form of government", "to map a function",
 * "table of contents") count only where the words around them show that the page type is meant.
 */
const names: readonly { readonly kinds: readonly Kind[]; readonly pattern: RegExp }[] = [
  {
    kinds: ["bar-chart"],
    pattern:
      /\b(bar ?(charts?|graphs?|plots?)|histograms?|balkendiagramme?|säulendiagramme?|histogramm|diagrammes? (à|en) (barres|bâtons)|histogrammes?|gráficos? de barras|histograma|grafic[oi] a barre|istogramm[ai])\b/iu,
  },
  {
    kinds: ["line-graph"],
    pattern:
      /\b(line ?(charts?|graphs?|plots?)|curves? of|plots? of|liniendiagramme?|kurvendiagramme?|courbes? (de|des|du)|gráficos? de líneas|grafic[oi] a linee)\b/iu,
  },
  {
    kinds: ["bar-chart", "line-graph"],
    pattern:
      /\b(charts?|graphs? (of|showing|with)|(a|the) graph|diagramme? (der|des|von|über)|graphiques?|gráficos?|gráficas?|grafic[oi])\b/iu,
  },
  {
    kinds: ["table"],
    pattern:
      /\b(tables? (of|with|showing|listing|that|for)(?! contents)|(a|the|which|in|comparison|summary) table|tabellen?|tableaux?|tablas?|tabell[ae])\b/iu,
  },
  {
    kinds: ["map"],
    pattern:
      /\b(maps? (of|with|showing)|(a|the|road|city|street|world|country) maps?|(stadt|land|straßen)?karten?( von| der| des)|landkarten?|stadtpl[aä]ne?|cartes? (de|des|du)|mapas?|mapp[ae]|cartin[ae])\b/iu,
  },
  {
    kinds: ["photo"],
    pattern: /\b(photos?|photographs?|photographies?|portraits? of|fotos?|fotografi(e|en|as?)|fotografías?)\b/iu,
  },
  {
    kinds: ["form"],
    pattern:
      /\b(forms? (for|to)|(a|the|application|order|tax|entry|registration|claim|blank|request) forms?(?! of)|formulare?|formulaires?|formularios?|modul[oi] (di|da|per))\b/iu,
  },
  {
    // Where schematic ends and drawing begins is a matter of taste.
    kinds: ["diagram", "drawing"],
    pattern:
      /\b((block |flow ?|class |sequence |state |circuit )?diagrams?|flow ?charts?|schematics?|schaubild(er)?|ablaufpl[aä]ne?|schémas?|diagrammes? (de|du|des)|diagramas?|esquemas?|diagramm[ai]|schem[ai] (di|del))\b/iu,
  },
  {
    kinds: ["drawing"],
    pattern:
      /\b(drawings|drawing of|(a|the|line|technical) drawing|illustrations?|sketch(es)?|engravings?|zeichnung(en)?|abbildung(en)?|dessins?|dibujos?|ilustraci(ón|ones)|disegn[oi]|illustrazion[ei])\b/iu,
  },
];

/**
 * Returns the page types that a query names. Removes longer names before it looks for shorter ones, because a `flow chart` is not
 * a chart and a `bar chart` is not a line graph.
 */
export function kindsNamed(query: string): Set<Kind> {
  const wanted = new Set<Kind>();
  let rest = query.normalize("NFC");
  for (const { kinds, pattern } of longerFirst) {
    const without = rest.replace(pattern, " ");
    if (without !== rest) for (const kind of kinds) wanted.add(kind);
    rest = without;
  }
  return wanted;
}

const longerFirst = names.toSorted((a, b) => rank(a.kinds) - rank(b.kinds));

function rank(kinds: readonly Kind[]): number {
  if (kinds.includes("diagram")) return 1;
  return kinds.length > 1 ? 2 : 0;
}
