import type { Header, LogRecord, Submit } from '@cloister/eventlog'
import { formatIdset, parseIdset, topologyFromJson } from '@cloister/topology'
import type { Draw, Lie } from './forged-fields.ts'

type Timed = Exclude<LogRecord, Header>
type Change = (records: ReadonlyArray<Timed>, at: number, draw: Draw) => ReadonlyArray<Timed> | undefined

const decisions: ReadonlySet<string> = new Set(['reserve', 'unreserve', 'allocate', 'release', 'route', 'kill', 'requeue', 'reject', 'refuse', 'progress']) // prettier-ignore

const changes: { readonly [what: string]: Change } = {
  dropped: (records, at) => records.toSpliced(at, 1),
  doubled: (records, at) => records.toSpliced(at, 0, records[at]),
  swapped: (records, at, draw) => {
    const others = records.flatMap(({ type }, each) => (decisions.has(type) && each !== at ? [each] : []))
    if (others.length === 0) return undefined
    const other = others[draw(others.length)]
    const [a, b] = [records[at], records[other]]
    return records.with(at, { ...b, t: a.t }).with(other, { ...a, t: b.t })
  },
  moved: (records, at, draw) => {
    const to = draw(records.length)
    return records.toSpliced(at, 1).toSpliced(to, 0, { ...records[at], t: records[to].t })
  },
}

/** Returns the log with one decision dropped, doubled, swapped with another or moved, for each of some decisions. */
export function* changedDecisions(
  header: Header,
  records: ReadonlyArray<LogRecord>,
  draw: Draw,
  most: number,
): Generator<Lie> {
  const all = records as ReadonlyArray<Timed>
  const places = all.flatMap(({ type }, at) => (decisions.has(type) ? [at] : []))
  for (let chosen = 0; chosen < Math.min(most, places.length); chosen++) {
    const [at] = places.splice(draw(places.length), 1)
    for (const [what, change] of Object.entries(changes)) {
      const changed = change(all, at, draw)
      if (changed !== undefined) yield { change: `${all[at].type} ${what}`, header, records: changed, isMended: true }
    }
  }
}

/** Seconds by which a lie moves times: by a part of a short job, by a whole job, and without a limit. */
const delays = [1, 7, 1_000_000]

/**
 * Returns lies about whole jobs, with a change of every record of the job:
 * - a job starts, ends or is submitted at another time;
 * - a job runs on another node, is rejected, is left out, or runs in place of another job;
 * - from a moment on, the run goes on later.
 *
 * @param most largest number of jobs
 */
export function* changedJobs(
  header: Header,
  records: ReadonlyArray<LogRecord>,
  draw: Draw,
  most: number,
): Generator<Lie> {
  const all = records as ReadonlyArray<Timed>
  const lie = (change: string, changed: ReadonlyArray<Timed> | undefined): ReadonlyArray<Lie> =>
    changed === undefined ? [] : [{ change, header, records: changed, isMended: true }]
  const submits = all.filter((record) => record.type === 'submit')
  for (let chosen = 0; chosen < most && submits.length > 0; chosen++) {
    const [submit] = submits.splice(draw(submits.length), 1)
    const delay = delays[draw(delays.length)]
    const others = all.filter((record): record is Submit => record.type === 'submit' && record.job !== submit.job)
    yield* lie('job started later', delayed(all, submit.job, delay, ['allocate', 'finish', 'kill']))
    yield* lie('job ended later', delayed(all, submit.job, delay, ['finish', 'kill']))
    yield* lie('job submitted earlier', delayed(all, submit.job, -delay, ['submit']))
    yield* lie(
      'job left out',
      all.filter((record) => !('job' in record) || record.job !== submit.job),
    )
    yield* lie('job rejected', rejected(all, submit))
    yield* lie('job elsewhere', elsewhere(all, submit.job, header, draw))
    yield* lie('run asleep', asleep(all, all[draw(all.length)].t, delay))
    if (others.length > 0) yield* lie('jobs exchanged', exchanged(all, submit, others[draw(others.length)]))
  }
}

/** Phase of an instant in which a record comes: ends, outages, cancels, submits, decisions. */
function phaseOf({ type, ...record }: Timed): number {
  if (type === 'finish') return 0
  if (type === 'kill') return (record as { code: string }).code === 'estimate' ? 0 : 1
  return type === 'down' || type === 'up' ? 1 : type === 'cancel' ? 2 : type === 'submit' ? 3 : 4
}

