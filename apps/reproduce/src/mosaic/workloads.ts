import { type Outcomes, plan, type Planned, type Scheme } from '../experiment/outcomes.ts'
import { mean } from '../report/statistics.ts'

/** Numbers of first jobs left out of each trace, to get other orders of the same load. */
export const dropped: ReadonlyArray<number> = [0, 10, 20, 30, 40]

/** Plans every scheme on every workload of a trace. */
export function onWorkloads(trace: Parameters<typeof plan>[0], schemes: ReadonlyArray<Scheme>): ReadonlyArray<Planned> {
  return dropped.flatMap((jobs) =>
    schemes.map((scheme) => {
      const planned = plan({ ...trace, name: workload(trace.name, jobs) }, scheme)
      return jobs === 0 ? planned : { ...planned, spec: { ...planned.spec, resample: `drop-first:${jobs}` } }
    }),
  )
}

function workload(trace: string, jobs: number): string {
  return `${trace} without its first ${jobs} jobs`
}

/** Returns the utilization in steady state on each workload of a trace. */
export function steady(outcomes: Outcomes, trace: string, scheme: string): ReadonlyArray<number> {
  return dropped.flatMap((jobs) => outcomes.get(workload(trace, jobs), scheme)?.metrics.utilization.steady ?? [])
}

/** Student's t for 95 % of both sides, by degrees of freedom. */
const student = [Infinity, 12.71, 4.303, 3.182, 2.776]

/** Returns the mean and half of its interval of 95 % as a text; without the interval for a single value. */
export function withInterval(values: ReadonlyArray<number>): string {
  if (values.length === 0) return '-'
  const middle = mean(values)
  if (values.length === 1) return `${(100 * middle).toFixed(2)} %`
  const variance = values.reduce((sum, value) => sum + (value - middle) * (value - middle), 0) / (values.length - 1)
  const half = student[values.length - 1] * Math.sqrt(variance / values.length)
  return `${(100 * middle).toFixed(2)} ± ${(100 * half).toFixed(2)} %`
}
