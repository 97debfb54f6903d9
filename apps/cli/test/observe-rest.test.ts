import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { complaint, Folder } from './cloister.ts'

/** Returns a recorded answer of slurmrestd 22.05, with all times moved close to the present. */
const recorded = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../packages/slurm/test/slurmrestd', name), 'utf8').replaceAll(
    /17953\d{5}/g,
    (time) => String(Math.floor(Date.now() / 1000) - 1000 + Number(time) - 1_795_380_000),
  )

interface Reply {
  readonly status?: number
  readonly body?: string
  readonly headers?: Record<string, string>
}

type Replies = (path: string, asked: IncomingMessage, at: number) => Reply

const openapi = (versions: ReadonlyArray<number>): string =>
  JSON.stringify({
    paths: Object.fromEntries(
      versions.flatMap((version) =>
        ['slurm', 'slurmdb'].flatMap((part) =>
          ['jobs', 'nodes/', 'job/{job_id}'].map((what) => [`/${part}/v0.0.${version}/${what}`, {}]),
        ),
      ),
    ),
  })

/** Returns the answers of slurmrestd for a cluster without jobs. */
const calm: Replies = (path) => {
  if (path === '/openapi/v3') return { body: openapi([36, 38, 37, 99]) }
  if (path === '/slurm/v0.0.38/jobs') return { body: recorded('jobs.json') }
  if (path === '/slurm/v0.0.38/nodes/') return { body: recorded('nodes.json') }
  if (path.startsWith('/slurmdb/v0.0.38/jobs?start_time=uts')) return { body: recorded('accounting.json') }
  return { status: 404, body: 'Unable find requested URL.' }
}

