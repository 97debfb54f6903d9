import { Effect } from 'effect'
import { named, type Outcomes, plan, runOn, type Scheme, steady } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import { state } from '../report/comparison.ts'
import { allKnown, finePercent, most, ofBoth, orDash } from '../report/numbers.ts'
import { reportOf } from '../report/report.ts'
import * as paper from './paper.ts'
import { samples, shares } from './tables.ts'

/** Form of TA: texts of its options in the table, and its scheme. */
interface Form extends Scheme {
  readonly texts: ReadonlyArray<string>
}

const choices = [false, true]

/** Every combination of the options of TA. The rules of 2018 come first, with the order of pods of Algorithm 1. */
const forms: ReadonlyArray<Form> = choices.flatMap((wholeLeaves) =>
  choices.flatMap((wholePods) =>
    (['most-free', 'fewest-free'] as const).map((podsFirst) => {
      const texts = [wholeLeaves ? 'whole' : 'any', wholePods ? 'whole' : 'any', podsFirst.replace('-', ' ')]
      const config = { wholeLeaves, ...(wholePods ? { wholePods } : {}), podsFirst }
      return { name: texts.join(', '), texts, spec: { policy: { name: 'ta', config } } }
    }),
  ),
)

const range = paper.utilization.find(({ scheme }) => scheme === 'TA')!
/** Name of the runs on Thunder under first come, first served, which have the number of samples of Table 2. */
const FCFS = 'Thunder, FCFS'
/** Largest difference of a value that fits, as a share: half a percent point. */
const FIT = 0.005

/** Experiment on the forms of TA: the utilization of Figure 6 and the samples of Table 2 under every form. */
export const taForms: Experiment = Effect.gen(function* () {
  const traces = [...paper.benchTraces, ...named(paper.traces, 'Thunder', 'Atlas')]
  const { outcomes, names } = yield* runOn(traces, (trace) =>
    forms.flatMap((form) => [
      plan(trace, paper.queue, form),
      ...(trace.name === 'Thunder' ? [plan({ ...trace, name: FCFS }, 'fcfs', form)] : []),
    ]),
  )
  const found = forms.map((form) => ({
    ...form,
    figure6: fromFigure6(outcomes, names, form.name),
    table2: fromTable2(outcomes, form.name),
  }))
  const fits = allKnown(found.map(({ figure6, table2 }) => ofBoth(figure6, table2, (one, other) => most([one, other]))))
  const points = (value: number | undefined): string => orDash(value, (each) => (100 * each).toFixed(1))
  return reportOf(
    [
      {
        title: 'Utilization of Figure 6 and samples of Table 2 under every form of TA',
        heading: ['leaves', 'pods', 'first', ...names, 'points from Figure 6', 'points from Table 2'],
        rows: found.map(({ name, texts, figure6, table2 }) => [
          ...texts,
          ...names.map((trace) => orDash(outcomes.value(steady, trace, name), finePercent)),
          points(figure6),
          points(table2),
        ]),
      },
    ],
    [
      state(
        '6.1',
        'a form of TA is within half a point of Figure 6 and of Table 2',
        fits && fits.some((difference) => difference <= FIT),
      ),
    ],
  )
})

/** Returns the largest distance of the utilizations of a form from the range of Figure 6, as a share. */
function fromFigure6(outcomes: Outcomes, names: ReadonlyArray<string>, form: string): number | undefined {
  const values = allKnown(names.map((trace) => outcomes.value(steady, trace, form)))
  return values && most(values.map((value) => Math.max(0, range.low - value, value - range.high)))
}

/** Returns the largest difference of a share of samples from the share of TA in Table 2. */
function fromTable2(outcomes: Outcomes, form: string): number | undefined {
  const found = samples(outcomes, FCFS, form)
  const theirs = shares(paper.table2['TA'])
  return found && most(shares(found).map((share, bin) => Math.abs(share - theirs[bin])))
}
