/** The room that an answer has for contents. */
export interface Room {
  /** Takes so many bytes of it; false, and nothing is taken: there are not as many left. */
  take(bytes: number): boolean;
}

export function createRoom(bytes: number): Room {
  let left = bytes;
  return {
    take(wanted) {
      if (wanted > left) return false;
      left -= wanted;
      return true;
    },
  };
}
