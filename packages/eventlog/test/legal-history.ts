import type { Topology } from '@cloister/topology'
import fc from 'fast-check'
import type { Resources, Recorder } from '../src/index.ts'

interface Held extends Resources {
  readonly seq: number
  readonly bandwidth: number
}

/**
 * Tells a recorder a random history in which every record can follow the records before. Nodes and times are
 * arbitrary, but no node is held by two jobs. `next(n)` is the source of chance: an integer below n.
 */
export function tellLegalHistory(
  to: Recorder,
  topology: Topology,
  capped: boolean,
  steps: number,
  next: (n: number) => number,
): void {
  const sizes = [topology.nodes, ...topology.levels.map((level) => level.links)]
  const waiting: string[] = []
  const reserved = new Map<string, number>()
  const running = new Map<string, Held>()
  /** Type and seq of the record that ended the run of each ended job. */
  const ended = new Map<string, { readonly type: 'finish' | 'kill' | 'withdraw'; readonly seq: number }>()
  const killed: string[] = []
  /** Seq of the first route record of each job with routes. */
  const routed = new Map<string, number>()
  const down = sizes.map(() => new Set<number>())
  let t = 0
  let jobs = 0
  let cause = 0

  const pick = (from: Iterable<string>): string | undefined => {
    const all = [...from]
    return all.length === 0 ? undefined : all[next(all.length)]
  }
  const owned = (region: number, id: number) =>
    [...running.values()].some((held) =>
      Array.from(region === 0 ? held.nodes : (held.links[region - 1] ?? [])).includes(id),
    )
  const subset = (allowed: (region: number, id: number) => boolean): Resources => {
    const [nodes, ...links] = sizes.map((size, region) => {
      const first = next(size + 1)
      const ids = [...Array(Math.min(size - first, next(5))).keys()].map((i) => first + i)
      return Int32Array.from(ids.filter((id) => allowed(region, id)))
    })
    return { nodes, links }
  }
  const free = (region: number, id: number) => !down[region].has(id) && ((capped && region > 0) || !owned(region, id))
  const leave = (job: string | undefined): string => {
    waiting.splice(waiting.indexOf(job!), 1)
    return job!
  }

  const actions: ReadonlyArray<() => number | undefined> = [
    () => {
      waiting.push(`j${jobs}`)
      return to.record({ type: 'submit', t, job: `j${jobs++}`, size: 1 + next(5) })
    },
    () => (waiting.length === 0 ? undefined : to.record({ type: 'cancel', t, job: leave(pick(waiting)) })),
    () =>
      waiting.length === 0
        ? undefined
        : to.record({ type: 'reject', t, job: leave(pick(waiting)), code: 'never', constraint: 'size', cause }),
    () =>
      waiting.length === 0
        ? undefined
        : to.record({ type: 'refuse', t, job: pick(waiting)!, code: 'no-placement', constraint: 'leaf', cause }),
    () => {
      const job = pick(waiting.filter((each) => !reserved.has(each)))
      if (job === undefined) return undefined
      const seq = to.record({ type: 'reserve', t, job, start: t + next(9), ...subset(() => true), cause })
      reserved.set(job, seq)
      return seq
    },
    () => {
      const job = pick(reserved.keys())
      if (job === undefined) return undefined
      const seq = to.record({ type: 'unreserve', t, job, for: reserved.get(job)!, cause })
      reserved.delete(job)
      return seq
    },
    ...Array<() => number | undefined>(3).fill(() => {
      const job = pick(waiting)
      if (job === undefined) return undefined
      const parts = subset(free)
      const bandwidth = next(3) * 100
      const seq = to.record({
        type: 'allocate',
        t,
        job: leave(job),
        ...(capped ? { ...parts, bandwidth } : parts),
        cause,
      })
      reserved.delete(job)
      running.set(job, { ...parts, seq, bandwidth })
      return seq
    }),
    () => {
      const job = pick([...running.keys()].filter((each) => !ended.has(each)))
      if (job === undefined) return undefined
      const type = next(2) === 0 ? 'finish' : 'kill'
      const seq =
        type === 'finish'
          ? to.record({ type, t, job, cause: running.get(job)!.seq, status: next(2) === 0 ? 'failed' : undefined })
          : to.record({ type, t, job, code: 'estimate', cause })
      ended.set(job, { type, seq })
      return seq
    },
    () => {
      const job = pick([...running.keys()].filter((each) => (ended.get(each)?.type ?? 'kill') === 'kill'))
      if (job === undefined) return undefined
      const kill = ended.get(job)
      const seq = to.record({ type: 'withdraw', t, job, of: kill?.seq ?? running.get(job)!.seq, cause })
      if (kill === undefined) ended.set(job, { type: 'withdraw', seq })
      else ended.delete(job)
      return seq
    },
    ...Array<() => number | undefined>(2).fill(() => {
      const job = pick(ended.keys())
      if (job === undefined) return undefined
      if (ended.get(job)?.type !== 'finish') killed.push(job)
      ended.delete(job)
      running.delete(job)
      return to.record({ type: 'release', t, job, cause })
    }),
    () => {
      const job = pick(killed)
      if (job === undefined) return undefined
      killed.splice(killed.indexOf(job), 1)
      waiting.push(job)
      return to.record({ type: 'requeue', t, job, cause })
    },
    () => {
      const job = pick([...running.keys(), ''])
      if (job === undefined) return undefined
      const isWithout = job !== '' && next(4) === 0
      const said = { entries: [`0 0-${1 + next(3)}:0`], ...(isWithout && { unroutable: 'none from 0 to 1' }) }
      if (job === '') return to.record({ type: 'route', t, entries: said.entries, cause })
      const seq = to.record({ type: 'route', t, job, ...said, ...(isWithout && { entries: undefined }), cause })
      if (!routed.has(job)) routed.set(job, seq)
      return seq
    },
    () => {
      const job = pick(routed.keys())
      if (job === undefined) return undefined
      const undo = routed.get(job)!
      routed.delete(job)
      return to.record({ type: 'route', t, job, undo, cause })
    },
    () => {
      const parts = subset((region, id) => !down[region].has(id))
      ;[parts.nodes, ...parts.links].forEach((ids, region) => Array.from(ids).forEach((id) => down[region].add(id)))
      return to.record({ type: 'down', t, ...parts })
    },
    () => {
      const parts = subset((region, id) => down[region].has(id))
      ;[parts.nodes, ...parts.links].forEach((ids, region) => Array.from(ids).forEach((id) => down[region].delete(id)))
      return to.record({ type: 'up', t, ...parts })
    },
  ]
  for (let step = 0; step < steps; step++) {
    t += next(3) * 500
    cause = actions[next(actions.length)]() ?? cause
  }
  to.record({ type: 'end', t, submitted: jobs, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 })
}

/** Source of chance for `tellLegalHistory`, from fast-check. */
export const chance: fc.Arbitrary<(n: number) => number> = fc
  .array(fc.nat(), { minLength: 1000, maxLength: 1000 })
  .map((numbers) => {
    let at = 0
    return (n) => (n === 0 ? 0 : numbers[at++ % numbers.length] % n)
  })
