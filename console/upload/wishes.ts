import { useState } from "react";
import { metadataOfText } from "../documents/metadata-text.ts";
import type { UploadWishes } from "./entry.ts";

/** The options as typed in the form. */
export interface WrittenWishes {
  readonly vectorize: boolean;
  readonly metadata: string;
  readonly expiresInDays: string;
}

/** Kept outside of the views: files dropped on the list of documents use the last options. */
let last: WrittenWishes = { vectorize: true, metadata: "", expiresInDays: "" };

export function useWrittenWishes(): readonly [WrittenWishes, (change: Partial<WrittenWishes>) => void] {
  const [written, setWritten] = useState(last);
  const change = (changed: Partial<WrittenWishes>): void => {
    last = { ...last, ...changed };
    setWritten(last);
  };
  return [written, change];
}

/** Throws `TypeError` for invalid metadata. */
export function wishesOf({ vectorize, metadata, expiresInDays }: WrittenWishes): UploadWishes {
  const said = metadataOfText(metadata);
  const days = Number(expiresInDays);
  return {
    vectorize,
    ...(Object.keys(said).length > 0 && { metadata: said }),
    ...(days > 0 && { expiresInDays: days }),
  };
}

export const lastWishes = (): UploadWishes => wishesOf(last);
