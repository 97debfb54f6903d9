// Adds up what every package's tests reported, and says at the end in one line what `npm test` found.
import { globSync, readFileSync, rmSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Written by every package's `vitest run` (see vitest.config.ts), restored by turbo with a cached pass. */
const RESULTS = 'test-results.json'
const RUNS = '.turbo/runs'

/** So that a run that dies cannot be counted with the results of the one before. */
export function forgetResults(root) {
  for (const file of globSync(`{packages,packages/policies,apps,tooling}/*/${RESULTS}`, { cwd: root })) rmSync(join(root, file))
  rmSync(join(root, RUNS), { recursive: true, force: true })
}

/** Prints a line per package, the checks that failed, and the sum; gives the exit code. */
export function report(root, turboExit) {
  const total = { passed: 0, failed: 0, skipped: 0 }
  const lines = []
  for (const task of readSummary(root)) {
    const ok = task.execution?.exitCode === 0
    let failed = 0
    if (task.task === 'test') {
      const found = readResults(join(root, task.directory))
      total.passed += found.passed
      total.skipped += found.skipped
      failed = found.failed
      lines.push(`  ${task.package}: ${counts(found)}`)
    }
    // A check that is no test, or tests that ended before they could report: counts as one failure.
    if (!ok && failed === 0) {
      failed = 1
      lines.push(`  ${task.taskId} ${task.execution === undefined ? 'did not run' : 'failed'}`)
    }
    total.failed += failed
  }
  if (turboExit !== 0 && total.failed === 0) total.failed = 1
  console.log(lines.sort().join('\n'))
  console.log(counts(total))
  return total.failed === 0 ? 0 : turboExit || 1
}

const counts = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

function readSummary(root) {
  try {
    const [file] = readdirSync(join(root, RUNS))
    return JSON.parse(readFileSync(join(root, RUNS, file), 'utf8')).tasks
  } catch {
    return []
  }
}

function readResults(folder) {
  try {
    const results = JSON.parse(readFileSync(join(folder, RESULTS), 'utf8'))
    return { passed: results.numPassedTests, failed: results.numFailedTests, skipped: results.numPendingTests + results.numTodoTests }
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }
  }
}
