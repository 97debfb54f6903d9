import { formatIdset } from '@cloister/topology'
import type { Header, LogRecord } from '@cloister/eventlog'
import fc from 'fast-check'

/** Returns a header for a cluster of one leaf. */
export function header(nodes: number): Header {
  return {
    seq: 0,
    type: 'header',
    format: 'cloister-log',
    version: 3,
    revision: 0,
    origin: 'simulated',
    topology: { name: 'toy', graph: { leaves: [nodes], parents: [] } },
    workload: { name: 'toy jobs', filter: '', jobs: 0, sha256: '0'.repeat(64) },
    policy: {
      name: 'toy',
      version: '1.0.0',
      config: {},
      claims: {
        links: 'shared',
        full_bandwidth: false,
        exact_size: false,
        monotone: false,
        complete: false,
        speedup_scenarios: false,
      },
    },
    options: { arrivals: 'trace', queue: 'easy:50', estimates: 'exact', overrun: 'run-on' },
    seal_every: 256,
    program: 'test',
  }
}

interface ToyJob {
  readonly submit: number
  readonly size: number
  readonly run: number
  readonly estimate: number | undefined
  readonly fate: 'finish' | 'kill' | 'requeue' | 'cancel'
}

/** A record without `seq`; `t` is in seconds. */
type Entry = { readonly t: number; readonly type: string; readonly [field: string]: unknown }

const toyJob: fc.Arbitrary<ToyJob> = fc.record({
  submit: fc.oneof(fc.constant(0), fc.nat(200)),
  size: fc.integer({ min: 1, max: 130 }),
  run: fc.nat(150),
  estimate: fc.option(fc.nat(150), { nil: undefined, freq: 20 }),
  fate: fc.constantFrom('finish', 'finish', 'finish', 'kill', 'requeue', 'cancel'),
})

/**
 * Returns the log of a scheduler that decides by `choices` alone. The scheduler starts jobs in any order, allocates
 * more nodes than requested to some jobs, kills, requeues and cancels. Idle and allocated nodes fail. Times are whole
 * seconds.
 */
export const randomLog: fc.Arbitrary<LogRecord[]> = fc
  .record({
    nodes: fc.integer({ min: 1, max: 128 }),
    jobs: fc.array(toyJob, { maxLength: 12 }),
    choices: fc.array(fc.nat(9), { minLength: 40, maxLength: 40 }),
  })
  .map(({ nodes, jobs, choices }) => toyRun(nodes, jobs, choices))

function toyRun(nodes: number, jobs: ReadonlyArray<ToyJob>, choices: ReadonlyArray<number>): LogRecord[] {
  const entries: Entry[] = []
  let chosen = 0
  const choose = (below: number): boolean => choices[chosen++ % choices.length] < below
  const free = new Set(Array.from({ length: nodes }, (_, node) => node))
  const down = new Set<number>()
  const waiting: number[] = []
  const requeued = new Set<number>()
  const running = new Map<number, { readonly end: number; readonly nodes: ReadonlyArray<number> }>()

  const takeFree = (count: number): number[] => {
    const taken = [...free].sort((a, b) => a - b).slice(0, count)
    for (const node of taken) free.delete(node)
    return taken
  }
  const endJobs = (t: number): void => {
    for (const [index, run] of running) {
      if (run.end !== t) continue
      running.delete(index)
      for (const node of run.nodes) if (!down.has(node)) free.add(node)
      const job = `${index}`
      const killed = jobs[index].fate === 'kill' || jobs[index].fate === 'requeue'
      if (jobs[index].fate === 'cancel') entries.push({ t, type: 'cancel', job })
      if (killed) entries.push({ t, type: 'kill', job, code: 'node-down', cause: 0 })
      else entries.push({ t, type: 'finish', job, cause: 0 })
      entries.push({ t, type: 'release', job, cause: 0 })
      if (jobs[index].fate === 'requeue' && !requeued.has(index)) {
        requeued.add(index)
        waiting.push(index)
        entries.push({ t, type: 'requeue', job, cause: 0 })
      }
    }
  }
  const startJobs = (t: number): void => {
    for (const index of waiting.slice()) {
      const { size, run } = jobs[index]
      const given = size + (choose(3) ? 2 : 0)
      if (given > free.size || choose(3)) continue
      waiting.splice(waiting.indexOf(index), 1)
      const taken = takeFree(given)
      running.set(index, { end: t + run, nodes: taken })
      const backfill = choose(5) ? { backfill: 1 } : {}
      entries.push({ t, type: 'allocate', job: `${index}`, nodes: formatIdset(taken), ...backfill, cause: 0 })
    }
  }

  for (let t = 0; t <= 700; t++) {
    endJobs(t)
    if (t % 37 === 0 && choose(4)) {
      const failing = Array.from({ length: nodes }, (_, node) => node).filter(
        (node) => !down.has(node) && (node + t) % 5 === 0,
      )
      for (const node of failing) {
        down.add(node)
        free.delete(node)
      }
      if (failing.length > 0) entries.push({ t, type: 'down', nodes: formatIdset(failing) })
    } else if (t % 41 === 0 && down.size > 0) {
      const [node] = down
      down.delete(node)
      if (![...running.values()].some((run) => run.nodes.includes(node))) free.add(node)
      entries.push({ t, type: 'up', nodes: `${node}` })
    }
    jobs.forEach(({ submit, size, estimate }, index) => {
      if (submit !== t) return
      entries.push({ t, type: 'submit', job: `${index}`, size, ...(estimate === undefined ? {} : { estimate }) })
      if (size > nodes)
        entries.push({ t, type: 'reject', job: `${index}`, code: 'never', constraint: 'machine size', cause: 0 })
      else waiting.push(index)
    })
    if (waiting.length > 0 && choose(1)) {
      const index = waiting.splice(0, 1)[0]
      entries.push({ t, type: 'cancel', job: `${index}` })
    }
    startJobs(t)
    endJobs(t)
  }
  return [header(nodes), ...entries.map((entry, i) => ({ seq: i + 1, ...entry }) as unknown as LogRecord)]
}
