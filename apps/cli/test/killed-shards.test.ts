import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Folder } from './cloister.ts'
import { attemptsIn, resultsIn, sweepUnderKills, writeCells } from './killed-workers.ts'

/** Number of kills in the test. `CLOISTER_KILLS=20` selects the large form of the test: 2,000 cells, eight workers. */
const kills = Number(process.env['CLOISTER_KILLS'] ?? 5)
const isLarge = kills > 5
const [cells, workers] = isLarge ? [2000, 8] : [60, 4]

it('a sweep over shards has the result of each cell exactly once although workers are killed at any moment', async () => {
  const folder = new Folder()
  writeCells(folder, cells)
  const started = await sweepUnderKills(folder, {
    cells,
    workers,
    kills,
    options: (worker) => ['--shard', `${worker}/${workers}`, '--claim'],
    // In the large form one kill hits all workers at once, as if the host went down.
    ...(isLarge ? { ofAll: kills / 2 } : {}),
  })

  const merged = await folder.cloister('sweep', 'merge', 'e.json')
  expect([merged.code, merged.stdout]).toEqual([0, `${cells.toLocaleString('en-US')} results in e.results.ndjson\n`])
  const lines = readFileSync(join(folder.path, 'e.results.ndjson'), 'utf8').trimEnd().split('\n')
  const ran = lines.map((line) => (JSON.parse(line) as { readonly cell: object }).cell)
  expect(new Set(ran.map((cell) => JSON.stringify(cell))).size).toBe(cells)

  const alone = folder.process('sweep', 'e.json', '--workers', '1', '--out', 'alone.ndjson')
  expect(alone.code).toBe(0)
  expect(readFileSync(join(folder.path, 'alone.ndjson'))).toEqual(readFileSync(join(folder.path, 'e.results.ndjson')))
  // Few kills may all hit workers that are starting and run no cell. shards.test.ts takes over a cell in any case.
  if (isLarge) {
    const takenOver = attemptsIn(folder).filter((attempt) => attempt > 1).length
    expect(takenOver).toBeGreaterThan(0)
    console.log(
      `${cells} cells, ${workers} workers, ${started - workers} of ${started} processes killed, ${takenOver} cells taken over, ${resultsIn(folder) - cells} ran twice`,
    )
  }
})
