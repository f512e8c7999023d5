/**
 * Returns the URL of a path of the service, which may itself be below a path of a proxy; a complete address is returned
 * unchanged.
 */
export const addressAt = (server: string, path: string): URL =>
  new URL(path.startsWith("/") ? `${server}${path}` : path);
