import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PostgresServer, whatPostgresLacks } from '@cloister/postgres-server'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bundle, complaint, Folder } from './cloister.ts'
import { resultsIn, saidByWorkers, sweepUnderKills, writeCells } from './killed-workers.ts'

/** Number of kills in the test. `CLOISTER_KILLS=20` selects the large form of the test: 2,000 cells, eight workers. */
const kills = Number(process.env['CLOISTER_KILLS'] ?? 8)
const isLarge = kills > 8
const [cells, workers] = isLarge ? [2000, 8] : [120, 4]

const lacks = whatPostgresLacks()
if (lacks !== undefined) console.warn(`no sweep by way of Postgres here: ${lacks}`)

/** Returns a folder with @cloister/sweep-postgres, as npm installs the package. */
function withAdapter(): Folder {
  const folder = new Folder()
  mkdirSync(join(folder.path, 'node_modules/@cloister'), { recursive: true })
  symlinkSync(
    resolve(import.meta.dirname, '../../sweep-postgres'),
    join(folder.path, 'node_modules/@cloister/sweep-postgres'),
  )
  return folder
}

/** Policy that writes a file `PID.runs`, and places jobs after the file `go` is there. */
const waits = `import { existsSync, writeFileSync } from 'node:fs'
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
const claims = { links: 'shared', fullBandwidth: false, exactSize: true, monotone: false, complete: false, speedupScenarios: false }
export default {
  contract: 1,
  name: 'waits',
  version: '1.0.0',
  config: { '~standard': { version: 1, vendor: 'waits', validate: (value) => ({ value }) } },
  make: (topology) => ({
    claims,
    place: (state, request) => {
      writeFileSync(process.pid + '.runs', '')
      while (!existsSync('go')) pause()
      const free = Array.from({ length: topology.nodes }, (_, node) => node).filter((node) => state.isNodeFree(node))
      if (request.nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
      if (free.length < request.nodes) return { ok: false, code: 'too-few-nodes', free: free.length }
      return { ok: true, nodes: free.slice(0, request.nodes), links: [] }
    },
  }),
}
`

const read = (folder: Folder, name: string): string => readFileSync(join(folder.path, name), 'utf8')

