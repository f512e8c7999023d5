import { type Command, Option } from "commander";
import type { ItemRow } from "@drs/client";
import { usageError } from "../../failures.ts";
import { pictureChoices } from "../../pictures/canvas.ts";
import type { PictureOption } from "../../pictures/gallery.ts";

export interface ImageFlags {
  readonly images?: Exclude<PictureOption, undefined>;
}

/** Adds `--images`, with an optional way of showing them. */
export function withImages(command: Command, description: string): Command {
  return command.addOption(new Option("--images [how]", description).choices(pictureChoices).preset("auto"));
}

/** Throws a usage error if pictures are to be shown of a format other than JPEG. */
export function checkImages({ images }: ImageFlags, row: ItemRow): void {
  if (images !== undefined && images !== false && images !== "none" && row !== "jpg")
    throw usageError(`--images shows pictures, and --row asks for ${row}`, "use --row jpg, or leave out --images");
}

/** Returns the note to print when pictures were requested but cannot be shown. */
export function noPictures(reason: string): string {
  return `no pictures: ${reason}; --images blocks draws them anyway`;
}
