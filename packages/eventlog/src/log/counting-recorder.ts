import type { Recorder } from './recorder.ts'
import { isSealSeq, SEAL_EVERY } from './seals.ts'

/** Returns a recorder that writes nothing and returns the seqs that a `LogWriter` with the same `sealEvery` returns. */
export function countingRecorder(sealEvery: number = SEAL_EVERY): Recorder {
  // The header has seq 0.
  let next = 1
  const count = (): number => {
    const seq = next++
    if (isSealSeq(next, sealEvery)) next++
    return seq
  }
  const countSealed = (): number => {
    const seq = next
    next += 2
    return seq
  }
  return {
    submit: count,
    cancel: count,
    finish: count,
    down: count,
    up: count,
    reserve: count,
    unreserve: count,
    allocate: count,
    release: count,
    route: count,
    kill: count,
    requeue: count,
    reject: count,
    refuse: count,
    progress: count,
    fault: countSealed,
    end: count,
  }
}
