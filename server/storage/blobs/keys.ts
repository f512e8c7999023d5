/** Segments of lower-case letters, digits and `_ - .`. None begins with a dot, so none can be `.` or `..`. */
const keyText = /^[a-z0-9_-][a-z0-9_.-]*(?:\/[a-z0-9_-][a-z0-9_.-]*)*$/;

/** File names end at 255 bytes on the usual file systems. */
const maxSegmentLength = 255;

/** The folder of unfinished blobs, beside the finished ones. No key may begin with it. */
export const temporaryFolder = "tmp";

/**
 * The key's segments. drs makes all keys, so a wrong one is a bug; this check is the last one before the file system.
 */
export function segmentsOf(key: string): string[] {
  const segments = key.split("/");
  const fits = segments.every((segment) => segment.length <= maxSegmentLength);
  if (!keyText.test(key) || !fits || segments[0] === temporaryFolder) {
    throw new TypeError(`not a blob key: ${JSON.stringify(key)}`);
  }
  return segments;
}
