import type { LogRecord } from '@cloister/eventlog'

/** Changes of logs that neither an audit nor a rerun notices, although they change metrics. */
export interface UnnoticedChanges {
  /** Names of the changes in the report of `cloister fuzz --forge`: `TYPE.FIELD` for a changed field of a record. */
  readonly changes: ReadonlyArray<string>
  /** Reason why no log shows the change, not even together with the trace of the run. */
  readonly reason: string
  /** Returns true for the records of a log that does not show the changes. Default: no log shows them. */
  readonly isUnnoticedIn?: (records: ReadonlyArray<LogRecord>) => boolean
}

/** All changes of logs that are known to stay unnoticed. Any other accepted change is a fault of the auditor. */
export const unnoticedChanges: ReadonlyArray<UnnoticedChanges> = [
  {
    changes: ['header.workload.name'],
    reason:
      'The name of a workload is a label. The checksums of the workload tell which jobs the log has, whatever their name.',
  },
  {
    changes: ['header.topology.name'],
    reason: 'A name that spells neither a preset nor a shape is a label. The header describes the machine itself.',
  },
  {
    changes: ['header.topology.graph.leaves'],
    reason:
      'The graph of a machine is an input of a run. A policy that ignores leaves places the same jobs on the same nodes of a machine with other leaves.',
  },
  {
    changes: ['down.t', 'down.nodes', 'down.links', 'up.t', 'up.nodes', 'up.links'],
    reason:
      'Outages are inputs of a run, as jobs are, and no header names their file. A rerun with other outages is the rerun of a different, sound run.',
  },
  {
    changes: ['header.options.migrate'],
    reason: 'A run in which no job moves has the same decisions with and without the option. Logs with moves show it.',
    isUnnoticedIn: (records) => records.every((record) => record.type !== 'allocate' || record.moved === undefined),
  },
]

/** Returns true if `unnoticedChanges` lists a change of the log with these records. */
export function isUnnoticed(change: string, records: ReadonlyArray<LogRecord>): boolean {
  const found = unnoticedChanges.find(({ changes }) => changes.includes(change))
  return found !== undefined && (found.isUnnoticedIn?.(records) ?? true)
}
