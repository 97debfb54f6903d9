import type { LogRecord, Submit } from '@cloister/eventlog'
import type { CommunicationMatrix } from '@cloister/placement'

/**
 * Returns the records of a log with the communication matrices of the jobs. A log holds only checksums of matrices, but
 * a policy that places by matrices needs the matrices to decide the same again.
 *
 * @throws RangeError if the log names a matrix that is not given
 */
export function* withMatrices(
  records: Iterable<LogRecord>,
  matrices: ReadonlyArray<CommunicationMatrix>,
): Generator<LogRecord> {
  const give = givingMatrices(matrices)
  for (const record of records) yield give(record)
}

/** Returns a function that does the work of `withMatrices` record by record. A second header begins a new log. */
export function givingMatrices(matrices: ReadonlyArray<CommunicationMatrix>): (record: LogRecord) => LogRecord {
  const bySum = new Map(matrices.map((matrix) => [matrix.sha256, matrix]))
  const byPattern = new Map<string, CommunicationMatrix>()
  return (record) => {
    if (record.type === 'header')
      for (const { name, sha256 } of record.workload.matrices ?? []) {
        const matrix = bySum.get(sha256)
        if (matrix === undefined)
          throw new RangeError(`the log names the matrix ${name}, but no given matrix has its SHA-256, ${sha256}`)
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
