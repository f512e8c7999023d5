/**
 * Supported widths of page pictures, pixels: few, so that all readers share the same cached ones. Models accept
 * pictures up to 1568 or 2000.
 */
export const pictureWidths = [256, 512, 1024, 1568, 2000] as const;
export type PictureWidth = (typeof pictureWidths)[number];

export const isPictureWidth = (value: number): value is PictureWidth => pictureWidths.some((width) => width === value);
