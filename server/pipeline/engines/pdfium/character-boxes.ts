import type { CharacterBox, ChosenCharacters } from "../engine.ts";
import type { Library } from "./library.ts";
import { asHighAsLines } from "./line-height.ts";
import { type PageCharacter, readText, type TextPage } from "./text.ts";

/** Side in pixels of the fictitious picture in which PDFium gives positions, because it rounds them to whole pixels. */
const finePixels = 1_000_000;

/** Returns the text of overlaid pages with the boxes of the chosen characters. */
export function characterBoxes(
  library: Library,
  pages: readonly TextPage[],
  choose: (text: string) => Iterable<number>,
): ChosenCharacters {
  const { text, characters } = readText(library, pages);
  const boxes = new Map<number, CharacterBox>();
  for (const unit of choose(text)) {
    const character = characters[unit];
    const box = character === undefined ? undefined : boxOf(library, character);
    if (box !== undefined) boxes.set(unit, box);
  }
  return { text, boxes };
}

const floatBytes = 4;
const intBytes = 4;

/** A box as high as its font or line, so that the boxes of a line are alike. Undefined if it is not on the page, such as a line break. */
function boxOf(library: Library, { page, textPage, character }: PageCharacter): CharacterBox | undefined {
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
