import { nameWithRails } from '@cloister/topology'
import type { Header } from '@cloister/eventlog'
import type { Metrics } from '@cloister/metrics'
import { useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { count, percent, span, useNames } from '../../words.ts'
import type { Panel } from '../extensions.ts'
import type { RunClient } from '../state/run-client.ts'
import { runs, timeText } from '../state/session.ts'
import type { Side } from '../state/view-state.ts'

type Row = readonly [name: string, ...of: ReadonlyArray<string>]

/** Metrics of each run, computed from the records read so far as by `cloister metrics`, and settings of each run. */
export const figuresPanel: Panel = {
  name: 'figures',
  title: 'Figures',
  command: 'figures of the run',
  content: FiguresPanel,
}

function FiguresPanel(): JSX.Element {
  const metrics = useSignal<ReadonlyMap<Side, Metrics>>(new Map())
  useSignalEffect(() => {
    for (const run of runs.value) {
      void run.version.value
      run.answerer.ask('metrics', {}).then((answer) => {
        metrics.value = new Map(metrics.peek()).set(run.side, answer)
      }, run.fails)
    }
  })
  const known = runs.value.flatMap((run) => {
    const [header, measured] = [run.overview.value?.header, metrics.value.get(run.side)]
    return header === undefined || measured === undefined
      ? []
      : [{ run, figures: figuresOf(measured, header), making: makingOf(run, header) }]
  })
  if (known.length < runs.value.length) return <p class="empty">Measuring…</p>
  const heads = known.length > 1 ? known.map(({ run }) => run.side.toUpperCase()) : []
  const settings = rowsOf(known.map(({ making }) => making))
  return (
    <>
      <h3>{heads.length === 0 ? 'Figures' : 'Figures, below the settings that differ'}</h3>
      <Rows heads={heads} rows={[...settings.filter(differs), ...rowsOf(known.map(({ figures }) => figures))]} />
      <h3>{heads.length === 0 ? 'The run' : 'Common settings'}</h3>
      <Rows heads={[]} rows={settings.filter((row) => !differs(row)).map(([name, fact]) => [name, fact])} />
    </>
  )
}

type Facts = ReadonlyArray<readonly [name: string, fact: string]>

function figuresOf(
  { jobs, utilization, makespan, wait, turnaround, slowdown, backfilled, fragmentation }: Metrics,
  { part }: Header,
): Facts {
  const share = (value: number | null): string => known(value, (each) => percent(each, 2))
  // Makespan, fragmentation and the utilization in steady state are shown for whole runs only, not for parts of runs.
  const ofWholeRun = (...facts: Facts): Facts => (part === undefined ? facts : [])
  return [
    ...(part === undefined ? [] : [['figures of', `${timeText(part.from)} to ${timeText(part.until)}`] as const]),
    [
      'jobs',
      `${count(jobs.submitted)}: ${count(jobs.finished)} finished${jobs.rejected > 0 ? `, ${count(jobs.rejected)} rejected` : ''}${jobs.killed > 0 ? `, ${count(jobs.killed)} killed for good` : ''}${jobs.cancelled > 0 ? `, ${count(jobs.cancelled)} cancelled` : ''}`,
    ],
    ...ofWholeRun(['utilization, steady state', share(utilization.steady)]),
    [part === undefined ? 'utilization, overall' : 'utilization, in these times', share(utilization.overall)],
    ...ofWholeRun(['makespan', known(makespan, span)]),
    ['wait, mean', known(wait.mean, span)],
    ['wait, median', known(wait.median, span)],
    ['wait, longest', known(wait.max, span)],
    ['turnaround, mean', known(turnaround.mean, span)],
    ['slowdown, bounded mean', known(slowdown.bounded, (value) => value.toFixed(1))],
    ['backfilled starts', known(backfilled, (value) => percent(value))],
    ...ofWholeRun(
      [useNames.internal, share(fragmentation.internal)],
      [useNames.external, share(fragmentation.external)],
      [useNames.placement, share(fragmentation.placement)],
    ),
  ]
}

function makingOf(
  { topology: { nodes } }: RunClient,
  { policy, topology, workload, options, program, part }: Header,
): Facts {
  return [
    [
      'policy',
      `${policy.name}@${policy.version} ${Object.keys(policy.config).length === 0 ? '' : JSON.stringify(policy.config)}`,
    ],
    ['machine', `${nameWithRails(topology)}, ${count(nodes)} nodes`],
    [
      'workload',
      `${workload.name}, ${count(workload.jobs)} jobs${workload.filter === '' ? '' : ` (${workload.filter})`}, arrivals ${options.arrivals}`,
    ],
    ...Object.entries(options).flatMap(([name, value]) =>
      name === 'arrivals' ? [] : [[`option ${name}`, String(value)] as const],
    ),
    ['written by', program],
    ...(part === undefined
      ? []
      : [['a part of a run', `from ${timeText(part.from)} to ${timeText(part.until)}`] as const]),
  ]
}

function differs([, first, ...others]: Row): boolean {
  return others.some((other) => other !== first)
}

function rowsOf(of: ReadonlyArray<Facts>): ReadonlyArray<Row> {
  const names = new Set(of.flatMap((facts) => facts.map(([name]) => name)))
  return Array.from(names, (name) => [name, ...of.map((facts) => facts.find(([other]) => other === name)?.[1] ?? '–')])
}

function Rows({
  heads,
  rows,
}: {
  readonly heads: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}): JSX.Element {
  return (
    <table class="facts">
      {heads.length === 0 ? null : (
        <thead>
          <tr>
            <td />
            {heads.map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map(([name, ...of]) => (
          <tr key={name} data-selected={differs([name, ...of])}>
            <th scope="row">{name}</th>
            {of.map((fact, at) => (
              <td key={heads[at] ?? ''}>{fact}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function known(value: number | null, show: (value: number) => string): string {
  return value === null ? '–' : show(value)
}
