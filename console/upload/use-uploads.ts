import type { Drs } from "@drs/client";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import { server, useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { useMe } from "../shell/session.tsx";
import { showFailure, showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import type { UploadEntry, UploadOptions } from "./entry.ts";
import { openUploadStore } from "./upload-store.ts";
import type { Picked } from "./picked-files.ts";
import { Uploads } from "./uploads.ts";
import { metadataOfText } from "../documents/metadata-text.ts";

/** The options as typed in the form. */
interface TypedOptions {
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

interface OwnedUploads {
  readonly owner: string;
  readonly drs: Drs;
  readonly uploads: Uploads;
}

/** Kept outside of the views, which come and go. */
let current: OwnedUploads | undefined;

/** The uploads of the signed-in person in the current workspace. */
export function useUploads(): Uploads {
  const drs = useDrs();
  const queries = useQueryClient();
  const { workspaceId, memberId, keyId } = useMe();
  return uploadsOf(`${workspaceId} ${memberId ?? keyId ?? ""}`, drs, queries);
}

function uploadsOf(owner: string, drs: Drs, queries: QueryClient): Uploads {
  if (current?.owner === owner && current.drs === drs) return current.uploads;
  const onDone = (): void => {
    void queries.invalidateQueries({ queryKey: ["datasets"] });
    void queries.invalidateQueries({ queryKey: ["jobs"] });
  };
  current = { owner, drs, uploads: new Uploads({ drs, owner, store: openUploadStore(server), onDone }) };
  return current.uploads;
}

export function useUploadEntries(): readonly UploadEntry[] {
  const uploads = useUploads();
  return useSyncExternalStore(uploads.subscribe, uploads.entries);
}

/** Uploads files that were dropped or chosen, and says which of them are skipped. */
export function useAdd(): (picked: Picked) => void {
  const { upload } = useTexts();
  const formats = useFormats();
  const uploads = useUploads();
  return ({ files, unknown, empty, passedOver }) => {
    for (const name of unknown) showToast(upload.unknownKind(name));
    for (const name of empty) showToast(upload.empty(name));
    if (passedOver > 0) showToast(upload.passedOver(formats.count(passedOver)));
    if (files.length + unknown.length + empty.length + passedOver === 0) showToast(upload.none);
    if (files.length === 0) return;
    try {
      uploads.add(files, lastOptions());
    } catch (cause) {
      if (cause instanceof TypeError) showToast(upload.metadataWrong);
      else showFailure(cause);
    }
  };
}
