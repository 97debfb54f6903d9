import { type AnyPolicy, prepare } from '@cloister/run'
import { nodeServices } from '@cloister/run/node'
import { Effect } from 'effect'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SweepProgress } from '../src/commands/sweep/experiment.ts'
import { RepeatedReading } from '../src/log/log-reading.ts'
import { simulateCandidates } from '../src/run/calibration.ts'
import { Json } from '../src/terminal/output.ts'
import { makeProgress, Progress } from '../src/terminal/progress.ts'
import { Terminal } from '../src/terminal/terminal.ts'
import { Folder } from './cloister.ts'

/** Progress by a clock that the test moves, and the lines that the progress shows. */
function watched(isWatched = true, columns = 80) {
  const lines: Array<string> = []
  const showStatus = (line: string): void => {
    lines.push(line)
  }
  const terminal = { write: () => {}, isOutput: () => false, isWatched, columns, showStatus }
  const clock = { ms: 0 }
  return { lines, terminal, clock, progress: new Progress(terminal, () => clock.ms) }
}

it('Progress shows share, rate and time left from one second on, at most every 100 ms, and removes the line', () => {
  const { lines, clock, progress } = watched()
  for (const [ms, done] of [
    [0, 0],
    [999, 900],
    [1000, 1000],
    [1050, 1100],
    [2000, 2500],
  ]) {
    clock.ms = ms
    progress.show('checking:', done / 10_000, done, 'jobs')
  }
  progress.clear()
  expect(lines).toEqual([
    'checking: 10 %, 1,000 jobs a second, 9 s left',
    'checking: 25 %, 1,250 jobs a second, 6 s left',
    '',
  ])
})

it('Progress shows slow rates by minute and hour, and no time left if the whole work is unknown', () => {
  const { lines, clock, progress } = watched()
  const showAt = (seconds: number, share: number, done: number): void => {
    clock.ms = 1000 * seconds
    progress.show('fuzzing:', share, done, 'runs')
  }
  showAt(0, 0, 0)
  showAt(40, 0.2, 2)
  showAt(7200, 0.5, 4)
  showAt(7210, Number.NaN, 7210 * 3)
  expect(lines).toEqual([
    'fuzzing: 20 %, 3.0 runs a minute, 160 s left',
    'fuzzing: 50 %, 2.0 runs an hour, 120.00 min left',
    'fuzzing: 21,630 runs, 3.0 runs a second',
  ])
})

it('Progress cuts a line at the width of the terminal', () => {
  const { lines, clock, progress } = watched(true, 20)
  progress.show('checking:', 0, 0, 'jobs')
  clock.ms = 1000
  progress.show('checking:', 0.5, 1, 'jobs')
  expect(lines).toEqual(['checking: 50 %, 1.0'])
})

it.each([
  ['standard error is no terminal', false, false],
  ['the command line has --json', true, true],
])('Progress shows nothing if %s', async (_, isWatched, isAsked) => {
  const { lines, terminal } = watched(isWatched)
  const made = makeProgress.pipe(
    Effect.provideService(Terminal, terminal),
    Effect.provideService(Json, { isAsked, isPrinted: false }),
  )
  const progress = await Effect.runPromise(made)
  progress.show('checking:', 0.1, 1, 'jobs')
  progress.clear()
  expect(lines).toEqual([])
})

it('SweepProgress shows the share of all cells that are done', () => {
  const { lines, clock, progress } = watched()
  const cells = new SweepProgress(4, progress)
  const cell = { trace: 'synth:4', topology: 'radix:4', policy: 'jigsaw' }
  cells.update(cell, 0)
  clock.ms = 10_000
  cells.update(cell, 0.5)
  expect(lines).toEqual([
    '[###...........................] 0 of 4 runs, 12 %, 3.0 runs a minute, 70 s left'.slice(0, 79),
  ])
})

it('a reading of a log shows the share of the file, the records a second and the time left', async () => {
  const folder = new Folder()
  const path = join(folder.path, await folder.log())
  const { lines, progress, clock } = watched()
  const reading = new RepeatedReading(path, progress)
  for (let times = 0; times < 2; times++) for (const _ of reading.records()) clock.ms += 10
  const line = expect.stringMatching(/^reading run\.ndjson: \d\d %, 100 records a second, \d+ s left$/)
  expect(lines).toEqual([line, '', line, ''])
})

it('regression: calibrate showed no progress while it simulates the candidates', async () => {
  const spec = { trace: 'synth:4:2048', topology: 'radix:4', policy: 'baseline' }
  const source = new URL('../../../packages/policies/baseline/src/index.ts', import.meta.url)
  const { baseline } = (await import(source.href)) as { readonly baseline: AnyPolicy }
  const run = await Effect.runPromise(prepare(spec).pipe(Effect.provide(nodeServices({ policies: [baseline] }))))
  const { lines, terminal, clock } = watched()
  const progress = new Progress(terminal, () => (clock.ms += 1000))
  simulateCandidates([run, run], ['fcfs', 'easy:50'], progress)
  expect(lines).toEqual([
    expect.stringMatching(/^fcfs: 25 %, /),
    expect.stringMatching(/^easy:50: 50 %, /),
    expect.stringMatching(/^easy:50: 75 %, /),
    '',
  ])
})
