import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { repeatFailed } from '../failed-again.mjs'
import { report } from '../test-report.mjs'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cloister-again-'))
  mkdirSync(join(root, '.turbo/runs'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

/** Results of a package's tests: the number of passed tests, and the titles of failed tests by file. */
interface Results {
  readonly passed: number
  readonly failed?: Readonly<Record<string, ReadonlyArray<string>>>
}

const write = (folder: string, { passed, failed = {} }: Results): void => {
  const testResults = Object.entries(failed).map(([file, titles]) => ({
    name: join(folder, file),
    status: 'failed',
    assertionResults: titles.map((fullName) => ({ fullName, status: 'failed' })),
  }))
  const numFailedTests = Object.values(failed).flat().length
  const counts = { numPassedTests: passed, numFailedTests, numPendingTests: 0, numTodoTests: 0 }
  writeFileSync(join(folder, 'test-results.json'), JSON.stringify({ ...counts, testResults }))
}

/** Writes turbo's report on the task `a#test`, and the results of the tests of package a. */
const ran = (exitCode: number, results?: Results): void => {
  mkdirSync(join(root, 'packages/a'), { recursive: true })
  if (results !== undefined) write(join(root, 'packages/a'), results)
  const task = { taskId: 'a#test', package: 'a', task: 'test', command: 'run', directory: 'packages/a' }
  writeFileSync(join(root, '.turbo/runs/1.json'), JSON.stringify({ tasks: [{ ...task, execution: { exitCode } }] }))
}

/** Calls repeatFailed and report. @param alone returns the results of a second run; undefined for tests that die */
async function repeated(alone: (file: string | undefined) => Results | undefined) {
  const files: Array<string | undefined> = []
  const again = await repeatFailed(root, async (folder: string, file: string | undefined) => {
    files.push(file)
    const results = alone(file)
    if (results !== undefined) write(folder, results)
    return results === undefined || results.failed !== undefined ? 1 : 0
  })
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const code = report(root, 1, again)
  const lines = log.mock.calls.flatMap(([text]) => String(text).split('\n'))
  log.mockRestore()
  return { files, code, lines }
}

test('a failed test file that passes in the second run is listed as flaky, and npm test passes', async () => {
  ran(1, { passed: 10, failed: { 'test/x.test.ts': ['one', 'two'] } })
  expect(await repeated(() => ({ passed: 5 }))).toEqual({
    files: ['test/x.test.ts'],
    code: 0,
    lines: [
      '  a: 12 passed, 0 failed',
      'flaky tests failed beside other tests and passed alone. Mend each flaky test, or describe the test in tooling/FLAKY.md',
      '  a test/x.test.ts',
      '    one',
      '    two',
      '12 passed, 0 failed',
    ],
  })
})

test('a test file that fails twice fails npm test', async () => {
  ran(1, { passed: 10, failed: { 'test/x.test.ts': ['one'], 'test/y.test.ts': ['two'] } })
  const { files, code, lines } = await repeated((file) =>
    file === 'test/x.test.ts' ? { passed: 3 } : { passed: 2, failed: { 'test/y.test.ts': ['two'] } },
  )
  expect({ files, code }).toEqual({ files: ['test/x.test.ts', 'test/y.test.ts'], code: 1 })
  expect(lines).toContain('  a test/x.test.ts')
  expect(lines.at(-1)).toBe('11 passed, 1 failed')
})

test('repeatFailed runs all test files of a package again if the tests of the package failed, but no test file', async () => {
  ran(1, { passed: 10 })
  expect(await repeated(() => ({ passed: 10 }))).toMatchObject({
    files: [undefined],
    code: 0,
    lines: expect.arrayContaining(['  a failed outside of its tests', '10 passed, 0 failed']),
  })
  ran(1)
  expect((await repeated(() => ({ passed: 4 }))).lines.at(-1)).toBe('4 passed, 0 failed')
})

test('a test file that dies twice, or runs no test the second time, fails npm test', async () => {
  ran(1)
  expect(await repeated(() => undefined)).toMatchObject({ code: 1, lines: ['  a#test failed', '0 passed, 1 failed'] })
  ran(1, { passed: 10, failed: { 'test/x.test.ts': ['one'] } })
  expect(await repeated(() => ({ passed: 0 }))).toMatchObject({
    code: 1,
    lines: ['  a: 10 passed, 1 failed', '10 passed, 1 failed'],
  })
})

test('repeatFailed runs no test file again if the task passed', async () => {
  ran(0, { passed: 10 })
  expect((await repeated(() => ({ passed: 1 }))).files).toEqual([])
})
