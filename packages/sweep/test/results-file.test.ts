import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunSpec } from '@cloister/run'
import { createFile } from '@cloister/run/node'
import { type CellResult, ResultsFile, timesPath } from '../src/index.ts'

function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'cloister-sweep-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

it('ResultsFile leaves no file open if the file of times cannot be written', () => {
  const path = join(newFolder(), 'results.ndjson')
  mkdirSync(timesPath(path))
  const open = () => readdirSync('/dev/fd').length
  const before = open()
  expect(() => new ResultsFile(path, { anew: false })).toThrow('EISDIR')
  expect(open()).toBe(before)
})

describe('a file of results of a sweep', () => {
  const cells = [1, 2, 3, 4, 5].map((seed): RunSpec => ({
    trace: 'synth:4',
    topology: 'radix:6',
    policy: 'baseline',
    seed,
  }))
  const times = { seconds: 1, microsecondsPerJob: 2 }
  const resultOf = (cell: RunSpec, fields: Partial<CellResult> = {}): CellResult =>
    ({
      cell,
      program: 'p@1',
      policy: 'baseline@1',
      audit: null,
      metrics: {},
      instantaneousPercents: [],
      ...fields,
    }) as never
  const read = (path: string): ReadonlyArray<string> => readFileSync(path, 'utf8').trimEnd().split('\n')
  const seeds = (path: string): ReadonlyArray<unknown> =>
    read(path).map((line) => (JSON.parse(line) as CellResult).cell.seed)
  const newPath = (): string => join(newFolder(), 'results.ndjson')

  it('a file of results is in the order of the cells, in whatever order runs end and whenever the process is killed', () => {
    const [straight, folder] = [newPath(), newFolder()]
    const ordered = new ResultsFile(straight, { anew: true, cells })
    for (const cell of cells) ordered.add(resultOf(cell), times)
    ordered.finish(createFile)
    const orders = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 })
    let count = 0
    fc.assert(
      fc.property(orders, fc.nat(5), (order, kill) => {
        const path = join(folder, `${count++}.ndjson`)
        for (const part of [order.slice(0, kill), order.slice(kill)]) {
          const file = new ResultsFile(path, { anew: false, cells })
          for (const at of part) file.add(resultOf(cells[at]), times)
          // A process that is killed in the first part does not sort the lines.
          if (part.length === 5 - kill) file.finish(createFile)
          else file.close()
        }
        expect(readFileSync(path)).toEqual(readFileSync(straight))
        expect(readFileSync(timesPath(path))).toEqual(readFileSync(timesPath(straight)))
      }),
      { numRuns: 40 },
    )
  })

  it('a file of results keeps results of older versions and of other cells before the results of the experiment', () => {
    const path = newPath()
    const [first, second, third, other] = cells
    const file = new ResultsFile(path, { anew: true, cells: [first, second, third] })
    file.add(resultOf(third), times)
    file.add(resultOf(first, { program: 'p@0' }), times)
    file.add(resultOf(other), times)
    file.add(resultOf(first), times)
    file.add(resultOf(first), { seconds: 5, microsecondsPerJob: 6 })
    file.finish(createFile)
    expect(seeds(path)).toEqual([1, 4, 1, 3])
    expect(read(path)[0]).toContain('p@0')
    expect(read(timesPath(path))).toHaveLength(4)
    const again = new ResultsFile(path, { anew: false, cells })
    expect(again.get(JSON.stringify(first))).toMatchObject({ program: 'p@1', seconds: 5 })
    again.close()
  })

  it('a pipe as a file of results also gets the lines in the order of the cells', async () => {
    const path = newPath()
    execFileSync('mkfifo', [path])
    const reader = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'inherit'] })
    const got = text(reader.stdout)
    const file = new ResultsFile(path, { anew: true, cells })
    for (const at of [2, 4, 0]) file.add(resultOf(cells[at]), times)
    file.skip(cells[1])
    file.add(resultOf(cells[3]), times)
    file.finish(createFile)
    await once(reader, 'exit')
    expect(
      (await got)
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as CellResult).cell.seed),
    ).toEqual([1, 3, 4, 5])
  })
})
