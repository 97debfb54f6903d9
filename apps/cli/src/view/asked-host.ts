/** The names of loopback by which a page can be asked for, also through a tunnel from another port. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Why a request is refused whatever it asks: a page of somebody else's may have a name of its own that leads to loopback,
 * and would read the answers.
 *
 * @param target what stands between method and version: a path, or a whole address
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
