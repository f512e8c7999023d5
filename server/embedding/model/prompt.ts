import { PackError } from "../pack-error.ts";
import type { FittedPicture } from "./fit.ts";
import type { Prompt } from "./inputs.ts";
import type { ModelTokenizer, TokenRow } from "./tokens.ts";

/**
 * Returns the tokens that a vision-language model reads with a picture: placeholders for its tiles, and the words around
 * them, whose role is "prefix". Throws `PackError` if the tokenizer does not know the placeholder as one token.
 */
export function promptOf(
  { views, rows, columns }: FittedPicture,
  settings: Prompt,
  tokenizer: ModelTokenizer,
): TokenRow {
  const { token, perTile } = settings.placeholder;
  const tokens = token.repeat(perTile);
  const tiles = Array.from({ length: rows }, (_, row) => {
    const line = Array.from({ length: columns }, (_unused, column) =>
      filled(settings.tile, { tokens, row: String(row + 1), column: String(column + 1) }),
    );
    return line.join("") + settings.rowEnd;
  });
  const whole = filled(rows === 0 ? settings.alone : settings.whole, { tokens });
  const text = filled(settings.text, { image: tiles.join("") + whole });

  const placeholder = tokenizer.idsOf(token, false);
  const ids = tokenizer.idsOf(text, settings.specialTokens);
  const found = ids.filter((id) => id === placeholder[0]).length;
  if (placeholder.length !== 1 || found !== views.length * perTile) {
    throw new PackError(`the tokenizer ${settings.tokenizer} does not know ${token} as one token`);
  }
  return ids.map((id) => ({ id, role: id === placeholder[0] ? "text" : "prefix" }));
}

/** Replaces each `{name}` by its value; values are not searched for names. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}
