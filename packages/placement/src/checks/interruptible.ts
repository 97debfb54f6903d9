import { createContext, Script } from 'node:vm'

const context = createContext({ run: () => {} })
const script = new Script('run()')

/** What was run did not come back. */
export class Interrupted extends Error {}

/**
 * Runs something that may never come back, and stops it after a time: Node stops all JavaScript of this thread that was
 * called from a script with a time limit, endless loops included. So what hangs needs no second thread or process to be
 * caught, and a test runner goes on with what comes next.
 *
 * @throws Interrupted when the time is over; what `run` throws
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
      throw new Interrupted(`it did not come back within ${milliseconds} ms`, { cause: error })
    throw error
  }
  return result!
}
