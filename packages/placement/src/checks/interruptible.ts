import { createContext, Script } from 'node:vm'

const context = createContext({ run: () => {} })
const script = new Script('run()')

export class Interrupted extends Error {}

/**
 * Runs a function with a time limit. Node stops a `vm` script at its limit, with all functions that the script calls,
 * endless loops included, so a hanging function needs no second thread.
 *
 * @throws Interrupted if the time limit is exceeded, or any error of `run`
 */
export function interruptible<Result>(run: () => Result, milliseconds: number): Result {
  let result: Result
  context['run'] = () => {
    result = run()
  }
  try {
    script.runInContext(context, { timeout: milliseconds })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new Interrupted(`did not return within ${milliseconds} ms`, { cause: error })
    throw error
  }
  return result!
}
