/** A pack that cannot be used, and why: for the operator who chose it. */
export class PackError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PackError";
  }
}
