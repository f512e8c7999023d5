/** Inputs and outputs of a model: the minimum that an agent needs, in the format of hosted models. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

export type Turn =
  | { readonly kind: "call"; readonly tool: string; readonly input: Record<string, unknown> }
  | { readonly kind: "answer"; readonly text: string };

export interface Model {
  next(question: string, seen: readonly Content[][]): Promise<Turn>;
}

interface SeenPage {
  readonly datasetId: string;
  readonly fileName: string;
  readonly page: number;
  readonly text?: string;
}

/**
 * A script in place of a model: it searches, looks at the best page in full, and quotes the line with the most words of the
 * question. To use a real model, send `seen` to it.
 */
export const scriptedModel: Model = {
  async next(question, seen) {
    const [found, page] = seen;
    if (found === undefined) return { kind: "call", tool: "search_pages", input: { query: question, limit: 3 } };
    const best = pagesIn(found)[0];
    if (best === undefined) return { kind: "answer", text: "The documents do not say." };
    const { datasetId, fileName, page: number } = best;
    if (page === undefined) {
      return { kind: "call", tool: "get_pages", input: { datasetId, pages: String(number), as: "text" } };
    }
    return { kind: "answer", text: `${bestLine(question, textOf(page))} (${fileName}, page ${number})` };
  },
};

function pagesIn([first]: readonly Content[]): readonly SeenPage[] {
  if (first?.type !== "text") return [];
  const { pages = [] }: { readonly pages?: readonly SeenPage[] } = JSON.parse(first.text);
  return pages;
}

function textOf(content: readonly Content[]): string {
  return content
    .slice(1)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}

function bestLine(question: string, text: string): string {
  const asked = wordsOf(question);
  const scored = text
    .split("\n")
    .map((line) => ({ line, score: [...wordsOf(line)].filter((word) => asked.has(word)).length }));
  return scored.toSorted((one, other) => other.score - one.score)[0]?.line ?? "";
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/\p{L}{4,}/gu));
