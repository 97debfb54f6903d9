import { Session } from 'node:inspector'

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/**
 * Runs a function, and returns the amount of Cloister's code that runs meanwhile, by the coverage of V8: calls of
 * functions and entries of blocks. Built-in functions do not count. Blocks count only in modules that are loaded later
 * than this module.
 */
export async function workOf(run: () => unknown): Promise<number> {
  count()
  await run()
  return count()
}

/** Returns the amount of Cloister's code that ran since the last call. */
function count(): number {
  let work = 0
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    for (const { url, functions } of result)
      if (/\/(packages|apps)\/[^]*\/src\//.test(url))
        for (const { ranges } of functions) for (const { count: entered } of ranges) work += entered
  })
  return work
}
