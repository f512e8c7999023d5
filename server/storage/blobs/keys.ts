/** Segments of lower-case letters, digits and `_ - .`. None begins with a dot, so none can be `.` or `..`. */
const keyText = /^[a-z0-9_-][a-z0-9_.-]*(?:\/[a-z0-9_-][a-z0-9_.-]*)*$/;

/** The usual file systems limit file names to 255 bytes. */
const maxSegmentLength = 255;

/** The folder of unfinished blobs, inside the folder of the finished ones. It is no valid first segment of a key. */
export const temporaryFolder = "tmp";

/**
 * Splits a key into its segments. Throws `TypeError` for an invalid key: drs makes all keys, so this would be a bug,
 * and nothing after this check protects the file system.
 */
export function segmentsOf(key: string): string[] {
  const segments = key.split("/");
  const fits = segments.every((segment) => segment.length <= maxSegmentLength);
  if (!keyText.test(key) || !fits || segments[0] === temporaryFolder) {
    throw new TypeError(`not a blob key: ${JSON.stringify(key)}`);
  }
  return segments;
}
