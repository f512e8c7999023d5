/**
 * The widths in pixels that pictures of pages can be asked for in: few, so that the cache has the same ones for all readers.
 * 1568 and 2000 are as large as models take pictures.
 */
export const pictureWidths = [256, 512, 1024, 1568, 2000] as const;
export type PictureWidth = (typeof pictureWidths)[number];

export const isPictureWidth = (value: number): value is PictureWidth => pictureWidths.some((width) => width === value);
