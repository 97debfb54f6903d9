/** Names of the loopback interface in addresses of the page. A tunnel may change the port, but not the name. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Returns the reason to refuse a request, or undefined to accept the request. A foreign page may resolve its own name
 * to loopback, and would read the answers.
 *
 * @param target text between method and version: a path, or a whole address
 * @param host the Host header
 */
export function hostDefect(
  target: string,
  host: string | undefined,
): { readonly status: 400 | 403; readonly message: string } | undefined {
  const asked = target.startsWith('/') ? `http://${host ?? ''}` : target
  if (!URL.canParse(asked)) return { status: 400, message: 'This is no address.' }
  const { protocol, hostname } = new URL(asked)
  if (protocol === 'http:' && LOOPBACK.has(hostname)) return undefined
  return { status: 403, message: 'This server answers to 127.0.0.1 and localhost alone.' }
}
