import type { Header, LogRecord } from '@cloister/eventlog'
import type { Invariant, RecordOfType, RecordType } from '../invariant.ts'

type Origin = Header['origin']

const ALL: ReadonlyArray<Origin> = ['simulated', 'driven', 'observed']
/** Origins with a policy and a scheduler of this program. */
const DECIDED: ReadonlyArray<Origin> = ['simulated', 'driven']
/** Origins with events of a real machine. */
const REAL: ReadonlyArray<Origin> = ['driven', 'observed']
const OBSERVED: ReadonlyArray<Origin> = ['observed']

/** Origins of the logs that may have a type of record, and a field that fewer origins may have. */
interface Occurrence<Type extends RecordType> {
  readonly in: ReadonlyArray<Origin>
  readonly fields?: { readonly [Field in keyof RecordOfType<Type>]?: ReadonlyArray<Origin> }
}

/** An event that a controller may learn later, and a decision of the controller itself. */
const event = { in: ALL, fields: { happened: REAL } }
const decision = { in: ALL, fields: { happened: OBSERVED } }

/** Types of records and optional fields by origin. Fields without an entry may occur in every record of the type. */
const occurrences: { readonly [Type in RecordType]: Occurrence<Type> } = {
  header: { in: ALL },
  submit: event,
  cancel: event,
  finish: { in: ALL, fields: { status: REAL, happened: REAL } },
  down: event,
  up: event,
  reserve: decision,
  unreserve: decision,
  allocate: {
    in: ALL,
    fields: { note: DECIDED, gpus: OBSERVED, started_by: OBSERVED, moved: ['simulated'], happened: OBSERVED },
  },
  release: { in: ALL, fields: { for: ['simulated'], happened: OBSERVED } },
  route: { in: DECIDED, fields: { happened: [] } },
  kill: event,
  requeue: decision,
  reject: { in: DECIDED, fields: { happened: [] } },
  refuse: { in: DECIDED, fields: { happened: [] } },
  progress: { in: ['simulated', 'observed'], fields: { happened: OBSERVED } },
  withdraw: { in: REAL, fields: { happened: OBSERVED } },
  fault: { in: ALL },
  gap: { in: REAL },
  seal: { in: ALL },
  end: { in: ALL },
  unknown: { in: ALL },
}

export const recordsOfOrigin: Invariant = {
  name: 'records-of-origin',
  property:
    'The log has only the types of records and the fields of its origin. A simulation has no withdraw and gap records, no field `happened`, no failed finishes, no kills with the code `preempted` or `requeued`, and no record after a fault except a seal. Only a simulation moves running jobs. A driven log has no progress records, and has the field `happened` only in records of learned events: submit, cancel, finish, kill, down and up. An observed log has no route, reject and refuse records and no notes; only an observed log has allocate records with the fields `gpus` and `started_by`.',
  begin({ header: { origin, revision } }, tally) {
    const isSimulated = origin === 'simulated'
    /** Fields of each type of record that no log of the origin has; undefined for a type that no log of the origin has. */
    const foreignFields = new Map<string, ReadonlyArray<string> | undefined>()
    for (const [type, { in: origins, fields = {} }] of Object.entries(occurrences)) {
      const foreign = Object.entries<ReadonlyArray<Origin>>(fields).filter(([, each]) => !each.includes(origin))
      foreignFields.set(type, origins.includes(origin) ? foreign.map(([field]) => field) : undefined)
    }
    const whatIsForeign = (record: LogRecord): string | undefined => {
      const fields = foreignFields.get(record.type)
      if (fields === undefined) return `a ${record.type} record`
      for (let i = 0; i < fields.length; i++)
        if (fields[i] in record) return `a ${record.type} record with the field ${fields[i]}`
      return isSimulated && record.type === 'kill' && (record.code === 'preempted' || record.code === 'requeued')
        ? `a kill with the code ${record.code}`
        : undefined
    }
    let fault: number | undefined
    return {
      every(record) {
        tally.tested()
        if (record.type === 'unknown')
          tally.untested(
            'revision',
            `record ${record.seq} has the type ${JSON.stringify(record.name)}, which this auditor does not know: the header has the revision ${revision}`,
          )
        const foreign = whatIsForeign(record)
        if (foreign !== undefined)
          tally.violated(record, `the log has ${foreign}, but no log with the origin ${origin} has such a record`)
        else if (fault !== undefined && record.type !== 'seal')
          tally.violated(
            record,
            `the ${record.type} comes after the fault of record ${fault}, but a simulation ends there`,
          )
        if (isSimulated && record.type === 'fault') fault = record.seq
      },
    }
  },
}
