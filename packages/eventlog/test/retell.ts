import { type Appendable, type RecordedAllocation, type Recorder, resourcesOf } from '../src/index.ts'
import { parameterFields, type RecordedType } from '../src/log/recorder.ts'

/** Tells a recorder a record, by the method for the record's type. Returns false if there is no method. */
export function retell(record: Appendable, to: Recorder): boolean {
  const t = milliseconds(record.t)
  switch (record.type) {
    case 'submit': {
      const { job, estimate, walltime, ...rest } = record
      const { happened: _happened, seq: _seq, t: _t, type: _type, smaller_than_node: smaller, ...others } = rest
      const times = walltime === undefined ? {} : { walltime: milliseconds(walltime) }
      const part = smaller === undefined ? {} : { smallerThanNode: smaller }
      const submitted = { id: job, estimate: estimate && milliseconds(estimate), ...times, ...others, ...part }
      to.submit(t, submitted, moreOf(record))
      return true
    }
    case 'cancel':
      to.cancel(t, record.job, moreOf(record))
      return true
    case 'finish':
      to.finish(t, record.job, record.cause, record.status === 'failed', moreOf(record))
      return true
    case 'down':
      to.down(t, resourcesOf(record), moreOf(record))
      return true
    case 'up':
      to.up(t, resourcesOf(record), moreOf(record))
      return true
    case 'reserve':
      to.reserve(t, record.job, milliseconds(record.start), allocationOf(record), record.cause, moreOf(record))
      return true
    case 'unreserve':
      to.unreserve(t, record.job, record.for, record.cause, moreOf(record))
      return true
    case 'allocate': {
      const { job, backfill = -1, cause, estimate } = record
      to.allocate(t, job, allocationOf(record), backfill, cause, estimate && milliseconds(estimate), moreOf(record))
      return true
    }
    case 'release':
      to.release(t, record.job, record.cause, moreOf(record))
      return true
    case 'route': {
      const { job, op, scheme, entries, digest, cause } = record
      to.route(t, job, op, scheme, entries, digest, cause, moreOf(record))
      return true
    }
    case 'kill':
      to.kill(t, record.job, record.code, record.cause, moreOf(record))
      return true
    case 'requeue':
      to.requeue(t, record.job, record.cause, moreOf(record))
      return true
    case 'reject':
      to.reject(t, record.job, record.code, record.constraint, record.cause, moreOf(record))
      return true
    case 'progress':
      to.progress(t, record.job, record.rate, record.cause, moreOf(record))
      return true
    case 'fault': {
      const { job, purpose, request, message, cause } = record
      to.fault(t, job, purpose, request, message, cause, moreOf(record))
      return true
    }
    case 'refuse': {
      const { job, code, constraint, nearest, cause } = record
      to.refuse(t, job, code, constraint, nearest, cause, moreOf(record))
      return true
    }
    case 'end':
      to.end(t, record)
      return true
    default:
      return false
  }
}

/** Returns the fields of a record without a parameter. */
function moreOf(record: Extract<Appendable, { readonly type: RecordedType }>): object {
  const given = new Set<string>(['seq', 't', 'type', ...parameterFields[record.type]])
  return Object.fromEntries(Object.entries(record).filter(([name]) => !given.has(name)))
}

function allocationOf(record: Extract<Appendable, { readonly type: 'reserve' | 'allocate' }>): RecordedAllocation {
  const { bandwidth } = record
  const { ranks, note } = record.type === 'allocate' ? record : { ranks: undefined, note: undefined }
  return {
    ...resourcesOf(record),
    ...(ranks === undefined ? {} : { ranks }),
    ...(bandwidth === undefined ? {} : { bandwidth }),
    ...(note === undefined ? {} : { note }),
  }
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}
