import { capacityFigure } from '@cloister/figures'
import { attempt } from '@cloister/run'
import { Effect } from 'effect'
import { askedPolicies } from '../log/asked-policies.ts'
import { stepsOf } from '../log/capacity.ts'
import { concludeReading, RepeatedReading } from '../log/log-reading.ts'
import { makeProgress } from '../terminal/progress.ts'
import { pointsOf, readAll } from './figures-over-time.ts'
import type { PlotRequest } from './request.ts'

/** Draws idle nodes and the largest job that fits over time. The first reading of each log finds the end. */
export const figureOfCapacity = Effect.fnUntraced(function* (request: PlotRequest) {
  const { logs, runs, look } = yield* readAll(request, () => ({ add: () => {} }))
  const given = request.policy === undefined ? [] : [request.policy]
  const drawn = yield* Effect.forEach(
    runs,
    Effect.fnUntraced(function* ({ path, header, name, from, to }) {
      const reading = new RepeatedReading(path, yield* makeProgress)
      const [policy] = yield* askedPolicies(header, given)
      const range = { from, until: to, every: (to - from) / pointsOf(request) }
      const steps = yield* attempt(() => stepsOf(reading, header, policy, range))
      return { name, steps: steps.map(({ t, idle, largest }) => ({ t, idle, largest: largest.nodes })) }
    }),
  )
  return { figure: capacityFigure(drawn, look), conclude: concludeReading(logs) }
})
