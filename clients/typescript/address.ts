/** A path of the service, which may itself be below a path of a proxy; what is a complete address stays that. */
export const addressAt = (server: string, path: string): URL =>
  new URL(path.startsWith("/") ? `${server}${path}` : path);
