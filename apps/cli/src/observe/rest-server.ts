import { OptionError } from '@cloister/run'
import type { HttpServer } from '../node/http-get.ts'

/** Parses the address of a server: `http://host:port`, `https://…` or `unix:/path`. @throws OptionError */
export function restServer(text: string): HttpServer {
  const [, socketPath] = /^unix:(?:\/\/)?(\/.+)$/.exec(text) ?? []
  if (socketPath !== undefined) return { socketPath }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new OptionError({ option: 'rest', reason: `found ${text}, expected http://host:port or unix:/path` })
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new OptionError({
      option: 'rest',
      reason: 'found more than an address: expected http://host:port, and the token in a file (--rest-token-file)',
    })
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? undefined : Number(url.port),
    path: url.pathname.replace(/\/+$/, ''),
  }
}

/**
 * Returns the token of a file, in plain form or in the form of `scontrol token`. The error message does not contain the
 * token.
 *
 * @throws OptionError
 */
export function tokenIn(text: string, file: string): string {
  const token = text.trim().replace(/^SLURM_JWT=/, '')
  if (/^[\x21-\x7e]{1,65536}$/.test(token)) return token
  throw new OptionError({
    option: 'rest-token-file',
    reason: `${file} holds no token: expected what scontrol token prints`,
  })
}
