import type { CharacterBox, ChosenCharacters } from "../engine.ts";
import type { Library } from "./library.ts";
import { asHighAsLines } from "./line-height.ts";
import { readText } from "./text.ts";

/** Pixels each way of the picture that positions are asked in: PDFium gives whole ones. */
const finePixels = 1_000_000;

/** The text of a loaded page with the boxes of the characters that are chosen in it. Undefined: its text cannot be loaded. */
export function characterBoxes(
  library: Library,
  page: number,
  choose: (text: string) => Iterable<number>,
): ChosenCharacters | undefined {
  const { functions, call } = library;
  const textPage = call(() => functions.FPDFText_LoadPage(page));
  if (textPage === 0) return undefined;
  const { text, characters } = readText(library, textPage);
  const boxes = new Map<number, CharacterBox>();
  for (const unit of choose(text)) {
    const character = characters[unit] ?? -1;
    const box = character < 0 ? undefined : boxOf(library, { page, textPage, character });
    if (box !== undefined) boxes.set(unit, box);
  }
  call(() => functions.FPDFText_ClosePage(textPage));
  return { text, boxes };
}

interface Character {
  readonly page: number;
  readonly textPage: number;
  readonly character: number;
}

const floatBytes = 4;
const intBytes = 4;

/** As high as its font, so that the boxes of a line are alike, or as a line. Undefined: it is not on the page, as a line break. */
function boxOf(library: Library, { page, textPage, character }: Character): CharacterBox | undefined {
  const { functions, call, scratch, view } = library;
  return scratch(4 * floatBytes + 2 * intBytes, (pointer) => {
    if (!call(() => functions.FPDFText_GetLooseCharBox(textPage, character, pointer))) return undefined;
    // FS_RECTF: left, top, right, bottom.
    const edge = (place: number): number => view().getFloat32(pointer + place * floatBytes, true);
    const loose = { left: edge(0), top: edge(1), right: edge(2), bottom: edge(3) };
    const { left, top, right, bottom } = asHighAsLines(library, { textPage, character }, loose);
    const [x, y] = [pointer + 4 * floatBytes, pointer + 4 * floatBytes + intBytes];
    const shown = (pageX: number, pageY: number): readonly [number, number] => {
      call(() => functions.FPDF_PageToDevice(page, 0, 0, finePixels, finePixels, 0, pageX, pageY, x, y));
      return [view().getInt32(x, true) / finePixels, view().getInt32(y, true) / finePixels];
    };
    const [one, other] = [shown(left, top), shown(right, bottom)];
    const box = {
      left: Math.min(one[0], other[0]),
      top: Math.min(one[1], other[1]),
      right: Math.max(one[0], other[0]),
      bottom: Math.max(one[1], other[1]),
    };
    return box.right > box.left && box.bottom > box.top ? box : undefined;
  });
}
