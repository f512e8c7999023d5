/** The space that is left in an answer for contents. */
export interface ByteBudget {
  /** Takes `bytes` of it. If fewer are left, returns false and takes nothing. */
  take(bytes: number): boolean;
}

export function createByteBudget(bytes: number): ByteBudget {
  let left = bytes;
  return {
    take(requested) {
      if (requested > left) return false;
      left -= requested;
      return true;
    },
  };
}
