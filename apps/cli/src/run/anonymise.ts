import type { LogRecord } from '@cloister/eventlog'
import { Anonymiser, tellsPeople } from '@cloister/workload'
import { Effect, Option } from 'effect'
import { OptionConflictError } from '../errors/errors.ts'
import { attempt } from '../errors/attempt.ts'

/**
 * Returns an anonymiser of people's names if a salt is given. Fails for a filter with names of people, because a log
 * contains its filter.
 *
 * @param filter filter in the header of the output
 */
export const anonymiserOf = Effect.fnUntraced(function* (salt: Option.Option<string>, filter: string) {
  if (Option.isNone(salt)) return undefined
  if (tellsPeople(filter)) return yield* filterTells(filter)
  return yield* attempt(() => new Anonymiser(salt.value))
})

/**
 * Returns a record without names of people.
 *
 * @throws OptionConflictError for a header with names of people in its filter
 */
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
