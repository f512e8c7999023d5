import { savedUploadOf, type SavedUploads, savedUploadsIn } from "./saved-uploads.ts";
import type { SavedUpload } from "./saved-upload.ts";

/** The unfinished sessions of this and earlier runs. */
export interface Sessions {
  /** Returns the session of exactly this file on this server. */
  of(file: Parameters<typeof savedUploadOf>[1]): SavedUpload | undefined;
  keep(upload: SavedUpload): void;
  forget(key: string): void;
}

export interface SessionSettings {
  readonly saved: SavedUploads;
  /** Workspace of the documents; undefined if the service does not tell. */
  readonly workspaceId: () => Promise<string | undefined>;
  /** Called if the state of an upload could not be saved. */
  readonly onUnsaved: (cause: unknown) => void;
}

/** Opens the sessions, which are kept in memory and saved to disk for later runs. */
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
