import { Session } from 'node:inspector'

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/**
 * How much of our code runs, counted by the engine: how often each function is called and each block in it entered. What
 * built-in functions do is not in it. Of modules that were loaded before this one blocks are not counted: load them later.
 */
export async function workOf(run: () => unknown): Promise<number> {
  count()
  await run()
  return count()
}

/** Since it was counted last. */
function count(): number {
  let work = 0
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    for (const { url, functions } of result)
      if (/\/(packages|apps)\/[^]*\/src\//.test(url))
        for (const { ranges } of functions) for (const { count: entered } of ranges) work += entered
  })
  return work
}
