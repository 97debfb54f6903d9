import type { Anonymiser } from '@cloister/workload'
import type { SwfTrace } from './swf.ts'

/**
 * Returns a trace with digests instead of the names and numbers of users and accounts and the names of jobs. With the
 * same salt, a name gives the same digest in every file.
 */
export function anonymisedTrace(trace: SwfTrace, anonymiser: Anonymiser): SwfTrace {
  const { columns, labels } = trace
  const numbers = (field: 'user' | 'account', column: Float64Array): Float64Array =>
    column.map((number, job) =>
      number < 0 ? number : anonymiser.number(field, labels?.[job][field] ?? String(number)),
    )
  return {
    ...trace,
    columns: { ...columns, user: numbers('user', columns.user), group: numbers('account', columns.group) },
    ...(labels !== undefined && { labels: labels.map((each) => anonymiser.labels(each)) }),
  }
}