describe.skipIf(lacks !== undefined)('a sweep through Postgres', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.stop())

  it('sweep --postgres has the result of each cell exactly once although workers are killed at any moment', async () => {
    const folder = withAdapter()
    writeCells(folder, cells)
    const { url, env } = server.withoutPassword
    const started = await sweepUnderKills(folder, {
      cells,
      workers,
      kills,
      options: () => ['--postgres', url],
      env,
      ...(isLarge ? { ofAll: kills / 2 } : {}),
    })
    // A cell is given up if its worker is killed, or stands still for longer than the lease, five times. A retry
    // answers the cell. No cell fails for another reason.
    const { reasons, ...counts } = (await folder.json('sweep', 'status', 'e.json', '--lease', '0.1')) as {
      readonly reasons: ReadonlyArray<{ readonly reason: string }>
    }
    expect(counts, saidByWorkers(folder)).toMatchObject({ cells, running: 0, stale: 0, waiting: 0 })
    expect(reasons.filter(({ reason }) => !reason.startsWith('5 workers that ran it ended'))).toEqual([])
    expect((await folder.cloister('sweep', 'e.json', '--postgres', server.url, '--retry')).code).toBe(0)
    expect(await folder.json('sweep', 'status', 'e.json')).toMatchObject({ cells, done: cells, stale: 0, failed: 0 })
    const merged = await folder.cloister('sweep', 'merge', 'e.json')
    expect([merged.code, merged.stdout]).toEqual([0, `${cells.toLocaleString('en-US')} results in e.results.ndjson\n`])
    expect(folder.process('sweep', 'e.json', '--workers', '1', '--out', 'alone.ndjson').code).toBe(0)
    const ofOneMachine = read(folder, 'alone.ndjson')
    expect(new Set(ofOneMachine.trimEnd().split('\n')).size).toBe(cells)
    expect(read(folder, 'e.results.ndjson') === ofOneMachine).toBe(true)
    if (isLarge)
      console.log(
        `${cells} cells, ${workers} workers, ${started - workers} of ${started} processes killed, ${resultsIn(folder) - cells} ran twice`,
      )
  })

  it('sweep --postgres loses no cell and adds none when a worker stands still for longer than its lease', async () => {
    const folder = withAdapter()
    folder.write('waits.mjs', waits)
    folder.write(
      'e.json',
      JSON.stringify({ cells: [{ trace: 'synth:4:30', topology: 'radix:6', policy: './waits.mjs' }] }),
    )
    const start = async (): Promise<ChildProcess> => {
      const args = [bundle, 'sweep', 'e.json', '--postgres', server.url, '--workers', '1', '--lease', '2']
      const worker = spawn(process.execPath, args, { cwd: folder.path, stdio: 'ignore' })
      onTestFinished(() => void worker.kill('SIGKILL'))
      await vi.waitUntil(() => existsSync(join(folder.path, `${worker.pid}.runs`)), { timeout: 300_000 })
      return worker
    }
    const still = await start()
    still.kill('SIGSTOP')
    // The second worker gets the only cell after the end of the first worker's lease.
    const other = await start()
    const ended = [still, other].map((worker) => once(worker, 'exit'))
    folder.write('go', '')
    expect(await ended[1]).toEqual([0, null])
    still.kill('SIGCONT')
    expect(await ended[0]).toEqual([0, null])
    expect(resultsIn(folder)).toBe(2)
    expect(await folder.json('sweep', 'status', 'e.json')).toMatchObject({ cells: 1, done: 1, stale: 0, failed: 0 })
    expect((await folder.cloister('sweep', 'merge', 'e.json')).stdout).toBe('1 results in e.results.ndjson\n')
    expect(folder.process('sweep', 'e.json', '--workers', '1', '--out', 'alone.ndjson').code).toBe(0)
    expect(read(folder, 'e.results.ndjson')).toBe(read(folder, 'alone.ndjson'))
  })

  const few = {
    trace: 'synth:4:30',
    topology: 'radix:6',
    policy: ['jigsaw', 'baseline'],
    seed: [1, 2],
    bandwidth: 'classes',
  }
  const sweep = (folder: Folder, ...args: ReadonlyArray<string>) =>
    folder.cloister('sweep', 'e.json', '--postgres', server.url, '--workers', '2', '--lease', '2', ...args)

  it('sweep --postgres merges to the same file as a sweep in one process, and runs failed cells with --retry', async () => {
    const folder = withAdapter()
    const late = { trace: 'late.swf', topology: 'radix:6', policy: 'baseline' }
    folder.write('e.json', JSON.stringify({ cells: [few, late] }))
    const first = await sweep(folder)
    expect([first.code, first.stdout]).toEqual([
      3,
      expect.stringContaining('worker: 4 cells run, 1 failed, in e.sweep'),
    ])
    const again = await sweep(folder)
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('worker: 0 cells run, in')])
    folder.write('late.swf', '1 0 -1 100 -1 -1 -1 4 50 -1 1 -1 -1 -1 -1 -1 -1 -1\n')
    const retried = await sweep(folder, '--retry')
    expect([retried.code, retried.stdout]).toEqual([0, expect.stringContaining('worker: 1 cells run, in')])
    expect((await folder.cloister('sweep', 'merge', 'e.json')).code).toBe(0)
    await folder.cloister('sweep', 'e.json', '--out', 'alone.ndjson', '--workers', '1')
    expect(read(folder, 'e.results.ndjson')).toBe(read(folder, 'alone.ndjson'))
  })

  it('sweep --postgres can be shared by hosts with separate folders, whose results are merged after copying', async () => {
    const [here, there] = [withAdapter(), withAdapter()]
    const experiment = JSON.stringify({ cells: [{ ...few, seed: [11, 12] }] })
    for (const folder of [here, there]) folder.write('e.json', experiment)
    expect((await sweep(here)).code).toBe(0)
    const other = await sweep(there)
    expect(other.stdout).toContain('worker: 0 cells run')
    expect(other.stderr).toContain('4 cells have results of workers with another folder than e.sweep')
    cpSync(join(here.path, 'e.sweep'), join(there.path, 'e.sweep'), { recursive: true })
    expect((await there.cloister('sweep', 'merge', 'e.json')).stdout).toContain('4 results')
    expect((await sweep(there)).stderr).toBe('')
  })

  it('sweep --postgres does not repeat a cell whose worker was killed between result and answer to the queue', async () => {
    const folder = withAdapter()
    folder.write('e.json', JSON.stringify({ cells: [{ ...few, policy: 'baseline', seed: 21 }] }))
    await sweep(folder)
    server.execute(
      `UPDATE cloister_cells SET state = 'pending', acquired_at = now() - interval '1 day', acquired_by = gen_random_uuid() WHERE sequence = (SELECT max(sequence) FROM cloister_cells)`,
    )
    expect((await sweep(folder)).stdout).toContain('worker: 0 cells run')
    expect(server.execute(`SELECT count(*) FROM cloister_cells WHERE state = 'pending'`)).toBe('0\n')
    expect(resultsIn(folder)).toBe(1)
  })

  it('sweep --postgres gives up a cell at which five workers ended, until --retry', async () => {
    const folder = withAdapter()
    folder.write('e.json', JSON.stringify({ cells: [{ ...few, policy: 'baseline', seed: 31 }] }))
    await sweep(folder)
    rmSync(join(folder.path, 'e.sweep'), { recursive: true })
    server.execute(
      `UPDATE cloister_cells SET state = 'pending', attempts = 5, acquired_at = now() - interval '1 day', acquired_by = gen_random_uuid() WHERE sequence = (SELECT max(sequence) FROM cloister_cells)`,
    )
    const hopeless = await sweep(folder)
    expect([hopeless.code, hopeless.stderr]).toEqual([
      3,
      expect.stringContaining('5 workers ended while running the cell'),
    ])
    expect(await folder.json('sweep', 'status', 'e.json')).toMatchObject({ cells: 1, failed: 1 })
    expect((await sweep(folder, '--retry')).stdout).toContain('worker: 1 cells run, in')
    expect(await folder.json('sweep', 'status', 'e.json')).toMatchObject({ done: 1, failed: 0 })
  })

  it('sweep --postgres reports a missing package, an unreachable database, and options that exclude each other', async () => {
    const folder = new Folder()
    folder.write('e.json', JSON.stringify({ cells: [few] }))
    expect(complaint(await sweep(folder))).toContain('--postgres needs @cloister/sweep-postgres')
    const equipped = withAdapter()
    equipped.write('e.json', JSON.stringify({ cells: [few] }))
    const at = async (...args: ReadonlyArray<string>): Promise<string> =>
      complaint(await equipped.cloister('sweep', 'e.json', '--postgres', ...args))
    expect(await at('postgres://a@127.0.0.1:1/b')).toMatch(/^cloister: --postgres: .*ECONNREFUSED/m)
    expect(await at(server.withoutPassword.url)).toMatch(/^cloister: --postgres: .*password/im)
    expect(await at(server.url, '--claim')).toContain('--postgres and --claim exclude each other')
    expect(await at(server.url, '--force')).toContain('exclude each other')
  })
})
