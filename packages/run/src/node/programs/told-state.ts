import type { Allocation, ClusterState, IdLayout, Resources } from '@cloister/placement'
import { formatIdset } from '@cloister/topology'

/** Nodes and links as idsets; an absent field stands for no ids. */
interface ResourcesJson {
  readonly nodes?: string
  readonly links?: ReadonlyArray<string>
}

interface StartJson extends ResourcesJson {
  readonly job: string
  readonly end: number
  readonly order: number
  readonly bandwidth?: number
  readonly communicates?: true
}

/** Differences between two states. The table in PROTOCOL.md has the order in which a program applies them. Absent fields stand for no change. */
export interface Changes {
  /** Jobs that no longer run. */
  readonly ended?: ReadonlyArray<string>
  readonly started?: ReadonlyArray<StartJson>
  /** Changed estimated ends, in ms. */
  readonly ends?: Readonly<Record<string, number>>
  /** Nodes and links that are blocked (down or withheld) from now on, held or not. */
  readonly blocked?: ResourcesJson
  readonly unblocked?: ResourcesJson
}

/** Differences between the state as told to a program and the state of one question. */
export interface WhatIf extends Changes {
  /** Jobs that are expected to have ended: ids of running jobs, or jobs that the program does not know. */
  readonly released?: ReadonlyArray<string | StartJson>
  /** Bandwidth in use besides the jobs' own, in MB/s: level, link, bandwidth. */
  readonly use?: ReadonlyArray<readonly [level: number, link: number, bandwidth: number]>
}

type State = ClusterState<any>

/** State of nodes, links and jobs as a program knows the state from earlier messages. */
export class ToldState {
  #running: ReadonlyArray<Allocation> = []
  #blocked: Array<Int32Array> | undefined

  /** Returns the changes since the last call; undefined if nothing changed. The program knows the state afterwards. */
  tell(state: State): Changes | undefined {
    const { running, blocked } = state
    this.#blocked ??= blocked.map(({ mask }) => new Int32Array(mask.length))
    const before = this.#blocked
    const changes = { ...jobChanges(this.#running, running), ...blockedChanges(blocked, (at) => before[at]) }
    if (isEmpty(changes)) return undefined
    this.#running = running.slice()
    for (let at = 0; at < blocked.length; at++) before[at].set(blocked[at].mask)
    return changes
  }
}

/** Returns the differences between a state and one of its forks; undefined for equal states. */
export function whatIfOf(state: State, fork: State): WhatIf | undefined {
  if (fork === state) return undefined
  const { ahead } = fork
  const base = state.blocked
  const changes = {
    ...jobChanges(state.running, ahead.length === 0 ? fork.running : [...ahead, ...fork.running], ahead),
    ...blockedChanges(fork.blocked, (at) => base[at].mask),
    ...(fork.linkCapacity > 0 && useBesides(fork)),
  }
  return isEmpty(changes) ? undefined : changes
}

function isEmpty(changes: object): boolean {
  return Object.keys(changes).length === 0
}

type JobChanges = Pick<WhatIf, 'ended' | 'released' | 'started' | 'ends'>

const NO_CHANGE: JobChanges = {}

/** @param ahead jobs of `after` that are expected to have ended */
function jobChanges(
  before: ReadonlyArray<Allocation>,
  after: ReadonlyArray<Allocation>,
  ahead: ReadonlyArray<Allocation> = [],
): JobChanges {
  let from = 0
  while (from < before.length && before[from] === after[from]) from++
  if (from === before.length && from === after.length && ahead.length === 0) return NO_CHANGE
  // Of hundreds of running jobs, sorted by their ends, few change between two questions.
  const most = Math.min(before.length, after.length) - from
  let same = 0
  while (same < most && before[before.length - 1 - same] === after[after.length - 1 - same]) same++
  const kept = new Set(after.slice(from, after.length - same))
  const known = new Set(before.slice(from, before.length - same))
  const ended = new Map<string, Allocation>()
  for (const each of known) if (!kept.has(each)) ended.set(each.job, each)
  const started: Array<StartJson> = []
  const ends: Record<string, number> = {}
  const early = new Set(ahead)
  const released = ahead.map((each, at) => (before[at] === each || before.includes(each) ? each.job : startJson(each)))
  for (const each of kept) {
    if (known.has(each) || early.has(each)) continue
    const old = ended.get(each.job)
    // A changed estimate is a copy of the allocation with a new end.
    if (old !== undefined && old.nodes === each.nodes && old.startOrder === each.startOrder) {
      ended.delete(each.job)
      ends[each.job] = each.estimatedEnd
    } else started.push(startJson(each))
  }
  return {
    ...(ended.size > 0 && { ended: [...ended.keys()] }),
    ...(released.length > 0 && { released }),
    ...(started.length > 0 && { started }),
    ...(!isEmpty(ends) && { ends }),
  }
}

function startJson(allocation: Allocation): StartJson {
  const { job, estimatedEnd: end, startOrder: order, bandwidth, communicates } = allocation
  return {
    job,
    ...resourcesJson(allocation),
    end,
    order,
    ...(bandwidth !== undefined && { bandwidth }),
    ...(communicates === true && { communicates }),
  }
}

function resourcesJson({ nodes, links }: Resources): ResourcesJson {
  return {
    ...(nodes.length > 0 && { nodes: formatIdset(nodes) }),
    ...(links.some(({ length }) => length > 0) && { links: links.map(formatIdset) }),
  }
}

function blockedChanges(
  after: State['blocked'],
  beforeAt: (at: number) => Int32Array,
): Pick<Changes, 'blocked' | 'unblocked'> {
  let blocked: Array<Array<number>> | undefined
  let unblocked: Array<Array<number>> | undefined
  for (let at = 0; at < after.length; at++) {
    const { mask, layout } = after[at]
    const before = beforeAt(at)
    for (let word = 0; word < mask.length; word++) {
      if (mask[word] === before[word]) continue
      blocked ??= after.map(() => [])
      unblocked ??= after.map(() => [])
      addIds(layout, word, mask[word] & ~before[word], blocked[at])
      addIds(layout, word, before[word] & ~mask[word], unblocked[at])
    }
  }
  return { ...changedJson('blocked', blocked), ...changedJson('unblocked', unblocked) }
}

function changedJson(field: 'blocked' | 'unblocked', ids: ReadonlyArray<ReadonlyArray<number>> = []): Changes {
  const [nodes = [], ...links] = ids
  const json = resourcesJson({ nodes, links })
  return isEmpty(json) ? {} : { [field]: json }
}

function addIds({ first, words }: IdLayout, word: number, mask: number, ids: Array<number>): void {
  const from = first[Math.floor(word / words)] + ((word % words) << 5)
  for (let left = mask; left !== 0; left &= left - 1) ids.push(from + 31 - Math.clz32(left & -left))
}

/** Bandwidth in use on a fork that no running job holds: reservations of capped links. */
function useBesides({ bandwidthInUse, running }: State): Pick<WhatIf, 'use'> {
  const more = bandwidthInUse.map((level) => Array.from(level))
  for (const { links, bandwidth = 0 } of running)
    for (let level = 0; level < links.length; level++)
      for (let at = 0; at < links[level].length; at++) more[level][links[level][at]] -= bandwidth
  const use = more.flatMap((level, at) =>
    level.flatMap((bandwidth, link) => (bandwidth === 0 ? [] : [[at, link, bandwidth] as const])),
  )
  return use.length > 0 ? { use } : {}
}
