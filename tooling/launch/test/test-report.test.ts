import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { announceResults, forgetResults, report } from '../test-report.mjs'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cloister-report-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** Writes turbo's report on a run of the given tasks. */
const ran = (...tasks: readonly object[]): void => {
  mkdirSync(join(root, '.turbo/runs'), { recursive: true })
  writeFileSync(join(root, '.turbo/runs/1.json'), JSON.stringify({ tasks }))
}
const task = (name: string, exitCode: number | undefined, command = 'run') => {
  const [folder, kind] = name.split('#')
  return {
    taskId: name,
    package: folder,
    task: kind,
    command,
    directory: `packages/${folder}`,
    ...(exitCode === undefined ? {} : { execution: { exitCode } }),
  }
}
const results = (folder: string, passed: number, failed: number, skipped = 0): void => {
  mkdirSync(join(root, 'packages', folder), { recursive: true })
  writeFileSync(
    join(root, 'packages', folder, 'test-results.json'),
    JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, numTodoTests: 0 }),
  )
}
const reported = (turboExit: number): { code: number; lines: string[] } => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const code = report(root, turboExit)
  const lines = log.mock.calls.flatMap(([text]) => String(text).split('\n'))
  log.mockRestore()
  return { code, lines }
}

test('report prints the counts of each package and their sum', () => {
  ran(task('a#test', 0), task('b#test', 0), task('a#build', 0))
  results('a', 10, 0)
  results('b', 5, 0, 2)
  expect(reported(0)).toEqual({
    code: 0,
    lines: ['  a: 10 passed, 0 failed', '  b: 5 passed, 0 failed, 2 skipped', '15 passed, 0 failed, 2 skipped'],
  })
})

test('report returns 1 if a test failed', () => {
  ran(task('a#test', 1))
  results('a', 10, 1)
  expect(reported(1)).toEqual({ code: 1, lines: ['  a: 10 passed, 1 failed', '10 passed, 1 failed'] })
})

test('report counts one failure for a failed check without tests, and for tests without results', () => {
  ran(task('a#typecheck', 2), task('a#test', undefined), task('b#test', 1))
  expect(reported(1).lines.at(-1)).toBe('0 passed, 3 failed')
  expect(reported(1).lines).toContain('  a#test did not run')
  expect(reported(1).lines).toContain('  b#test failed')
})

test('report tells of tasks that an interruption left out, unless a failed dependency did', () => {
  ran(task('a#test', 0), task('b#test', 130), task('c#test', undefined))
  results('a', 10, 0)
  expect(reported(1).lines).toContain('interrupted: 1 tasks not run')
  ran(task('a#build', 2), task('a#test', undefined))
  expect(reported(1).lines.join()).not.toContain('interrupted')
})

test('announceResults says each package once, as soon as its tests have ended', async () => {
  const said: string[] = []
  const told = Promise.withResolvers<void>()
  const stop = announceResults(root, (line: string) => said.push(line) === 2 && told.resolve(), 1)
  results('a', 10, 0)
  results('b', 5, 1)
  await told.promise
  stop()
  expect(said.sort()).toEqual(['packages/a: 10 passed, 0 failed', 'packages/b: 5 passed, 1 failed'])
})

test('report counts one failure for a passed test task without results', () => {
  ran(task('a#test', 0))
  expect(reported(0)).toMatchObject({ code: 1, lines: expect.arrayContaining(['0 passed, 1 failed']) })
})

test('report leaves out tasks of turbo without a command', () => {
  ran(task('a#sources', undefined, '<NONEXISTENT>'), task('b#test', 0))
  results('b', 1, 0)
  expect(reported(0)).toMatchObject({ code: 0, lines: ['  b: 1 passed, 0 failed', '1 passed, 0 failed'] })
})

test('report counts one failure if turbo ran no task', () => {
  expect(reported(3)).toEqual({ code: 3, lines: ['0 passed, 1 failed'] })
  expect(reported(0)).toEqual({ code: 1, lines: ['0 passed, 1 failed'] })
})

test('forgetResults removes the results of an earlier run', () => {
  ran(task('a#test', 1))
  results('a', 10, 0)
  forgetResults(root)
  expect(reported(1)).toMatchObject({ lines: ['0 passed, 1 failed'] })
})
