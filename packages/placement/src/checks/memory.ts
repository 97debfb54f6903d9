import { setFlagsFromString } from 'node:v8'
import { performance } from 'node:perf_hooks'
import { runInNewContext } from 'node:vm'
import { Asker, request, Stopwatch } from './questions.ts'
import { stateOf } from './scenes.ts'
import type { Subject } from './subjects.ts'

/** Number of calls of `place` before the first measurement, and between two measurements. */
const WARM_UP = 500
const CALLS = 600
/** Bytes of each call that may remain, and bytes that the engine itself may need, for example for compiled code. */
const MOST_BYTES = 512
const OF_THE_ENGINE = 100_000
const MOST_MS = 5000

/**
 * Returns a message if the memory of the process grows with each call of `place`. The requests differ in job and time
 * and repeat in sizes, as in a long run of a scheduler, so a cache of answers by size stops growing.
 */
export function memoryDefect(subject: Subject): string | undefined {
  const collect = collector()
  if (collect === undefined) return undefined
  const asker = new Asker(subject, subject.placer, new Stopwatch(Infinity))
  const scene = { running: [], ahead: [], down: [], withheld: [] }
  const state = stateOf(asker.placer, subject.topology, scene)
  let asked = 0
  const until = performance.now() + MOST_MS
  const ask = (calls: number): number => {
    for (let call = 0; call < calls; call++) {
      if (performance.now() > until) return call
      asked++
      const more = { job: `job-${asked}`, now: 1000 * asked, submitted: 1000 * asked, bandwidth: 500 }
      asker.ask(state, scene, request(1 + (asked % subject.topology.nodes), more))
    }
    return calls
  }
  /** Returns the greatest growth in bytes a call; the engine may free older memory between two measurements. */
  const growth = (kind: 'minor' | 'major', times: number): number => {
    let before = memoryAfter(collect, kind)
    let most = 0
    for (let time = 0; time < times; time++) {
      const calls = ask(CALLS)
      const after = memoryAfter(collect, kind)
      if (calls === CALLS) most = Math.max(most, (after - before - OF_THE_ENGINE) / calls)
      before = after
    }
    return most
  }
  ask(WARM_UP)
  // A collection of young objects is cheap, and finds nearly all garbage. Only a full collection finds all.
  if (growth('minor', 3) <= MOST_BYTES) return undefined
  const bytes = growth('major', 2)
  return bytes <= MOST_BYTES
    ? undefined
    : `${subject.label}: each call of place leaves ${Math.round(bytes)} bytes of memory in use, measured over ${CALLS} calls; at most ${MOST_BYTES} bytes are allowed, because a run calls place millions of times`
}

type Collect = (options: { readonly type: 'minor' | 'major' }) => void

function memoryAfter(collect: Collect, type: 'minor' | 'major'): number {
  // Objects that survive two collections are old.
  collect({ type })
  collect({ type })
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

let found: { readonly collect: Collect | undefined } | undefined

/** Returns the engine's garbage collector; undefined if the engine does not show the collector. */
function collector(): Collect | undefined {
  found ??= { collect: findCollector() }
  return found.collect
}

function findCollector(): Collect | undefined {
  try {
    setFlagsFromString('--expose-gc')
    const collect: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
    setFlagsFromString('--no-expose-gc')
    return collect as Collect | undefined
  } catch {
    return undefined
  }
}
