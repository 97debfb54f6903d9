import { expect, it } from 'vitest'
import { Progress, share } from '../src/terminal/progress.ts'
import { SweepProgress } from '../src/commands/sweep/experiment.ts'

function watched(isWatched: boolean): { readonly lines: ReadonlyArray<string>; readonly progress: Progress } {
  const lines: Array<string> = []
  const showStatus = (line: string): void => {
    lines.push(line)
  }
  return {
    lines,
    progress: new Progress({ write: () => {}, isOutput: () => false, isWatched, columns: 80, showStatus }),
  }
}

it('Progress shows lines at most every 100 ms, and removes the line at the end', () => {
  const { lines, progress } = watched(true)
  for (const done of [2, 3, 4]) progress.show(() => share('checking:', done, 9))
  progress.clear()
  expect(lines).toEqual(['checking: 22 %', ''])
})

it('Progress shows nothing if standard error is no terminal', () => {
  const { lines, progress } = watched(false)
  progress.show(() => share('checking:', 1, 2))
  progress.clear()
  expect(lines).toEqual([])
})

it('SweepProgress shows the share of all cells that are done', () => {
  const { lines, progress } = watched(true)
  new SweepProgress(4, progress).update({ trace: 'synth:4', topology: 'radix:4', policy: 'jigsaw' }, 0.5)
  expect(lines).toEqual([expect.stringMatching(/^\[###\.{27}\] 0 of 4 runs, 12 %, .* left$/)])
})
