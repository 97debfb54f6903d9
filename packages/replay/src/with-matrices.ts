import type { LogRecord, Submit } from '@cloister/eventlog'
import type { CommunicationMatrix } from '@cloister/placement'

/**
 * The records of a log with the communication matrices that its jobs name, which a log has the checksums of alone: a policy
 * that places by them decides the same again only with them.
 *
 * @throws RangeError where the log names a matrix that is not among these
 */
export function* withMatrices(
  records: Iterable<LogRecord>,
  matrices: ReadonlyArray<CommunicationMatrix>,
): Generator<LogRecord> {
  const give = givingMatrices(matrices)
  for (const record of records) yield give(record)
}

/** The same for one record after the other, from the header on; a further header begins another reading. */
export function givingMatrices(matrices: ReadonlyArray<CommunicationMatrix>): (record: LogRecord) => LogRecord {
  const bySum = new Map(matrices.map((matrix) => [matrix.sha256, matrix]))
  const byPattern = new Map<string, CommunicationMatrix>()
  return (record) => {
    if (record.type === 'header')
      for (const { name, sha256 } of record.workload.matrices ?? []) {
        const matrix = bySum.get(sha256)
        if (matrix === undefined)
          throw new RangeError(`the log names the matrix ${name}: none has its SHA-256, ${sha256}`)
        byPattern.set(`matrix:${name}`, { ...matrix, name })
      }
    return record.type === 'submit' ? withMatrix(record, byPattern) : record
  }
}

function withMatrix(submit: Submit, byPattern: ReadonlyMap<string, CommunicationMatrix>): Submit {
  const matrix = submit.communication === undefined ? undefined : byPattern.get(submit.communication.pattern)
  if (matrix === undefined) return submit
  const communication = { ...submit.communication!, matrix }
  return { ...submit, communication }
}
