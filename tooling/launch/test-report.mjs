// Adds up what the tests of every package reported, and says in a last line what `npm test` found.
import { globSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Written by every package's `vitest run` (see vitest.config.ts), restored by turbo with a cached pass. */
const RESULTS = 'test-results.json'
/** Where turbo's --summarize says what it ran. */
const RUNS = '.turbo/runs'

/** So that a run that dies is not counted with the results of the one before. */
export function forgetResults(root) {
  for (const file of globSync(`{packages,packages/policies,apps,tooling}/*/${RESULTS}`, { cwd: root }))
    rmSync(join(root, file))
  rmSync(join(root, RUNS), { recursive: true, force: true })
}

/** Prints a line for every package and failed check, then the sum; gives the exit code. */
export function report(root, turboExit) {
  const total = { passed: 0, failed: 0, skipped: 0 }
  const lines = []
  for (const { task, taskId, directory, package: name, execution } of tasksOf(root)) {
    const results = task === 'test' ? readResults(join(root, directory)) : undefined
    if (results !== undefined) {
      lines.push(`  ${name}: ${counts(results)}`)
      for (const kind of Object.keys(total)) total[kind] += results[kind]
    }
    const passed = execution?.exitCode === 0 && (task !== 'test' || results !== undefined)
    if (passed || results?.failed > 0) continue
    // A check of another kind, or tests that ended before they could report.
    lines.push(`  ${taskId} ${execution === undefined ? 'did not run' : 'failed'}`)
    total.failed++
  }
  // Nothing seems wrong, but turbo says otherwise, or there was nothing to see.
  if (total.failed === 0 && (turboExit !== 0 || total.passed === 0)) total.failed = 1
  for (const line of lines.sort()) console.log(line)
  console.log(counts(total))
  return turboExit || (total.failed === 0 ? 0 : 1)
}

const counts = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

function tasksOf(root) {
  try {
    const [file] = readdirSync(join(root, RUNS))
    return JSON.parse(readFileSync(join(root, RUNS, file), 'utf8')).tasks.filter(
      ({ command }) => command !== '<NONEXISTENT>',
    )
  } catch {
    return []
  }
}

function readResults(folder) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
      readFileSync(join(folder, RESULTS), 'utf8'),
    )
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests }
  } catch {
    return undefined
  }
}
