/** A browser's handling of addresses and cookies, without pages. */
export interface TestBrowser {
  /** Goes to the address, and on where answers lead, as long as `stops` does not say that it is enough. */
  go(address: string, stops?: (address: string) => boolean): Promise<Landing>;
  /** The value of a cookie that it has for the address. */
  cookies(address: string): string;
  /** Forgets what it has for a host. */
  forget(address: string): void;
}

export interface Landing {
  /** Where it is in the end. */
  readonly address: string;
  /** Undefined if it was not requested. */
  readonly response: Response | undefined;
}

const maxRedirects = 20;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  readonly path: string;
}

/** Every cookie is for one host and port, unlike those of real browsers, which are for all ports of a host. */
export function openBrowser(): TestBrowser {
  let jar: readonly Cookie[] = [];

  function keep(line: string, from: URL): void {
    const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
    const at = pair.indexOf("=");
    const said = new Map(
      attributes.map((part) => [part.split("=", 1)[0]?.toLowerCase(), part.slice(part.indexOf("=") + 1)]),
    );
    const cookie = {
      name: pair.slice(0, at),
      value: pair.slice(at + 1),
      host: from.host,
      path: said.get("path") ?? "/",
    };
    jar = jar.filter(({ name, host, path }) => name !== cookie.name || host !== cookie.host || path !== cookie.path);
    const expires = said.get("expires");
    if (expires === undefined || Date.parse(expires) > Date.now()) jar = [...jar, cookie];
  }

  function cookies(address: string): string {
    const { host, pathname } = new URL(address);
    const isFor = (path: string): boolean =>
      pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
    return jar
      .filter((cookie) => cookie.host === host && isFor(cookie.path))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  return {
    cookies,
    forget(address) {
      jar = jar.filter(({ host }) => host !== new URL(address).host);
    },
    async go(address, stops = () => false) {
      let now = address;
      for (let count = 0; count < maxRedirects; count++) {
        if (stops(now)) return { address: now, response: undefined };
        const response = await fetch(now, {
          redirect: "manual",
          headers: { cookie: cookies(now), "user-agent": "a test" },
        });
        for (const line of response.headers.getSetCookie()) keep(line, new URL(now));
        const location = response.headers.get("location");
        if (location === null) return { address: now, response };
        await response.body?.cancel();
        now = new URL(location, now).href;
      }
      throw new Error(`more than ${maxRedirects} redirects`);
    },
  };
}
