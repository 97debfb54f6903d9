import { parseIdset } from '@cloister/topology'
import type { Header, LogRecord, Submit, TopologyRef, Window } from '@cloister/eventlog'
import type { Metrics, Quartiles, Wait } from '../src/index.ts'

type JobState = 'waiting' | 'running' | 'finished' | 'killed' | 'rejected' | 'cancelled'
interface Job {
  readonly id: string
  readonly size: number
  state: JobState
  nodes: ReadonlyArray<number>
}
interface State {
  readonly jobs: ReadonlyArray<Job>
  readonly down: ReadonlySet<number>
}

/**
 * Metrics that the naive model computes from the state of every second. The tests of a log of five jobs have all other
 * metrics, computed by hand.
 */
type NaiveMetrics = Pick<
  Metrics,
  | 'notPlaced'
  | 'policy'
  | 'topology'
  | 'workload'
  | 'jobs'
  | 'utilization'
  | 'steadyState'
  | 'makespan'
  | 'wait'
  | 'turnaround'
  | 'slowdown'
  | 'backfilled'
  | 'fragmentation'
  | 'nodeTime'
  | 'nodeHours'
  | 'instantaneous'
>

/**
 * Computes `Metrics` literally from the definitions: reads the log from its start to find the state of every second.
 *
 * @param window window of the figures; absent for the whole run
 */
