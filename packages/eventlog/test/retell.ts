import { type LogRecord, partsOf, type Recorder } from '../src/index.ts'

/** Tells a recorder what a record says. */
export function retell(record: LogRecord, to: Recorder): void {
  if (record.type === 'header' || record.type === 'seal') return
  const t = Math.round(record.t * 1000)
  switch (record.type) {
    case 'submit':
      return void to.submit(t, {
        id: record.job,
        size: record.size,
        walltime: record.walltime === undefined ? undefined : Math.round(record.walltime * 1000),
        ...(record.name === undefined ? {} : { name: record.name }),
        ...(record.bw === undefined ? {} : { bandwidth: record.bw }),
        ...(record.comm === undefined ? {} : { communication: record.comm }),
      })
    case 'cancel':
      return void to.cancel(t, record.job)
    case 'finish':
      return void to.finish(t, record.job, record.cause, record.status === 'failed')
    case 'down':
      return void to.down(t, partsOf(record))
    case 'up':
      return void to.up(t, partsOf(record))
    case 'reserve':
      return void to.reserve(
        t,
        record.job,
        Math.round(record.start * 1000),
        { ...partsOf(record), ...(record.bw === undefined ? {} : { bandwidth: record.bw }) },
        record.cause,
      )
    case 'unreserve':
      return void to.unreserve(t, record.job, record.for, record.cause)
    case 'allocate':
      return void to.allocate(
        t,
        record.job,
        {
          ...partsOf(record),
          ...(record.ranks === undefined ? {} : { ranks: record.ranks }),
          ...(record.bw === undefined ? {} : { bandwidth: record.bw }),
          ...(record.note === undefined ? {} : { note: record.note }),
        },
        record.backfill ?? -1,
        record.cause,
        record.walltime === undefined ? undefined : Math.round(record.walltime * 1000),
      )
    case 'release':
      return void to.release(t, record.job, record.cause)
    case 'route':
      return void to.route(t, record.job, record.op, record.scheme, record.entries, record.digest, record.cause)
    case 'kill':
      return void to.kill(t, record.job, record.why, record.cause)
    case 'requeue':
      return void to.requeue(t, record.job, record.cause)
    case 'reject':
      return void to.reject(t, record.job, record.why, record.constraint, record.cause)
    case 'refuse':
      return void to.refuse(t, record.job, record.code, record.constraint, record.nearest, record.cause)
    case 'end':
      return void to.end(t, record)
  }
}
