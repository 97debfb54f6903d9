import { intervalOf } from '@cloister/sweep/interval'
import { Effect } from 'effect'
import * as paper from '../pollard/paper.ts'
import { compare, type Comparison, state } from '../report/comparison.ts'
import { mean, most } from '../report/numbers.ts'
import { reportOf, type Table } from '../report/report.ts'
import { type ObliviousPlacement, obliviousPlacements } from './placements.ts'
import { type Extent, type Speedup, type Studied, studyWorkload } from './study.ts'

const groups = [...paper.proxies, 'all'] as const
type Group = (typeof groups)[number]

interface Done {
  readonly study: paper.InterferenceStudy
  readonly speedups: ReadonlyArray<Speedup>
  readonly isUndisturbed: boolean
}

/**
 * Runs studies of section V-B of the Pollard paper, limited to an extent, and returns their report.
 *
 * @param tell receives a text after every workload
 */
export const interferenceReport = Effect.fnUntraced(function* (
  studies: ReadonlyArray<paper.InterferenceStudy>,
  extent: Extent,
  tell: (what: string) => Effect.Effect<void> = () => Effect.void,
) {
  const done: Array<Done> = []
  for (const study of studies) {
    const found: Array<Studied> = []
    for (let workload = 0; workload < extent.workloads; workload++) {
      // A workload takes seconds. The pause before a workload lets an interruption through.
      yield* Effect.yieldNow
      found.push(yield* studyWorkload(study, workload, extent))
      yield* tell(`${study.name}: ${workload + 1} of ${extent.workloads} workloads`)
    }
    done.push({
      study,
      speedups: found.flatMap(({ speedups }) => speedups),
      isUndisturbed: found.every(({ isUndisturbed }) => isUndisturbed),
    })
  }
  const cases = extent.models.flatMap((model) => extent.routings.map((routing) => [model, routing] as const))
  return reportOf(
    [
      ...cases.map(([model, routing]) => means(done, model, routing)),
      ...done.flatMap(({ study, speedups }) =>
        cases.map(([model, routing]) =>
          details(
            `${study.name}, ${modelNames[model]}, ${routing}: time of an iteration under TO over that under TA`,
            under(speedups, model, routing),
          ),
        ),
      ),
    ],
    done.flatMap((each) => comparisonsOf(each, extent)),
  )
})

function under(speedups: ReadonlyArray<Speedup>, model: paper.Model, routing: paper.Routing): ReadonlyArray<Speedup> {
  return speedups.filter((each) => each.model === model && each.routing === routing)
}

const modelNames: Readonly<Record<paper.Model, string>> = { fluid: 'phases', snapshot: 'all at once' }

function chosen(speedups: ReadonlyArray<Speedup>, group: Group, placement: ObliviousPlacement): ReadonlyArray<Speedup> {
  return speedups.filter((each) => each.placement === placement && (group === 'all' || each.proxy === group))
}

function meanOf(speedups: ReadonlyArray<Speedup>): number | undefined {
  return speedups.length === 0 ? undefined : mean(speedups.map(({ value }) => value))
}

/** Returns the table of the Pollard paper's mean speed-ups beside our means with each guess at TO's placement. */
function means(done: ReadonlyArray<Done>, model: paper.Model, routing: paper.Routing): Table {
  return {
    title: `Mean speed-ups, ${modelNames[model]}, ${routing}`,
    heading: ['', 'pattern', 'paper', ...obliviousPlacements],
    rows: done.flatMap(({ study, speedups }) =>
      groups.flatMap((group) => {
        const value = study.speedups[group]
        if (value === undefined) return []
        const own = under(speedups, model, routing)
        const ours = obliviousPlacements.map((placement) => meanOf(chosen(own, group, placement))?.toFixed(2) ?? '-')
        return [[study.name, group, value.toFixed(2), ...ours]]
      }),
    ),
  }
}

function details(title: string, speedups: ReadonlyArray<Speedup>): Table {
  return {
    title,
    heading: ['TO', 'pattern', 'jobs', 'mean', 'most', 'below 1'],
    rows: obliviousPlacements.flatMap((placement) =>
      groups.flatMap((group) => {
        const found = chosen(speedups, group, placement)
        if (found.length === 0) return []
        const values = found.map(({ value }) => value)
        const below = (100 * values.filter((value) => value < 1).length) / values.length
        return [
          [
            placement,
            group,
            String(found.length),
            `${mean(values).toFixed(2)} ± ${halfWidth(found).toFixed(2)}`,
            most(values).toFixed(2),
            `${below.toFixed(0)} %`,
          ],
        ]
      }),
    ),
  }
}

/** Returns half the width of the mean's 95 % interval. A workload is one value: its jobs are not independent. */
function halfWidth(speedups: ReadonlyArray<Speedup>): number {
  const byWorkload = new Map<number, Array<number>>()
  for (const { workload, value } of speedups) byWorkload.set(workload, [...(byWorkload.get(workload) ?? []), value])
  return intervalOf([...byWorkload.values()].map(mean)).half ?? 0
}

function comparisonsOf({ study, speedups, isUndisturbed }: Done, { models, routings }: Extent): Array<Comparison> {
  const own = under(speedups, models[0], routings[0])
  // Cab's real allocations were scattered (Figure 1 of the Pollard paper), as under `aged first fit`.
  const values = (group: Group) => chosen(own, group, 'aged first fit')
  const what = (group: Group) => `${group === 'all' ? 'all jobs' : group}: ${study.name}`
  return [
    ...groups.flatMap((group) =>
      study.speedups[group] === undefined
        ? []
        : [compare('V-B', `speed-up of ${what(group)}`, 'ratio', study.speedups[group], meanOf(values(group)))],
    ),
    ...groups.flatMap((group) =>
      study.largest?.[group] === undefined
        ? []
        : [
            compare(
              'V-B',
              `largest speed-up of ${what(group)}`,
              'ratio',
              study.largest[group],
              values(group).length === 0 ? undefined : most(values(group).map(({ value }) => value)),
            ),
          ],
    ),
    state('V-B', `no job under TA is slowed by another job: ${study.name}`, isUndisturbed),
  ]
}
