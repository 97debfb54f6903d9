import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { plan } from '../experiment/outcomes.ts'
import { Runs } from '../experiment/runs.ts'
import { locateAll } from '../experiment/traces.ts'
import { compare } from '../report/comparison.ts'
import * as paper from './paper.ts'

export const table3: Experiment = Effect.gen(function* () {
  const { time } = yield* Runs
  const seconds = new Map<string, number>()
  const traces = paper.table3Traces.map((name) => paper.traces.find((each) => each.name === name)!)
  for (const trace of yield* locateAll(traces))
    for (const scheme of paper.schemes)
      seconds.set(`${trace.name} ${scheme.name}`, yield* time(plan({ ...trace, queue: paper.queue }, scheme).spec))
  const rows = paper.schemes.map((scheme) => [
    scheme.name,
    ...paper.table3Traces.map((trace) => {
      const each = seconds.get(`${trace} ${scheme.name}`)
      return each === undefined ? '-' : `${(each * 1e6).toFixed(1)} µs`
    }),
  ])
  const comparisons = Object.entries(paper.table3).flatMap(([scheme, values]) =>
    paper.table3Traces.map((trace, index) =>
      compare(
        'Table 3',
        `scheduling a job under ${scheme}, ${trace}`,
        'seconds',
        values[index],
        seconds.get(`${trace} ${scheme}`),
      ),
    ),
  )
  return {
    tables: [{ title: 'Time in the scheduler per job', heading: ['', ...paper.table3Traces], rows }],
    comparisons,
    charts: [],
  }
})
