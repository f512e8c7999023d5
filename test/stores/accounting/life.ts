/** The process has died: all its further calls fail. */
export class Death extends Error {
  override readonly name = "Death";
}

/** How long a process lives, in calls of its ports. */
export interface Life {
  /** Throws `Death` once it is over, and from then on always. */
  step(): void;
  isOver(): boolean;
  /** Sets the number left. */
  shorten(steps: number): void;
}

export function createLife(steps: number): Life {
  let left = steps;
  return {
    step() {
      if (left <= 0) throw new Death("the process has died");
      left -= 1;
    },
    isOver: () => left <= 0,
    shorten(steps) {
      left = steps;
    },
  };
}

/**
 * The port as a process with that life calls it: it may die before a call, or after the call has done its work and
 * before its caller has the result.
 */
export function mortal<Port extends object>(port: Port, life: Life): Port {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === "object" && value !== null) return mortal(value, life);
      if (typeof value !== "function") return value;
      return async (...given: unknown[]): Promise<unknown> => {
        life.step();
        const result: unknown = await Reflect.apply(value, target, given);
        // What has been opened would stay open: the process that should close it is dead, and this test reads the file.
        if (name !== "get") life.step();
        return result;
      };
    },
  });
}
