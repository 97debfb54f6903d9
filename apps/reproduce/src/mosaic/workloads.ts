import { type Outcomes, plan, type Planned, type Scheme } from '../experiment/outcomes.ts'
import { mean } from '../report/statistics.ts'

/** Numbers of jobs left out from the start of a trace: workloads of about the same load get other schedules. */
export const dropped: ReadonlyArray<number> = [0, 10, 20, 30, 40]

/** Plans the runs of every scheme on every workload of a trace. */
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

/** Returns a scheme's utilization in steady state on each workload of a trace. */
export function steady(outcomes: Outcomes, trace: string, scheme: string): ReadonlyArray<number> {
  return dropped.flatMap((jobs) => outcomes.get(workload(trace, jobs), scheme)?.metrics.utilization.steady ?? [])
}

/** Student's t for a two-sided 95 % interval, by degrees of freedom from 0 to 4. */
const student = [Infinity, 12.71, 4.303, 3.182, 2.776]

/** Returns the mean of shares ± half the width of its 95 % interval as a text in percent; one value has no interval. */
export function withInterval(values: ReadonlyArray<number>): string {
  if (values.length === 0) return '-'
  const middle = mean(values)
  if (values.length === 1) return `${(100 * middle).toFixed(2)} %`
  const variance = values.reduce((sum, value) => sum + (value - middle) * (value - middle), 0) / (values.length - 1)
  const half = student[values.length - 1] * Math.sqrt(variance / values.length)
  return `${(100 * middle).toFixed(2)} ± ${(100 * half).toFixed(2)} %`
}
