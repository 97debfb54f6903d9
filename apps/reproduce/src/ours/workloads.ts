import { intervalOf } from '@cloister/sweep/interval'
import {
  type OnMachine,
  type Outcomes,
  plan,
  type Planned,
  type Scheme,
  steady,
  withoutFirst,
} from '../experiment/planned-runs.ts'

/** Numbers of jobs left out from the start of a trace: workloads of about the same load get other schedules. */
export const dropped = [0, 10, 20, 30, 40]

/** Plans the runs of every scheme on every workload of a trace. */
export function plannedOnWorkloads(
  trace: OnMachine,
  queue: string,
  schemes: ReadonlyArray<Scheme>,
): ReadonlyArray<Planned> {
  return dropped.flatMap((jobs) =>
    schemes.map((scheme) => withoutFirst(plan({ ...trace, name: workload(trace.name, jobs) }, queue, scheme), jobs)),
  )
}

function workload(trace: string, jobs: number): string {
  return `${trace} without its first ${jobs} jobs`
}

/** Returns a scheme's utilization in steady state on each workload of a trace. */
export function onEachWorkload(outcomes: Outcomes, trace: string, scheme: string): ReadonlyArray<number> {
  return outcomes.values(
    steady,
    dropped.map((jobs) => workload(trace, jobs)),
    scheme,
  )
}

/** Returns the mean of shares ± half the width of its 95 % interval as a text in percent; one value has no interval. */
export function withInterval(values: ReadonlyArray<number>): string {
  const shown = interval(values)
  return shown === '-' ? shown : `${shown} %`
}

/** Returns the mean difference of paired shares ± half the width of its 95 % interval as a text in points. */
export function differenceWithInterval(values: ReadonlyArray<number>, from: ReadonlyArray<number>): string {
  return interval(values.length === from.length ? values.map((value, at) => value - from[at]) : [], '+')
}

function interval(values: ReadonlyArray<number>, sign: '+' | '' = ''): string {
  if (values.length === 0) return '-'
  const { mean, half } = intervalOf(values)
  const shown = `${mean >= 0 ? sign : ''}${(100 * mean).toFixed(2)}`
  return half === null ? shown : `${shown} ± ${(100 * half).toFixed(2)}`
}
