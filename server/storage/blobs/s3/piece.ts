/** S3's bounds of a part of an object, https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html; the last may be smaller. */
export const minPartBytes = 5 * 2 ** 20;
/** Of what is copied inside the store. */
export const maxCopiedBytes = 5 * 2 ** 30;
export const maxParts = 10_000;

/** Bytes that are sent together. Twice the least, so that anything above the least can be cut into parts that are allowed. */
export const pieceBytes = 2 * minPartBytes;

const firstBytes = 256 * 1024;

/** A buffer that grows with what is put into it, up to `pieceBytes`, and is used again. */
export interface Piece {
  /** Copies as much as there is room for up to `maxBytes`; how many bytes that was. */
  fill(bytes: Uint8Array, maxBytes?: number): number;
  length(): number;
  /** Valid until the piece is emptied. */
  bytes(): Uint8Array;
  empty(): void;
}

export function createPiece(): Piece {
  let buffer = Buffer.allocUnsafeSlow(firstBytes);
  let length = 0;
  return {
    fill(bytes, maxBytes = pieceBytes) {
      const count = Math.min(bytes.byteLength, maxBytes - length);
      if (length + count > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(pieceBytes, Math.max(length + count, buffer.length * 2)));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(bytes.subarray(0, count), length);
      length += count;
      return count;
    },
    length: () => length,
    bytes: () => buffer.subarray(0, length),
    empty() {
      length = 0;
    },
  };
}
