import { countLetters, minLetterShare } from "./usable.ts";

/** Facts about a page's drawing that tell whether its picture can show words that its text layer lacks. */
export interface PageDrawing {
  /** Characters of the text layer without white space, whether or not their fonts map them to Unicode. */
  readonly signs: number;
  /** Points of all paths: a ruled box has four or five, a letter drawn as its outline some twenty. */
  readonly points: number;
  /** Whether it has pictures, or annotations other than links: stamps, notes, fields. */
  readonly hasPictures: boolean;
  /** The share of the page that pictures cover, 0 to 1; more if they overlap. */
  readonly pictureShare: number;
}

/** The outlines of some ten letters; a page with fewer points is blank, or has a rule or a frame. */
const minPoints = 200;

/** Minimum share of a page that its pictures cover if they may be the page, such as a scan with a stamp. */
const minPictureShare = 0.5;

/** Whether pictures cover so much of a page that they probably show words that its text layer lacks. */
export const isMostlyPicture = ({ pictureShare }: PageDrawing): boolean => pictureShare >= minPictureShare;

/**
 * Whether OCR of a page without a usable text layer may give more words than that layer. Title pages, dividers and blank
 * pages have only the few words of their text layer.
 */
export function mayShowMore(words: string, { signs, points, hasPictures }: PageDrawing): boolean {
  const isGarbled = countLetters(words) < minLetterShare * signs;
  return hasPictures || points >= minPoints || isGarbled;
}
