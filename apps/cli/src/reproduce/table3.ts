import { Effect } from 'effect'
import { decimal } from '../terminal/quantities.ts'
import { compare } from './comparison.ts'
import * as paper from './jigsaw-paper.ts'
import { type Context, type Reproduction, plan } from './reproduction.ts'

export const table3: Reproduction = {
  name: 'jigsaw-table3',
  title: 'Scheduling time per job',
  source: 'Jigsaw paper, section 6.4, Table 3; here in processes of their own, one after the other',
  produce: Effect.fnUntraced(function* ({ locate, schemes, time }: Context) {
    const seconds = new Map<string, number>()
    for (const name of paper.table3Traces) {
      const trace = paper.traces.find((each) => each.name === name)!
      const located = yield* locate(trace)
      if (located === undefined) continue
      for (const scheme of schemes)
        seconds.set(`${name} ${scheme.name}`, yield* time(plan({ ...trace, located }, scheme).cell))
    }
    const rows = schemes.map((scheme) => [
      scheme.name,
      ...paper.table3Traces.map((trace) => {
        const each = seconds.get(`${trace} ${scheme.name}`)
        return each === undefined ? '-' : `${decimal(each * 1e6, 1)} µs`
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
  }),
}
