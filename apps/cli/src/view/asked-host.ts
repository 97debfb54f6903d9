/** Host names under which the viewer's server answers. Any port is right, because a tunnel may change the port. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Returns the reason to refuse a request to the viewer's server, or undefined to accept the request. Without this check
 * a foreign page could resolve its own host name to loopback, and read the answers.
 * @param target target of the request line: a path, or a whole address
 * @param host value of the Host header
 */
export function hostDefect(
  target: string,
  host: string | undefined,
): { readonly status: 400 | 403; readonly message: string } | undefined {
  const asked = target.startsWith('/') ? `http://${host ?? ''}` : target
  if (!URL.canParse(asked)) return { status: 400, message: 'The target of the request is no valid address.' }
  const { protocol, hostname } = new URL(asked)
  if (protocol === 'http:' && LOOPBACK.has(hostname)) return undefined
  return { status: 403, message: 'This server answers only requests to 127.0.0.1 and localhost.' }
}
