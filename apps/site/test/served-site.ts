import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
}

export interface ServedSite {
  readonly url: string
  /** Paths of all requests to the server so far. */
  readonly asked: ReadonlyArray<string>
  readonly server: Server
}

/** Serves a folder under a path on loopback, with compression, like a server of static sites. */
export async function serve(folder: string): Promise<ServedSite> {
  const path = '/some/where/'
  const asked: Array<string> = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const wanted = join(folder, decodeURIComponent(pathname.slice(path.length)))
    const file = existsSync(wanted) && statSync(wanted).isDirectory() ? join(wanted, 'index.html') : wanted
    if (!pathname.startsWith(path) || !existsSync(file)) return void response.writeHead(404).end()
    const type = types[extname(file)] ?? 'application/octet-stream'
    const isText = type !== 'image/png'
    response.writeHead(200, { 'content-type': type, ...(isText && { 'content-encoding': 'gzip' }) })
    response.end(isText ? gzipSync(readFileSync(file)) : readFileSync(file))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, asked, server }
}
