import { savedUploadOf, type SavedUploads, savedUploadsIn } from "./saved-uploads.ts";
import type { SavedUpload } from "./saved-upload.ts";

/** Sessions that this run and earlier ones have not ended. */
export interface Sessions {
  /** The session of this very file on this server. */
  of(file: Parameters<typeof savedUploadOf>[1]): SavedUpload | undefined;
  keep(upload: SavedUpload): void;
  forget(key: string): void;
}

export interface SessionSettings {
  readonly saved: SavedUploads;
  /** Where the documents go; undefined: the service does not say. */
  readonly workspaceId: () => Promise<string | undefined>;
  /** The state of an upload could not be kept. */
  readonly onUnsaved: (cause: unknown) => void;
}

/** In memory, and behind it on the disk for later runs. */
export async function openSessions({ saved, workspaceId, onUnsaved }: SessionSettings): Promise<Sessions> {
  const listed = await saved.list();
  const own = listed.length === 0 ? [] : savedUploadsIn(listed, await workspaceId());
  const byKey = new Map(own.map((upload) => [upload.state.key, upload]));
  return {
    of: (file) => savedUploadOf([...byKey.values()], file),
    keep(upload) {
      byKey.set(upload.state.key, upload);
      saved.keep(upload).catch(onUnsaved);
    },
    forget(key) {
      byKey.delete(key);
      saved.forget(key).catch(onUnsaved);
    },
  };
}
