import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileSystem } from '@cloister/run/node'
import { parseTopology } from '@cloister/topology'
import { Effect } from 'effect'
import { expect, it, onTestFinished } from 'vitest'
import { restSource } from '../src/index.ts'

type Reply = { readonly status?: number; readonly body: string } | 'silent'

/** Starts an HTTP server in the role of slurmrestd, and collects the paths of the requests. */
async function serving(reply: (path: string) => Reply) {
  const asked: Array<string> = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const given = reply(url)
    if (given !== 'silent') response.writeHead(given.status ?? 200).end(given.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const paths = (version: number): ReadonlyArray<string> => [
  `/slurm/v0.0.${version}/jobs`,
  `/slurm/v0.0.${version}/nodes/`,
  `/slurmdb/v0.0.${version}/jobs`,
]
const openapi = (version: number): Reply => ({
  body: JSON.stringify({ paths: Object.fromEntries(paths(version).map((path) => [path, {}])) }),
})

/** Returns a recorded answer of slurmrestd 22.05. */
const recorded = (name: string): Reply => ({
  body: readFileSync(join(import.meta.dirname, '../../slurm/test/slurmrestd', name), 'utf8'),
})

const topology = parseTopology('radix:4')
const sourceAt = (address: string, partitions: ReadonlyArray<string>) =>
  Effect.runPromise(restSource({ address, timeoutMs: 200 }, topology, partitions).pipe(Effect.provide(fileSystem)))

it('restSource takes the same labels of jobs from slurmdbd as sacct gives, for the observed partitions', async () => {
  const { address } = await serving((path) => (path === '/openapi/v3' ? openapi(38) : recorded('accounting.json')))
  const rowsOf = async (partitions: ReadonlyArray<string>) =>
    Effect.runPromise((await sourceAt(address, partitions)).accounting(60))
  const labels = { user: 'ann', account: 'physics', queue: 'all' }
  const task = (array: string) => ({ ...labels, array, arrayTask: 1 })
  const byId: Record<string, object> = { '16_1': task('16'), '21_1': task('21') }
  const rows = await rowsOf(['all'])
  expect(rows.map((row) => row.labels)).toStrictEqual(rows.map(({ jobId }) => byId[jobId] ?? labels))
  expect(rows).toHaveLength(6)
  expect(await rowsOf(['al'])).toEqual([])
})

it('restSource counts a failure after the first valid answer as temporary, and finds a new API version afterwards', async () => {
  let version = 38
  let jobs: Reply = 'silent'
  const { asked, address } = await serving((path) => {
    if (path === '/openapi/v3') return openapi(version)
    return path === '/slurm/v0.0.38/nodes/' ? recorded('nodes.json') : jobs
  })
  const source = await sourceAt(address, [])
  const fails = () => Effect.runPromise(Effect.flip(source.look))
  expect(await fails()).toMatchObject({ reason: 'no answer within 0.2 s', mayPass: true })
  jobs = { body: '{"errors":[{"error":"Zero Bytes were transmitted or received"}],"jobs":[]}' }
  expect(await fails()).toMatchObject({ reason: 'Zero Bytes were transmitted or received', mayPass: true })
  // After a first valid answer, a refusal counts as temporary, because the token may just be renewed.
  jobs = { status: 401, body: '' }
  expect(await fails()).toMatchObject({ mayPass: true })
  version = 37
  jobs = { body: '{"jobs":[],"nodes":[]}' }
  expect(await Effect.runPromise(source.look)).toMatchObject({ rows: [] })
  expect(asked.at(-1)).toBe('/slurm/v0.0.37/nodes/')
})
