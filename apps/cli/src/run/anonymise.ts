import type { LogRecord } from '@cloister/eventlog'
import { Anonymiser, tellsPeople } from '@cloister/workload'
import { Effect, Option } from 'effect'
import { OptionConflictError } from '../errors/errors.ts'
import { attempt } from '../errors/attempt.ts'

/**
 * What gives other names to people, where that is asked for. A log says its filter, so that one that names people cannot be kept.
 *
 * @param filter that what is written says of itself
 */
export const anonymiserOf = Effect.fnUntraced(function* (salt: Option.Option<string>, filter: string) {
  if (Option.isNone(salt)) return undefined
  if (tellsPeople(filter)) return yield* filterTells(filter)
  return yield* attempt(() => new Anonymiser(salt.value))
})

/** A record that names nobody. @throws OptionConflictError for a header whose filter does */
export function withoutNames(record: LogRecord, anonymiser: Anonymiser): LogRecord {
  if (record.type === 'submit') return anonymiser.labels(record)
  if (record.type === 'header' && tellsPeople(record.workload.filter)) throw filterTells(record.workload.filter)
  return record
}

function filterTells(filter: string): OptionConflictError {
  return new OptionConflictError({
    options: ['--anonymise'],
    reason: `cannot hide whom the filter ${filter} names, which is written too: filter first, into a file, and anonymise that`,
  })
}
