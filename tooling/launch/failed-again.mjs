// Runs failed test files once more, alone. A test that passes alone is flaky: a defect, but `npm test` passes.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { RESULTS, readResults, tasksOf } from './test-report.mjs'

/** Stands for all test files of a package, if an error outside of tests or a dead process names no file. */
const wholePackage = { file: undefined, titles: [] }

/**
 * Runs the failed test files of every package again, one after the other.
 * @param runTests runs a test file of a folder, or all test files for `undefined`; resolves to the exit code
 * @returns by folder of each package with failures: the counts after the second run (`results`), the flaky files with
 *   titles of failed tests, and `passed`, true if no file failed twice
 */
export async function repeatFailed(root, runTests) {
  const repeated = new Map()
  const failed = tasksOf(root).filter(({ task, execution }) => task === 'test' && execution?.exitCode > 0)
  for (const { directory } of failed) repeated.set(directory, await repeatPackage(join(root, directory), runTests))
  return repeated
}

async function repeatPackage(folder, runTests) {
  const first = readResults(folder)
  const files = first?.failedFiles.length > 0 ? first.failedFiles : [wholePackage]
  const flaky = []
  let results = first
  for (const failed of files) {
    rmSync(join(folder, RESULTS), { force: true })
    const code = await runTests(folder, failed.file)
    const again = readResults(folder)
    if (code !== 0 || !(again?.passed > 0)) continue
    flaky.push(failed)
    results = failed === wholePackage ? again : withPassed(results, failed.titles.length)
  }
  return { results, flaky, passed: flaky.length === files.length }
}

const withPassed = (results, count) => ({ ...results, passed: results.passed + count, failed: results.failed - count })
