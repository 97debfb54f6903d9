import { reveal } from '../navigation/reveal.ts'
import { activeRun, visible } from '../state/session.ts'

/**
 * Goes to when most nodes were idle, of the times that are drawn, although some waiting job asked for no more; where
 * there was no such time, to when most were idle while any job waited.
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
