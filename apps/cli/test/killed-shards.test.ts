import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { Folder, bundle } from './cloister.ts'

/** `CLOISTER_KILLS=20` makes the large form: 2,000 cells, eight workers. */
const kills = Number(process.env['CLOISTER_KILLS'] ?? 5)
const isLarge = kills > 5
const [cellCount, workers] = isLarge ? [2000, 8] : [60, 4]

it('workers that are killed at any moment lose no cell and add none', async () => {
  const folder = new Folder()
  const seed = Array.from({ length: cellCount / 2 }, (_, at) => at + 1)
  const cells = { trace: 'synth:4:30', topology: 'radix:6', policy: ['jigsaw', 'baseline'], bandwidth: 'classes', seed }
  folder.write('e.json', JSON.stringify({ cells: [{ ...cells, scenario: 'random' }] }))
  const draw = drawing(7)
  const started: Array<ChildProcess> = []
  onTestFinished(() => started.forEach((each) => each.kill('SIGKILL')))
  const start = (shard: number): ChildProcess => {
    const args = ['sweep', 'e.json', '--shard', `${shard + 1}/${workers}`, '--claim', '--lease', '2', '--workers', '1']
    const worker = spawn(process.execPath, [bundle, ...args], { cwd: folder.path, stdio: 'ignore' })
    started.push(worker)
    return worker
  }
  const running = Array.from({ length: workers }, (_, shard) => start(shard))
  for (let kill = 1; kill <= kills; kill++) {
    // The rest of the cells is for whoever finds what the killed have left.
    const enough = Math.floor((cellCount * 0.8 * kill) / kills - draw(cellCount / kills / 2))
    while (resultsIn(folder) < enough && running.some((each) => each.exitCode === null)) await sleep(20)
    // Once in the large form their host goes down, and with it all of them.
    const hit = isLarge && kill === kills / 2 ? running.map((_, shard) => shard) : [draw(workers)]
    for (const shard of hit) running[shard].kill('SIGKILL')
    await Promise.all(hit.map((shard) => ended(running[shard])))
    for (const shard of hit) running[shard] = start(shard)
  }
  await Promise.all(running.map(ended))

  const merged = await folder.cloister('sweep', 'merge', 'e.json')
  expect([merged.code, merged.stdout]).toEqual([
    0,
    `${cellCount.toLocaleString('en-US')} results in e.results.ndjson\n`,
  ])
  const lines = readFileSync(join(folder.path, 'e.results.ndjson'), 'utf8').trimEnd().split('\n')
  const ran = lines.map((line) => (JSON.parse(line) as { readonly cell: object }).cell)
  expect(new Set(ran.map((cell) => JSON.stringify(cell))).size).toBe(cellCount)

  const alone = folder.process('sweep', 'e.json', '--workers', '1', '--out', 'alone.ndjson')
  expect(alone.code).toBe(0)
  expect(readFileSync(join(folder.path, 'alone.ndjson'))).toEqual(readFileSync(join(folder.path, 'e.results.ndjson')))
  const claims = readdirSync(join(folder.path, 'e.sweep/claims'))
  const takenOver = claims.filter((name) => !name.endsWith('.1') && !name.startsWith('.')).length
  expect(takenOver).toBeGreaterThan(0)
  if (isLarge)
    console.log(
      `${cellCount} cells, ${workers} workers, ${started.length - workers} of ${started.length} processes killed, ${takenOver} cells taken over, ${resultsIn(folder) - cellCount} ran twice`,
    )
})

/** Whole lines of all workers. */
function resultsIn(folder: Folder): number {
  const path = join(folder.path, 'e.sweep/results')
  try {
    return readdirSync(path).reduce(
      (sum, name) => sum + readFileSync(join(path, name), 'utf8').split('\n').length - 1,
      0,
    )
  } catch {
    return 0
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** The same draws at every run: from 0, below a bound. */
function drawing(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
