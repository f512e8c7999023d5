import { type Command, Option } from "commander";
import type { ItemRow } from "@drs/client";
import { usageError } from "../failures.ts";
import { pictureChoices } from "../pictures/canvas.ts";
import type { PictureOption } from "../pictures/gallery.ts";

export interface ImageFlags {
  readonly images?: Exclude<PictureOption, undefined>;
}

/** `--images`, alone or with the way to show them. */
export function withImages(command: Command, description: string): Command {
  return command.addOption(new Option("--images [how]", description).choices(pictureChoices).preset("auto"));
}

/** Only JPEGs are pictures. Throws a usage error where others are to be shown. */
export function checkImages({ images }: ImageFlags, row: ItemRow): void {
  if (images !== undefined && images !== false && images !== "none" && row !== "jpg")
    throw usageError(`--images shows pictures, and --row asks for ${row}`, "use --row jpg, or leave --images away");
}

/** The remark where pictures were asked for and cannot be shown. */
export function noPictures(reason: string): string {
  return `no pictures: ${reason}; --images blocks draws them anyway`;
}
