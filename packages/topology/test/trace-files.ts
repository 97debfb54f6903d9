import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'vitest'

const folder = process.env['CLOISTER_TRACE_DIR'] ?? join(import.meta.dirname, '../../../../shared/traces')

/** Returns the text of a real file that is not part of this repository; skips the test if the file is absent. */
export function traceFile(context: TestContext, path: string): string {
  const file = join(folder, path)
  if (!existsSync(file)) context.skip(`${path} is absent; set CLOISTER_TRACE_DIR to the folder that holds it`)
  return readFileSync(file, 'utf8')
}
