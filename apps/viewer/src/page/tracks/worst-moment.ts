import { reveal } from '../navigation/reveal.ts'
import { activeRun, visible } from '../state/session.ts'

/**
 * Goes to the visible time with most nodes idle although a waiting job needs no more. Without such a time, goes to
 * the time with most nodes idle while any job waits.
 */
export async function goToWorst(): Promise<void> {
  const run = activeRun.peek()
  if (run === undefined) return
  const { from, to } = visible.peek()
  try {
    for (const figure of ['unplaced', 'external'] as const) {
      const { moment } = await run.answerer.ask('worst', { figure, from, to })
      if (moment !== null) return reveal({ kind: 'time', t: moment.t })
    }
  } catch (error) {
    run.error.value = (error as Error).message
  }
}
