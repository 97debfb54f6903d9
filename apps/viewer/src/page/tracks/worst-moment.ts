import { reveal } from '../navigation/reveal.ts'
import { activeRun, visible } from '../state/session.ts'

/**
 * Moves the cursor to the visible time with most fragmented nodes: idle nodes while a waiting job needs no more nodes.
 * If no node is fragmented at a visible time, moves the cursor to the time with most idle nodes while a job waits.
 */
export async function goToWorst(): Promise<void> {
  const run = activeRun.peek()
  if (run === undefined) return
  const { from, to } = visible.peek()
  try {
    for (const figure of ['fragmented', 'external'] as const) {
      const { moment } = await run.answerer.ask('worst', { figure, from, to })
      if (moment !== null) return reveal({ kind: 'time', t: moment.t })
    }
  } catch (error) {
    run.error.value = (error as Error).message
  }
}