/** Moves the last records of a job of the given types, with the records that belong to them, by `by` seconds. */
function delayed(
  records: ReadonlyArray<Timed>,
  job: string,
  by: number,
  types: ReadonlyArray<string>,
): ReadonlyArray<Timed> | undefined {
  let changed = records
  for (const type of types.toReversed()) {
    const at = changed.findLastIndex((record) => record.type === type && 'job' in record && record.job === job)
    if (at < 0) continue
    let after = at + 1
    while (after < changed.length && follows(changed[after], job)) after++
    const t = Math.round((changed[at].t + by) * 1000) / 1000
    if (t < 0) return undefined
    const bundle = changed.slice(at, after).map((record) => ({ ...record, t }))
    const rest = changed.toSpliced(at, after - at)
    const phase = phaseOf(bundle[0])
    const before = rest.findIndex(
      (record) => record.type === 'end' || record.t > t || (record.t === t && phaseOf(record) > phase),
    )
    changed = rest.toSpliced(before < 0 ? rest.length : before, 0, ...bundle)
  }
  return changed === records ? undefined : changed
}

/** Records that stand right after an allocate or an end of a job and belong to it. */
function follows(record: Timed, job: string): boolean {
  if (record.type === 'progress') return true
  return (record.type === 'release' || record.type === 'route' || record.type === 'requeue') && record.job === job
}

function rejected(records: ReadonlyArray<Timed>, submit: Submit): ReadonlyArray<Timed> {
  const { seq, t, job } = submit
  return records.flatMap((record): ReadonlyArray<Timed> => {
    if (!('job' in record) || record.job !== job) return [record]
    if (record !== submit) return []
    const constraint = 'no such place in the tree'
    return [record, { seq: Number.MAX_SAFE_INTEGER, t, type: 'reject', job, code: 'never', constraint, cause: seq }]
  })
}

/** Replaces a node in the last allocation of a job by a node that is free from the start to the end of the job. */
function elsewhere(
  records: ReadonlyArray<Timed>,
  job: string,
  { topology }: Header,
  draw: Draw,
): ReadonlyArray<Timed> | undefined {
  const from = records.findLastIndex((record) => record.type === 'allocate' && record.job === job)
  if (from < 0) return undefined
  const to = records.findLastIndex((record) => record.type === 'release' && record.job === job)
  const held = new Map<string, string>()
  const busy = new Set<number>()
  records.slice(0, to < 0 ? undefined : to).forEach((record, at) => {
    if (record.type === 'allocate') held.set(record.job, record.nodes)
    if (at > from && record.type === 'allocate') for (const id of parseIdset(record.nodes)) busy.add(id)
    if (record.type === 'release' && at < from) held.delete(record.job)
  })
  for (const nodes of held.values()) for (const id of parseIdset(nodes)) busy.add(id)
  const count = topologyFromJson(topology).nodes
  const free = Array.from({ length: count }, (_, id) => id).filter((id) => !busy.has(id))
  const allocate = records[from] as Extract<Timed, { readonly type: 'allocate' }>
  const own = parseIdset(allocate.nodes)
  if (free.length === 0) return undefined
  const [node] = free.splice(draw(free.length), 1)
  const nodes = formatIdset([...own.slice(1), node].sort((a, b) => a - b))
  return records.with(from, { ...allocate, nodes })
}

/**
 * Moves everything after a moment by `by` seconds: the machine does nothing in between. Undefined if an outage begins or
 * ends next, because outages are inputs of a run, and waiting jobs may need the nodes of the outage.
 */
function asleep(records: ReadonlyArray<Timed>, moment: number, by: number): ReadonlyArray<Timed> | undefined {
  const next = records.find(({ t }) => t > moment)?.type
  if (next === 'down' || next === 'up') return undefined
  const later = (t: number): number => (t > moment ? Math.round((t + by) * 1000) / 1000 : t)
  return records.map((record) => {
    const moved = { ...record, t: later(record.t) }
    return moved.type === 'reserve' ? { ...moved, start: later(moved.start) } : moved
  })
}

/** Exchanges everything about two jobs except their ids and times. */
function exchanged(records: ReadonlyArray<Timed>, a: Submit, b: Submit): ReadonlyArray<Timed> {
  const name = new Map([
    [a.job, b.job],
    [b.job, a.job],
  ])
  return records.map((record) =>
    'job' in record && record.type !== 'submit' && name.has(record.job)
      ? { ...record, job: name.get(record.job)! }
      : record,
  )
}
