import type { LogRecord } from '@cloister/eventlog'
import { attempt } from '@cloister/run'
import { Anonymiser, tellsPeople } from '@cloister/workload'
import { Effect, Option } from 'effect'
import { Problem } from '../errors/errors.ts'

/**
 * Returns an anonymiser of the names of users, accounts, jobs, QOS and reservations, or undefined without a salt. Fails if `filter`, the
 * trace filter in the header of the output, has names of people.
 */
export const anonymiserOf = Effect.fnUntraced(function* (salt: Option.Option<string>, filter: string) {
  if (Option.isNone(salt)) return undefined
  if (tellsPeople(filter)) return yield* filterTells(filter)
  return yield* attempt(() => new Anonymiser(salt.value))
})

/**
 * Returns a record of a log with names of people replaced by digests.
 * @throws Problem for a header whose trace filter has names of people
 */
export function withoutNames(record: LogRecord, anonymiser: Anonymiser): LogRecord {
  if (record.type === 'submit') return anonymiser.labels(record)
  if (record.type === 'header' && tellsPeople(record.workload.filter)) throw filterTells(record.workload.filter)
  return record
}

function filterTells(filter: string): Problem {
  return new Problem(
    `--anonymise cannot hide the names in the filter ${filter}, because the output contains the filter; write the selected jobs to a file, and anonymise this file`,
  )
}
