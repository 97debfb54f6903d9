import type { DroppedFile, Examined, Simulated } from '../questions.ts'
import { OWN_CODE, type Setup, specOf } from '../setup.ts'
import { askToExamine, askToSimulate } from './ask.ts'

/** One of the two runs of the playground, with its results. */
export interface Side {
  readonly policy: string
  readonly simulated: Simulated
  readonly examined: Examined
}

/** Simulates both runs in parallel, and audits and measures both logs. @throws ProblemError */
export async function runBoth(
  setup: Setup,
  file: DroppedFile | undefined,
  stop: AbortController,
): Promise<readonly [Side, Side]> {
  const code = setup.policies.includes(OWN_CODE) ? await javascriptOf(setup.code ?? '') : undefined
  const side = async (at: 0 | 1): Promise<Side> => {
    const policy = setup.policies[at]
    const own = policy === OWN_CODE ? code : undefined
    const asked = { spec: specOf(setup, at), file }
    const simulated = await askToSimulate({ kind: 'simulate', ...asked, code: own }, stop.signal)
    // A user's code may post any log as its result, so the log is compared with the requested run.
    const unknown = own === undefined ? undefined : asked
    return { policy, simulated, examined: await askToExamine(simulated.log, unknown, stop.signal) }
  }
  try {
    return await Promise.all([side(0), side(1)])
  } finally {
    // If one run fails, no results are shown, so the other run is stopped.
    stop.abort()
  }
}

async function javascriptOf(code: string): Promise<string> {
  const { withoutTypes } = await import('./without-types.ts')
  return withoutTypes(code)
}
