// Adds up the test results of all packages, and prints the last line of `npm test`: N passed, N failed.
import { globSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** File that `vitest run` writes into each package (vitest.config.ts); turbo restores the file with a cached result. */
export const RESULTS = 'test-results.json'
const RESULT_FILES = `{packages,packages/policies,apps,tooling}/*/${RESULTS}`
/** Folder into which turbo writes a report of each run (--summarize). */
const RUNS = '.turbo/runs'

/** Removes results of earlier runs, because tests that die write no results, and earlier results must not count. */
export function forgetResults(root) {
  for (const file of globSync(RESULT_FILES, { cwd: root })) rmSync(join(root, file))
  rmSync(join(root, RUNS), { recursive: true, force: true })
}

/**
 * Announces each package whose tests ended since `forgetResults`. Stops when the returned function is called.
 * @param say gets a line such as `packages/topology: 120 passed, 0 failed`
 */
export function announceResults(root, say, everyMs = 1000) {
  const announced = new Set()
  const look = () => {
    for (const file of globSync(RESULT_FILES, { cwd: root })) {
      const results = announced.has(file) ? undefined : readResults(join(root, dirname(file)))
      if (results === undefined) continue
      announced.add(file)
      say(`${dirname(file)}: ${counts(results)}`)
    }
  }
  const timer = setInterval(look, everyMs).unref()
  return () => clearInterval(timer)
}

/**
 * Prints a line for every package with tests and every failed check, the flaky tests, then the sum.
 * @param repeated results of the second runs of failed test files (failed-again.mjs), by folder of the package
 * @returns the exit code: 0 if every failed test passed in its second run and no other check failed
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
    // A failed check without tests (types, lint), or tests that died before they wrote results, count as one failure.
    lines.push(`  ${taskId} ${execution === undefined ? 'did not run' : 'failed'}`)
    total.failed++
  }
  // turbo failed although no task did, or no test ran: this counts as one failure.
  const unexplained = turboExit !== 0 && flaky.length === 0
  if (total.failed === 0 && (unexplained || total.passed === 0)) total.failed = 1
  for (const line of lines.sort()) console.log(line)
  if (flaky.length > 0) {
    console.log(
      'flaky tests failed beside other tests and passed alone. Mend each flaky test, or describe the test in tooling/FLAKY.md',
    )
    for (const line of flaky.sort()) console.log(line)
  }
  const tasks = tasksOf(root)
  const notRun = tasks.filter(({ execution }) => execution === undefined).length
  // A shell reports the end by a signal as an exit code above 128. A failed dependency has a smaller exit code.
  const hasFailed = tasks.some(({ execution }) => execution?.exitCode > 0 && execution.exitCode < 128)
  if (notRun > 0 && !hasFailed) console.log(`interrupted: ${notRun} tasks not run`)
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

/** Returns counts, failed files and titles of failed tests of a package's last test run; undefined without results. */
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
