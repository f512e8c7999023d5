import type { Library } from "../library.ts";
import { objectsOfOffLayers } from "./layers.ts";
import { objectTypes, pageObjects } from "./objects.ts";

/**
 * Which characters of a loaded page a person sees who opens or prints it (docs/decisions/0048-what-a-page-shows.md). Undefined:
 * all of them.
 */
export function shownCharacters(
  library: Library,
  page: number,
  textPage: number,
): ((character: number) => boolean) | undefined {
  const { quick, call } = library;
  const all = pageObjects(library, page);
  const texts = all.filter(({ type }) => type === objectTypes.text);
  const hidden = new Set([...objectsOfOffLayers(library, page, all, texts)].map(({ handle }) => handle));
  if (hidden.size === 0) return undefined;
  return (character) => !hidden.has(call(() => quick.FPDFText_GetTextObject(textPage, character)));
}
