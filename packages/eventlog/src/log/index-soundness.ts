import { MAX_SEGMENT } from '../limits.ts'
import { decodeRecord } from '../records/decode.ts'
import { encodeRecord } from '../records/encode.ts'
import type { IndexData, IndexedSnapshot } from './index-data.ts'

/**
 * Returns true if the lists of an index fit together, so that every lookup in the index ends. `isSound` does not
 * compare the index with the log: `LogSeeker` compares the bytes of the log with the hashes in the index, and states
 * with the digests in the seals.
 *
 * @throws Error of any kind if a member of the index has a wrong type
 */
export function isSound(data: IndexData): boolean {
  const { header, outcome, ends, times, hashes, seals, submits, left, returns, snapshotRecords, snapshots } = data
  const { records } = outcome
  const isSeq = (seq: unknown): boolean => isNatural(seq) && (seq as number) < records
  const hasTail = ends.length === seals.length + 1
  const numbers = [...left, ...returns].every(isNatural)
  return (
    decodeRecord(encodeRecord(header)).type === 'header' &&
    ['whole', 'unsealed', 'torn'].includes(outcome.status) &&
    isNatural(records) &&
    outcome.bytes === ends.at(-1) &&
    (hasTail || (ends.length === seals.length && records === seals.at(-1)! + 1)) &&
    hashes.length === seals.length &&
    times.length === ends.length &&
    ascends([0, ...ends]) &&
    ends.every((end, at) => end - (ends[at - 1] ?? 0) <= MAX_SEGMENT) &&
    times.every((t, at) => t >= (times[at - 1] ?? 0)) &&
    ascends(seals) &&
    seals.every(isSeq) &&
    ascends(submits.map(({ seq }) => seq)) &&
    submits.every((submit) => isSeq(submit.seq) && submit.type === 'submit') &&
    numbers &&
    left.length === submits.length &&
    left.every((seq) => seq < records) &&
    returns.length % 3 === 0 &&
    returns.every((value, at) => value < (at % 3 === 0 ? submits.length : records)) &&
    ascends(returns.filter((_, at) => at % 3 === 1)) &&
    snapshotRecords.every(({ seq }) => isSeq(seq)) &&
    ascends(snapshots.map(({ seq }) => seq)) &&
    haveTheirParts(data)
  )
}

/** Returns true if each snapshot belongs to a seal and names only records of `snapshotRecords`, jobs of `submits`. */
function haveTheirParts({ seals, submits, snapshotRecords, snapshots }: IndexData): boolean {
  const types = new Map(snapshotRecords.map(({ seq, type }) => [seq, type]))
  const isSeal = new Set(seals)
  const areOfType = (seqs: ReadonlyArray<number>, type: string): boolean => seqs.every((seq) => types.get(seq) === type)
  const isJob = (number: number): boolean => submits[number] !== undefined
  const isRunning = ({ running }: IndexedSnapshot): boolean =>
    running.length % 3 === 0 &&
    running.every((value, at) => {
      if (at % 3 === 0) return isJob(value)
      return at % 3 === 1 ? types.get(value) === 'allocate' : value === 0 || types.has(value)
    })
  return snapshots.every(
    (snapshot) =>
      isSeal.has(snapshot.seq) &&
      isRunning(snapshot) &&
      areOfType(snapshot.progress, 'progress') &&
      areOfType(snapshot.reservations, 'reserve') &&
      areOfType(snapshot.routes, 'route') &&
      snapshot.killed.every(isJob) &&
      snapshot.down.every((ids) => typeof ids === 'string'),
  )
}

function isNatural(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function ascends(values: ReadonlyArray<number>): boolean {
  return values.every((value, at) => isNatural(value) && (at === 0 || value > values[at - 1]))
}
