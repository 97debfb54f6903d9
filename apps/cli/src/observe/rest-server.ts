import { OptionError } from '@cloister/run'
import type { HttpServer } from '../node/http-get.ts'

/** Parses the value of `--rest`: `http://host:port`, `https://…` or `unix:/path`. @throws OptionError */
export function restServer(text: string): HttpServer {
  const [, socketPath] = /^unix:(?:\/\/)?(\/.+)$/.exec(text) ?? []
  if (socketPath !== undefined) return { socketPath }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new OptionError({ option: 'rest', reason: `found ${text}, expected http://host:port or unix:/path` })
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new OptionError({
      option: 'rest',
      reason:
        'found an address with a user, a query or a fragment, expected http://host:port; --rest-token-file takes the token',
    })
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? undefined : Number(url.port),
    path: url.pathname.replace(/\/+$/, ''),
  }
}

/**
 * Returns the token for slurmrestd from the text of a file. The text is the token, or the output of `scontrol token`.
 * The error message never contains the token. @throws OptionError
 */
export function tokenIn(text: string, file: string): string {
  const token = text.trim().replace(/^SLURM_JWT=/, '')
  if (/^[\x21-\x7e]{1,65536}$/.test(token)) return token
  throw new OptionError({
    option: 'rest-token-file',
    reason: `${file} holds no token, expected the output of scontrol token`,
  })
}
