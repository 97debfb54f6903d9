// Adds up the test results of all packages, and prints the result of `npm test` as a last line.
import { globSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Written by every package's `vitest run` (see vitest.config.ts), restored by turbo with a cached pass. */
export const RESULTS = 'test-results.json'
/** Folder of turbo's reports on its runs (--summarize). */
const RUNS = '.turbo/runs'

/** Removes old results. A run that dies must not be counted with earlier results. */
export function forgetResults(root) {
  for (const file of globSync(`{packages,packages/policies,apps,tooling}/*/${RESULTS}`, { cwd: root }))
    rmSync(join(root, file))
  rmSync(join(root, RUNS), { recursive: true, force: true })
}

/**
 * Prints a line for every package and failed check, the flaky tests, then the sum.
 * @param repeated failures that ran again (failed-again.mjs), by folder of the package
 * @returns the exit code: 0 if nothing failed, or nothing failed twice
 */
export function report(root, turboExit, repeated = new Map()) {
  const total = { passed: 0, failed: 0, skipped: 0 }
  const lines = []
  const flaky = []
  for (const { task, taskId, directory, package: name, execution } of tasksOf(root)) {
    const again = task === 'test' ? repeated.get(directory) : undefined
    const results = again?.results ?? (task === 'test' ? readResults(join(root, directory)) : undefined)
    if (results !== undefined) {
      lines.push(`  ${name}: ${counts(results)}`)
      for (const kind of Object.keys(total)) total[kind] += results[kind]
    }
    for (const { file, titles } of again?.flaky ?? [])
      flaky.push(
        `  ${name} ${file ?? 'failed outside of its tests'}${titles.map((title) => `\n    ${title}`).join('')}`,
      )
    const passed = (execution?.exitCode === 0 || again?.passed === true) && (task !== 'test' || results !== undefined)
    if (passed || results?.failed > 0) continue
    // A check without tests, or tests that ended before their report.
    lines.push(`  ${taskId} ${execution === undefined ? 'did not run' : 'failed'}`)
    total.failed++
  }
  // No task failed, but turbo did; or turbo ran nothing.
  const unexplained = turboExit !== 0 && flaky.length === 0
  if (total.failed === 0 && (unexplained || total.passed === 0)) total.failed = 1
  for (const line of lines.sort()) console.log(line)
  if (flaky.length > 0) {
    console.log(
      'flaky tests failed beside other tests and passed alone. Mend each flaky test, or describe the test in tooling/FLAKY.md',
    )
    for (const line of flaky.sort()) console.log(line)
  }
  console.log(counts(total))
  return total.failed === 0 ? 0 : turboExit || 1
}

const counts = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

/** Returns the tasks of turbo's last run, with exit codes. */
export function tasksOf(root) {
  try {
    const [file] = readdirSync(join(root, RUNS))
    return JSON.parse(readFileSync(join(root, RUNS, file), 'utf8')).tasks.filter(
      ({ command }) => command !== '<NONEXISTENT>',
    )
  } catch {
    return []
  }
}

/**
 * Returns the counts of a package's last test run, and the failed files with the titles of failed tests; undefined
 * without results.
 */
export function readResults(folder) {
  try {
    const results = JSON.parse(readFileSync(join(folder, RESULTS), 'utf8'))
    const failedFiles = (results.testResults ?? [])
      .filter(({ status }) => status === 'failed')
      .map(({ name, assertionResults }) => ({
        file: relative(realpathSync(folder), name),
        titles: assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      }))
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = results
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests, failedFiles }
  } catch {
    return undefined
  }
}
