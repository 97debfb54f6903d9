import { Effect } from 'effect'
import { count, percent } from '../quantities.ts'
import { compare } from './comparison.ts'
import * as paper from './jigsaw-paper.ts'
import { type Context, type Outcomes, type Reproduction, plan } from './reproduction.ts'

const binNames = ['98 % and more', '95 to 98 %', '90 to 95 %', '80 to 90 %', '60 to 80 %', 'under 60 %']

export const table2: Reproduction = {
  name: 'jigsaw-table2',
  title: 'Instantaneous utilization on Thunder: samples at each start and each end of a job',
  source: 'Jigsaw paper, section 6.1, Table 2',
  produce: Effect.fnUntraced(function* ({ locate, schemes, run }: Context) {
    const thunder = paper.traces.find(({ name }) => name === 'Thunder')!
    const located = yield* locate(thunder)
    const outcomes = yield* run(located === undefined ? [] : schemes.map((scheme) => plan({ ...thunder, located }, scheme)))
    const rows = schemes.flatMap(({ name }) => rowsOf(name, samples(outcomes, name)))
    return { tables: [{ title: 'Samples', heading: ['', ...binNames], rows }], comparisons: comparisons(outcomes), charts: [] }
  }),
}

function samples(outcomes: Outcomes, scheme: string): ReadonlyArray<number> | undefined {
  const found = outcomes.get('Thunder', scheme)?.metrics.instantaneous
  return found === undefined ? undefined : paper.table2Bins.map((bin) => found[bin])
}

function shares(counts: ReadonlyArray<number>): ReadonlyArray<number> {
  const all = counts.reduce((a, b) => a + b, 0)
  return counts.map((each) => each / all)
}

function rowsOf(scheme: string, ours: ReadonlyArray<number> | undefined): ReadonlyArray<ReadonlyArray<string>> {
  const theirs = paper.table2[scheme]
  const row = (name: string, counts: ReadonlyArray<number>): ReadonlyArray<string> => [name, ...shares(counts).map((share, bin) => `${percent(share)} (${count(counts[bin])})`)]
  return [...(ours === undefined ? [] : [row(`${scheme}, here`, ours)]), ...(theirs === undefined ? [] : [row(`${scheme}, paper`, theirs)])]
}

function comparisons(outcomes: Outcomes) {
  return Object.entries(paper.table2).flatMap(([scheme, counts]) => {
    const [theirs, found] = [shares(counts), samples(outcomes, scheme)]
    const ours = found === undefined ? undefined : shares(found)
    return [
      ...binNames.map((name, bin) => compare('Table 2', `samples at ${name} under ${scheme}`, 'share', theirs[bin], ours?.[bin])),
      compare('6.1', `samples under 80 % under ${scheme}`, 'share', theirs[4] + theirs[5], ours === undefined ? undefined : ours[4] + ours[5]),
      compare('Table 2', `samples in all under ${scheme}`, 'count', counts.reduce((a, b) => a + b, 0), found?.reduce((a, b) => a + b, 0)),
    ]
  })
}
