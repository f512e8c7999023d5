import { useState } from "react";
import { metadataOfText } from "../documents/metadata-text.ts";
import type { UploadOptions } from "./entry.ts";

/** The options as typed in the form. */
export interface TypedOptions {
  readonly vectorize: boolean;
  readonly metadata: string;
  readonly expiresInDays: string;
}

/** Kept outside of the views: files dropped on the list of documents use the last options. */
let last: TypedOptions = { vectorize: true, metadata: "", expiresInDays: "" };

export function useTypedOptions(): readonly [TypedOptions, (change: Partial<TypedOptions>) => void] {
  const [written, setWritten] = useState(last);
  const change = (changed: Partial<TypedOptions>): void => {
    last = { ...last, ...changed };
    setWritten(last);
  };
  return [written, change];
}

/** Throws `TypeError` for invalid metadata. */
export function optionsOf({ vectorize, metadata, expiresInDays }: TypedOptions): UploadOptions {
  const said = metadataOfText(metadata);
  const days = Number(expiresInDays);
  return {
    vectorize,
    ...(Object.keys(said).length > 0 && { metadata: said }),
    ...(days > 0 && { expiresInDays: days }),
  };
}

export const lastOptions = (): UploadOptions => optionsOf(last);
