import type { Header } from '@cloister/eventlog'
import type { Metrics } from '@cloister/metrics'
import { useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import type { Side } from '../state/view-state.ts'
import type { RunClient } from '../state/run-client.ts'
import { runs } from '../state/session.ts'
import { count, percent, span } from '../text/times.ts'

/** A name, and a text for each run. */
type Row = readonly [name: string, ...of: ReadonlyArray<string>]

/** The metrics of what is read so far, as `cloister metrics` computes them, and the settings of the runs. */
export function FiguresPanel(): JSX.Element {
  const metrics = useSignal<ReadonlyMap<Side, Metrics>>(new Map())
  useSignalEffect(() => {
    for (const run of runs.value) {
      void run.version.value
      run.answerer.ask('metrics', {}).then(
        (answer) => {
          metrics.value = new Map(metrics.peek()).set(run.side, answer)
        },
        (error: unknown) => {
          run.error.value = (error as Error).message
        },
      )
    }
  })
  const known = runs.value.flatMap((run) => {
    const [header, measured] = [run.overview.value?.header, metrics.value.get(run.side)]
    return header === undefined || measured === undefined
      ? []
      : [{ run, figures: figuresOf(measured), making: makingOf(run, header) }]
  })
  if (known.length < runs.value.length) return <p class="empty">Measuring…</p>
  const heads = known.length > 1 ? known.map(({ run }) => run.side.toUpperCase()) : []
  const settings = rowsOf(known.map(({ making }) => making))
  return (
    <>
      <h3>{heads.length === 0 ? 'Figures' : 'Figures, by what differs between the runs'}</h3>
      <Rows heads={heads} rows={[...settings.filter(differs), ...rowsOf(known.map(({ figures }) => figures))]} />
      <h3>{heads.length === 0 ? 'The run' : 'What the runs have in common'}</h3>
      <Rows heads={[]} rows={settings.filter((row) => !differs(row)).map(([name, fact]) => [name, fact])} />
    </>
  )
}

type Facts = ReadonlyArray<readonly [name: string, fact: string]>

function figuresOf({
  jobs,
  utilization,
  makespan,
  wait,
  turnaround,
  slowdown,
  backfilled,
  fragmentation,
}: Metrics): Facts {
  return [
    [
      'jobs',
      `${count(jobs.submitted)}: ${count(jobs.finished)} finished${jobs.rejected > 0 ? `, ${count(jobs.rejected)} turned away` : ''}${jobs.killed > 0 ? `, ${count(jobs.killed)} killed` : ''}${jobs.cancelled > 0 ? `, ${count(jobs.cancelled)} taken back` : ''}`,
    ],
    ['utilization, steady state', known(utilization.steady, (value) => percent(value, 2))],
    ['utilization, overall', known(utilization.overall, (value) => percent(value, 2))],
    ['makespan', known(makespan, span)],
    ['wait, mean', known(wait.mean, span)],
    ['wait, median', known(wait.median, span)],
    ['wait, longest', known(wait.max, span)],
    ['turnaround, mean', known(turnaround.mean, span)],
    ['slowdown, bounded mean', known(slowdown.bounded, (value) => value.toFixed(1))],
    ['backfilled starts', known(backfilled, (value) => percent(value))],
    ['lost inside allocations', known(fragmentation.internal, (value) => percent(value, 2))],
    ['idle while jobs wait', known(fragmentation.external, (value) => percent(value, 2))],
    ['of that by placement alone', known(fragmentation.placement, (value) => percent(value, 2))],
  ]
}

function makingOf(
  { topology: { nodes } }: RunClient,
  {
    policy,
    topology,
    workload,
    arrivals,
    queue,
    estimates,
    overrun,
    scenario,
    communication,
    run_times,
    seed,
    program,
    x,
  }: Header,
): Facts {
  const window = x?.['window']
  return [
    [
      'policy',
      `${policy.name}@${policy.version} ${Object.keys(policy.config).length === 0 ? '' : JSON.stringify(policy.config)}`,
    ],
    ['machine', `${topology.name}, ${count(nodes)} nodes`],
    [
      'workload',
      `${workload.name}, ${count(workload.jobs)} jobs${workload.filter === '' ? '' : ` (${workload.filter})`}, arrivals ${arrivals}`,
    ],
    [
      'queue',
      `${queue.order}, ${queue.backfill}${queue.window === undefined ? '' : ` with a window of ${queue.window}`}${queue.kill === true ? ', kills for reservations' : ''}`,
    ],
    ['estimates', `${estimates}, overrun: ${overrun}`],
    ['scenario', scenario],
    ['run times', run_times ?? 'as in the workload'],
    ['communication', communication ?? '–'],
    ['seed', String(seed)],
    ['written by', program],
    ...(window === undefined ? [] : [['a part of it', `extracted: ${JSON.stringify(window)}`] as const]),
  ]
}

function differs([, first, ...others]: Row): boolean {
  return others.some((other) => other !== first)
}

/** One row for each name, with a fact for each run. */
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
