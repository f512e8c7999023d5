/** Methods of file handles that only some browsers have. */
interface Permissions {
  queryPermission(): Promise<PermissionState>;
  requestPermission(): Promise<PermissionState>;
}

const hasPermissions = (handle: FileSystemFileHandle): handle is FileSystemFileHandle & Permissions =>
  "queryPermission" in handle && "requestPermission" in handle;

/**
 * Returns the file of a stored handle; undefined if it may not be read, or is gone. If `isAsked`, the browser asks the person,
 * which is allowed only after a click.
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
