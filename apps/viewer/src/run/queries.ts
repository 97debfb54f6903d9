import type { LogRecord } from '@cloister/eventlog'
import { queriedLog, type Query, type Row, rowsOf } from '@cloister/exports'

/** Query that the page can ask. */
export type OfferedQuery = Pick<Query, 'name' | 'description' | 'columns'>

/** Answer to the question `query`. */
export interface QueryAnswer {
  /** The first rows, at most 500. */
  readonly rows: ReadonlyArray<Row>
  /** True if the query has more rows. */
  readonly more: boolean
  /** Number of records of the log when the query was answered. */
  readonly records: number
}

/** Greatest number of rows in an answer. */
const MOST_ROWS = 500

/** Answers the questions `queries` and `query`. Keeps the answers until the log grows. */
export class QueryAnswers {
  readonly #queries: ReadonlyArray<Query>
  readonly #answers = new Map<string, QueryAnswer>()
  #records = 0

  constructor(queries: ReadonlyArray<Query>) {
    this.#queries = queries
  }

  get offered(): ReadonlyArray<OfferedQuery> {
    return this.#queries.map(({ name, description, columns }) => ({ name, description, columns }))
  }

  /**
   * Returns the first rows of a query.
   *
   * @param count number of records of the log
   * @throws RangeError for an unknown query
   * @throws QueryError if the rows of an own query do not fit its columns
   */
  answer(name: string, count: number, records: () => Iterable<LogRecord>): QueryAnswer {
    const query = this.#queries.find((each) => each.name === name)
    if (query === undefined) throw new RangeError(`there is no query ${JSON.stringify(name)}`)
    if (count !== this.#records) this.#answers.clear()
    this.#records = count
    const known = this.#answers.get(name)
    if (known !== undefined) return known
    const rows: Array<Row> = []
    let more = false
    for (const row of rowsOf(query, queriedLog(records))) {
      more = rows.length === MOST_ROWS
      if (more) break
      rows.push(row)
    }
    const answer = { rows, more, records: count }
    this.#answers.set(name, answer)
    return answer
  }
}
