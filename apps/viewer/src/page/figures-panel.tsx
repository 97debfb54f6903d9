import type { Metrics } from '@cloister/metrics'
import { useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import type { RunClient } from './run-client.ts'
import { count, percent, span } from './times.ts'

/** What `cloister metrics` measures, of what is read so far; and how the run was made. */
export function FiguresPanel({ run }: { readonly run: RunClient }): JSX.Element {
  const metrics = useSignal<Metrics | undefined>(undefined)
  useSignalEffect(() => {
    void run.version.value
    run.answerer.ask('metrics', {}).then((answer) => { metrics.value = answer }, (error: unknown) => { run.error.value = (error as Error).message })
  })
  const header = run.overview.value?.header
  if (header === undefined || metrics.value === undefined) return <p class="empty">Measuring…</p>
  const { jobs, utilization, makespan, wait, turnaround, slowdown, backfilled, fragmentation } = metrics.value
  const { queue } = header
  return (
    <>
      <h3>Figures</h3>
      <Facts facts={[
        ['jobs', `${count(jobs.submitted)}: ${count(jobs.finished)} finished${jobs.rejected > 0 ? `, ${count(jobs.rejected)} turned away` : ''}${jobs.killed > 0 ? `, ${count(jobs.killed)} killed` : ''}${jobs.cancelled > 0 ? `, ${count(jobs.cancelled)} taken back` : ''}`],
        ['utilization, steady state', known(utilization.steady, (value) => percent(value, 2))],
        ['utilization, overall', known(utilization.overall, (value) => percent(value, 2))],
        ['makespan', known(makespan, span)],
        ['wait', `${known(wait.mean, span)} on average, median ${known(wait.median, span)}, at most ${known(wait.max, span)}`],
        ['turnaround, mean', known(turnaround.mean, span)],
        ['slowdown, bounded mean', known(slowdown.bounded, (value) => value.toFixed(1))],
        ['backfilled starts', known(backfilled, (value) => percent(value))],
        ['lost inside allocations', known(fragmentation.internal, (value) => percent(value, 2))],
        ['idle while jobs wait', known(fragmentation.external, (value) => percent(value, 2))],
        ['of that by placement alone', known(fragmentation.placement, (value) => percent(value, 2))],
      ]} />
      <h3>The run</h3>
      <Facts facts={[
        ['policy', `${header.policy.name}@${header.policy.version} ${Object.keys(header.policy.config).length === 0 ? '' : JSON.stringify(header.policy.config)}`],
        ['machine', `${header.topology.name}, ${count(run.topology.nodes)} nodes`],
        ['workload', `${header.workload.name}, ${count(header.workload.jobs)} jobs${header.workload.filter === '' ? '' : ` (${header.workload.filter})`}, arrivals ${header.arrivals}`],
        ['queue', `${queue.order}, ${queue.backfill}${queue.window === undefined ? '' : ` with a window of ${queue.window}`}${queue.kill === true ? ', kills for reservations' : ''}`],
        ['estimates', `${header.walltime}, overrun: ${header.overrun}`],
        ['scenario', header.scenario],
        ['seed', String(header.seed)],
        ['written by', header.program],
        ...(header.x?.['cut'] === undefined ? [] : [['a part of it', `cut out: ${JSON.stringify(header.x['cut'])}`] as const]),
      ]} />
    </>
  )
}

function Facts({ facts }: { readonly facts: ReadonlyArray<readonly [string, string]> }): JSX.Element {
  return <dl>{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
}

function known(value: number | null, show: (value: number) => string): string { return value === null ? '–' : show(value) }