export function naiveMetrics(all: ReadonlyArray<LogRecord>, window?: Window): NaiveMetrics {
  const records = all.filter((r) => r.type === 'header' || r.t <= (window?.until ?? Infinity))
  const begin = window?.from ?? 0
  const header = records[0] as Header
  const nodes = (header.topology as Extract<TopologyRef, { graph: unknown }>).graph.leaves[0]
  const last = window?.until ?? (records.length === 1 ? 0 : (records[records.length - 1] as { t: number }).t)
  const seconds = Array.from({ length: last + 1 }, (_, s) =>
    stateAfter(records.filter((r) => r.type === 'header' || r.t <= s)),
  )
  const final = stateAfter(records)
  const times = (types: ReadonlyArray<string>, id?: string): number[] =>
    records.flatMap((r) =>
      types.includes(r.type) && r.type !== 'header' && (id === undefined || ('job' in r && r.job === id)) ? [r.t] : [],
    )

  const arrivals = times(['submit'])
  const ends = times(['finish', 'kill'])
  const starts = times(['allocate'])
  const first = window?.from ?? arrivals[0]
  const lastEnd = window?.until ?? (ends.length === 0 ? undefined : ends[ends.length - 1])
  const lastStart = starts[starts.length - 1]
  const steadyFrom = seconds.findIndex((state) => waitingJobs(state).length > 0)
  const hasSteady = window === undefined && steadyFrom >= 0 && lastStart > steadyFrom
  const steady = hasSteady ? seconds.slice(steadyFrom, lastStart) : []
  const steadyShare = (of: (state: State) => number): number | null => share(steady, nodes, of)
  const idle = (state: State): number =>
    Array.from({ length: nodes }, (_, node) => node).filter(
      (node) => !state.down.has(node) && !state.jobs.some((job) => job.nodes.includes(node)),
    ).length

  const submitOf = (job: Job): number => times(['submit'], job.id)[0]
  const startOf = (job: Job): number => times(['allocate'], job.id).at(-1)!
  const endOf = (job: Job): number => times(['finish', 'kill'], job.id).at(-1)!
  const happened = (types: ReadonlyArray<string>) => (job: Job) => times(types, job.id).some((t) => t >= begin)
  const cameTo = (state: JobState, type: string): Job[] =>
    final.jobs.filter((job) => job.state === state).filter(happened([type]))
  const started = final.jobs.filter(happened(['allocate']))
  const ended = [...cameTo('finished', 'finish'), ...cameTo('killed', 'kill')]
  const waitOf = (job: Job): number =>
    seconds.slice(0, startOf(job)).filter((state) => state.jobs.some((j) => j.id === job.id && j.state === 'waiting'))
      .length
  const turnaround = (job: Job): number => endOf(job) - submitOf(job)
  const run = (job: Job): number => endOf(job) - startOf(job)

  const span = lastEnd === undefined ? [] : seconds.slice(first, lastEnd)
  const tooFew = (state: State): boolean => waitingJobs(state).every((job) => job.size > idle(state))
  const parts: Record<keyof NonNullable<Metrics['nodeTime']>, (state: State) => number> = {
    busy,
    beyondRequest: (state) => held(state) - busy(state),
    down: (state) => nodes - held(state) - idle(state),
    noJob: (state) => (waitingJobs(state).length === 0 ? idle(state) : 0),
    tooFewNodes: (state) => (waitingJobs(state).length > 0 && tooFew(state) ? idle(state) : 0),
    fragmented: (state) => (tooFew(state) ? 0 : idle(state)),
  }
  const nodeTimeIn = (unit: number): Metrics['nodeTime'] =>
    span.length === 0
      ? null
      : (Object.fromEntries(
          Object.entries(parts).map(([part, of]) => [part, span.reduce((sum, state) => sum + of(state), 0) / unit]),
        ) as unknown as Metrics['nodeTime'])

  const nodeTimeOf = (some: ReadonlyArray<Job>): number =>
    some.reduce((sum, { id, size }) => {
      const submit = records.find((r) => r.type === 'submit' && r.job === id) as Submit
      return sum + size * (submit.estimate ?? NaN)
    }, 0)
  const there = final.jobs.filter(({ state }) => state === 'waiting' || state === 'running')
  there.push(...ended, ...cameTo('rejected', 'reject'), ...cameTo('cancelled', 'cancel'))
  const allNodeTime = nodeTimeOf(there)
  const inState = (state: JobState): Metrics['notPlaced']['waiting'] => {
    const some = there.filter((job) => job.state === state)
    return {
      jobs: some.length,
      share: there.length === 0 ? null : some.length / there.length,
      nodeTime: allNodeTime > 0 ? nodeTimeOf(some) / allNodeTime : null,
    }
  }

  return {
    notPlaced: { rejected: inState('rejected'), waiting: inState('waiting') },
    policy: 'toy@1.0.0',
    topology: 'toy',
    workload: 'toy jobs',
    jobs: {
      submitted: final.jobs.filter(happened(['submit'])).length,
      started: started.length,
      finished: cameTo('finished', 'finish').length,
      rejected: cameTo('rejected', 'reject').length,
      killed: cameTo('killed', 'kill').length,
      cancelled: cameTo('cancelled', 'cancel').length,
    },
    utilization: {
      steady: steadyShare(busy),
      overall: lastEnd === undefined ? null : share(seconds.slice(first, lastEnd), nodes, busy),
      perMinute:
        lastEnd === undefined
          ? null
          : quartiles(
              seconds
                .slice(first, lastEnd)
                .filter((_, s) => s % 60 === 0)
                .map((s) => busy(s) / nodes),
            ),
    },
    steadyState: steady.length === 0 ? null : { from: steadyFrom, to: lastStart },
    makespan: lastEnd === undefined || window !== undefined ? null : lastEnd - first,
    wait: {
      ...summary(started.map(waitOf)),
      bySize: (
        [
          ['1', 1, 1],
          ['2-4', 2, 4],
          ['5-16', 5, 16],
          ['17-64', 17, 64],
          ['65-256', 65, 256],
          ['257+', 257, 1e9],
        ] as const
      ).map(([sizes, from, to]) => {
        const members = started.filter((job) => job.size >= from && job.size <= to)
        return { sizes, jobs: members.length, ...summary(members.map(waitOf)) }
      }),
    },
    turnaround: {
      mean: mean(ended.map(turnaround)),
      large: mean(ended.filter((job) => job.size > 100).map(turnaround)),
    },
    slowdown: {
      mean: mean(ended.filter((job) => run(job) > 0).map((job) => turnaround(job) / run(job))),
      bounded: mean(ended.map((job) => Math.max(1, turnaround(job) / Math.max(10, run(job))))),
    },
    backfilled: mean(
      records.flatMap((r) => (r.type === 'allocate' && r.t >= begin ? [r.backfill === undefined ? 0 : 1] : [])),
    ),
    fragmentation: {
      internal: steadyShare((state) => held(state) - busy(state)),
      external: steadyShare((state) => (waitingJobs(state).length > 0 ? idle(state) : 0)),
      placement: steadyShare((state) =>
        waitingJobs(state).length > 0 && waitingJobs(state)[0].size <= idle(state) ? idle(state) : 0,
      ),
    },
    nodeTime: nodeTimeIn(nodes * span.length),
    nodeHours: nodeTimeIn(3600),
    instantaneous: bins(records, nodes, begin),
  }
}

