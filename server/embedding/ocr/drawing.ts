import { countLetters, minLetterShare } from "./usable.ts";

/** What a page is drawn with, as far as it tells whether its picture can show words that its text layer lacks. */
export interface PageDrawing {
  /** Of its text layer, white space left out; counted whether their fonts say what they mean or not. */
  readonly signs: number;
  /** Points of all paths: four or five of a ruled box, some twenty of a letter drawn as its outline. */
  readonly points: number;
  /** Pictures, or annotations that are more than a link: stamps, notes, fields. */
  readonly hasPictures: boolean;
  /** The part of the page that pictures cover, 0 to 1; where they lie on each other, more than that. */
  readonly pictureShare: number;
}

/** The outlines of some ten letters; what has fewer is a blank page, a rule, a frame. */
const minPoints = 200;

/** Of a page, from which on its pictures may be the page, as of a scan with a stamp. */
const minPictureShare = 0.5;

/** Whether pictures cover so much of a page that words beside those of its text layer are to be expected in them. */
export const isMostlyPicture = ({ pictureShare }: PageDrawing): boolean => pictureShare >= minPictureShare;

/**
 * Whether reading the picture of a page without a usable text layer may give more than that. Title pages, dividers and
 * blank pages have nothing but the few words that are known.
 */
export function mayShowMore(words: string, { signs, points, hasPictures }: PageDrawing): boolean {
  const isGarbled = countLetters(words) < minLetterShare * signs;
  return hasPictures || points >= minPoints || isGarbled;
}