/** Starts an HTTP server in the role of slurmrestd, and collects the requests to the server. */
async function serving(replies: Replies, at?: string) {
  const asked: Array<IncomingMessage> = []
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    asked.push(request)
    const reply = replies(request.url!, request, asked.length - 1)
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
    response.end(reply.body ?? '')
  })
  await new Promise<void>((resolve) => {
    if (at === undefined) server.listen(0, '127.0.0.1', resolve)
    else server.listen(at, resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address() as AddressInfo | string
  return { asked, url: typeof address === 'string' ? `unix:${address}` : `http://127.0.0.1:${address.port}` }
}

const looking = ['observe', 'slurm', '--topology', 'radix:4', '--out', 'live.ndjson', '--interval', '0.1'] as const
const observe = (folder: Folder, url: string, ...more: ReadonlyArray<string>) =>
  folder.cloister(...looking, '--polls', '1', '--rest', url, ...more)

const secret = 'eyJhbGciOiJIUzI1NiJ9.a-secret.of-its-user'

describe('observe slurm --rest', () => {
  it('observe --rest writes the same log as observe without --rest, and uses the latest known version of the API', async () => {
    const folder = new Folder()
    const { asked, url } = await serving(calm)
    folder.write('token', `SLURM_JWT=${secret}\n`)
    const answer = await observe(
      folder,
      url,
      '--rest-token-file',
      'token',
      '--rest-user',
      'ann',
      '--shadow',
      'baseline',
    )
    expect(answer).toMatchObject({ code: 0 })
    const log = readFileSync(join(folder.path, 'live.ndjson'), 'utf8')
    // The tasks of the job array that slurmrestd left out could not start yet.
    expect(answer.stderr).toBe(
      'slurmrestd reported only the first waiting tasks of the job array 3; SLURM_BITSTR_LEN=0 in the environment of slurmrestd makes it report all\n',
    )
    const records = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type !== 'seal' && type !== 'header')
    expect(records.map(({ type, job, nodes }) => [type, job ?? '', nodes ?? ''].join(' ').trim())).toEqual([
      'submit 20',
      'submit 22',
      'submit 23',
      'allocate 20 0-3',
      'down  13,15',
    ])
    expect(asked.map(({ url: path }) => path)).toEqual(['/openapi/v3', '/slurm/v0.0.38/jobs', '/slurm/v0.0.38/nodes/'])
    for (const { headers } of asked)
      expect(headers).toMatchObject({
        connection: 'keep-alive',
        'x-slurm-user-token': secret,
        'x-slurm-user-name': 'ann',
      })
    expect(`${answer.stdout}${answer.stderr}${log}`).not.toContain(secret)
  })

  it('observe --rest works over a Unix socket without a token, and queries slurmdbd about forgotten jobs', async () => {
    const folder = new Folder()
    const { asked, url } = await serving(calm, join(folder.path, 'restd.sock'))
    const gone = recorded('jobs.json').replace(/"job_id": 20,/, '"job_id": 21,')
    let forgets = false
    const other = await serving((path, ...more) =>
      forgets && path.endsWith('/jobs') ? { body: gone } : calm(path, ...more),
    )
    expect(await observe(folder, url, '--partition', 'all')).toMatchObject({ code: 0 })
    expect(asked[1].headers).not.toHaveProperty('x-slurm-user-name')
    forgets = true
    expect(await observe(folder, other.url)).toMatchObject({ code: 0 })
    expect(other.asked.map(({ url: path }) => path!.replace(/\d{6,}/, 'N'))).toContain(
      '/slurmdb/v0.0.38/jobs?start_time=utsN',
    )
  })

  it('observe --rest prints the reason of a permanent failure, and never the token', async () => {
    const wrong = async (replies: Replies, ...more: ReadonlyArray<string>): Promise<string> => {
      const folder = new Folder()
      folder.write('token', secret)
      const { url } = await serving(replies)
      const said = complaint(await observe(folder, url, ...more))
      expect(said).not.toContain(secret)
      return said
    }
    const status =
      (code: number, headers = {}): Replies =>
      () => ({ status: code, headers, body: 'no' })
    expect(await wrong(status(401))).toContain(
      'the server refuses a request without a token (--rest-token-file): HTTP 401',
    )
    expect(await wrong(status(403), '--rest-token-file', 'token')).toContain(
      'the server refuses the token, or the user of the token',
    )
    expect(await wrong(status(302, { location: 'http://elsewhere/' }))).toContain(
      'a redirect to http://elsewhere/, and redirects are not followed',
    )
    expect(await wrong(status(404))).toContain(
      'the answer to /openapi/v3 is HTTP 404; the server may not be slurmrestd',
    )
    expect(await wrong(() => ({ body: '<html>' }))).toContain('is no JSON; the server may not be slurmrestd')
    expect(await wrong(() => ({ body: '{}' }))).toContain('found none for jobs and nodes, expected one of v0.0.37 to')
    expect(await wrong(() => ({ body: openapi([36, 99]) }))).toContain('found v0.0.36, v0.0.99, expected one of')
    expect(
      await wrong((path, ...more) => (path.endsWith('/jobs') ? { body: '{"jobs":[{}]}' } : calm(path, ...more))),
    ).toContain("slurmrestd's jobs, line 1, field job_state: found nothing")
    const folder = new Folder()
    const given = async (url: string, ...more: ReadonlyArray<string>): Promise<string> =>
      complaint(await observe(folder, url, ...more))
    folder.write('empty', '\n')
    folder.write('words', `${secret} and more`)
    expect(await given('host:6820')).toContain('--rest: found host:6820, expected http://host:port or unix:/path')
    expect(await given('http://ann:secret@host:1')).toContain('found an address with a user, a query or a fragment')
    expect(await given('http://127.0.0.1:1', '--rest-token-file', 'empty')).toContain('empty holds no token')
    expect(await given('http://127.0.0.1:1', '--rest-token-file', 'words')).toContain('words holds no token')
    expect(await given('http://127.0.0.1:1', '--rest-token-file', 'none')).toContain('none: there is no such file')
    expect(
      complaint(await folder.cloister('observe', 'slurm', '--topology', 'radix:4', '--out', 'a', '--rest-user', 'ann')),
    ).toContain('--rest-user: needs --rest')
  })

  it('observe --rest repeats queries to a server that is away, and prints remarks', async () => {
    const folder = new Folder()
    const fault: Reply = {
      status: 500,
      body: '{"errors":[{"description":"Failed while looking for jobs","error":"Unspecified error"}]}',
    }
    let at = 0
    const { url } = await serving((path, ...more) =>
      path.endsWith('/jobs') && at++ === 1 ? fault : calm(path, ...more),
    )
    const answer = await folder.cloister(...looking, '--polls', '2', '--rest', url)
    expect(answer).toMatchObject({ code: 0 })
    expect(answer.stderr).toContain(
      `slurmrestd at ${url}: HTTP 500: Failed while looking for jobs, Unspecified error (the controller does not answer); the query is repeated until Slurm answers`,
    )
    expect(answer.stderr).toContain('Slurm answers again')
  })
})