function stateAfter(records: ReadonlyArray<LogRecord>): State {
  const jobs: Job[] = []
  const down = new Set<number>()
  const job = (id: string): Job => jobs.find((j) => j.id === id)!
  for (const r of records) {
    if (r.type === 'submit') jobs.push({ id: r.job, size: r.size, state: 'waiting', nodes: [] })
    if (r.type === 'allocate') Object.assign(job(r.job), { state: 'running', nodes: [...parseIdset(r.nodes)] })
    if (r.type === 'finish') job(r.job).state = 'finished'
    if (r.type === 'kill') job(r.job).state = 'killed'
    if (r.type === 'release') job(r.job).nodes = []
    if (r.type === 'requeue') job(r.job).state = 'waiting'
    if (r.type === 'reject') job(r.job).state = 'rejected'
    if (r.type === 'cancel' && job(r.job).state === 'waiting') job(r.job).state = 'cancelled'
    if (r.type === 'down') for (const node of parseIdset(r.nodes)) down.add(node)
    if (r.type === 'up') for (const node of parseIdset(r.nodes)) down.delete(node)
  }
  return { jobs, down }
}

function bins(records: ReadonlyArray<LogRecord>, nodes: number, begin: number): Metrics['instantaneous'] {
  const counts = { '98': 0, '95': 0, '90': 0, '80': 0, '60': 0, '0': 0 }
  records.forEach((r, i) => {
    if ((r.type !== 'allocate' && r.type !== 'release') || r.t < begin) return
    const percent = (busy(stateAfter(records.slice(0, i + 1))) / nodes) * 100
    if (percent >= 98) counts['98']++
    else if (percent >= 95) counts['95']++
    else if (percent >= 90) counts['90']++
    else if (percent >= 80) counts['80']++
    else if (percent >= 60) counts['60']++
    else counts['0']++
  })
  return counts
}

function waitingJobs(state: State): Job[] {
  return state.jobs.filter((job) => job.state === 'waiting')
}
function held(state: State): number {
  return state.jobs.reduce((sum, job) => sum + job.nodes.length, 0)
}
function busy(state: State): number {
  return state.jobs.reduce((sum, job) => sum + (job.nodes.length > 0 ? job.size : 0), 0)
}

function share(seconds: ReadonlyArray<State>, nodes: number, of: (state: State) => number): number | null {
  return seconds.length === 0 ? null : seconds.reduce((sum, state) => sum + of(state), 0) / (nodes * seconds.length)
}

function mean(values: ReadonlyArray<number>): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

function summary(values: ReadonlyArray<number>): Wait {
  return {
    mean: mean(values),
    median: quartiles(values)?.median ?? null,
    max: values.length === 0 ? null : Math.max(...values),
  }
}

function quartiles(values: ReadonlyArray<number>): Quartiles | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): number => {
    const position = (sorted.length - 1) * share
    const low = sorted[Math.floor(position)]
    return low + (position % 1) * (sorted[Math.ceil(position)] - low)
  }
  return { min: at(0), q1: at(0.25), median: at(0.5), q3: at(0.75), max: at(1) }
}
