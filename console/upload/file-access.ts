/** What browsers that have file handles let pages ask; others have no such methods. */
interface Permissions {
  queryPermission(): Promise<PermissionState>;
  requestPermission(): Promise<PermissionState>;
}

const hasPermissions = (handle: FileSystemFileHandle): handle is FileSystemFileHandle & Permissions =>
  "queryPermission" in handle && "requestPermission" in handle;

/**
 * The file of a handle that was kept; undefined: it may not be read, or is gone. `isAsked`: the person is asked, which browsers
 * allow after a click only.
 */
export async function fileOf(handle: FileSystemFileHandle, isAsked: boolean): Promise<File | undefined> {
  try {
    if (hasPermissions(handle)) {
      const state = await (isAsked ? handle.requestPermission() : handle.queryPermission());
      if (state !== "granted") return undefined;
    }
    return await handle.getFile();
  } catch {
    return undefined;
  }
}
