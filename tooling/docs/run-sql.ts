// Runs the SQL on standard input in DuckDB, and prints the rows of each statement as CSV, below the names of the columns.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The part of @duckdb/node-api that this program uses. The package is not a dependency. */
interface DuckDB {
  readonly DuckDBInstance: { readonly create: () => Promise<{ readonly connect: () => Promise<Connection> }> }
}
interface Connection {
  readonly runAndReadAll: (
    query: string,
  ) => Promise<{
    readonly columnNames: () => ReadonlyArray<string>
    readonly getRowsJson: () => ReadonlyArray<ReadonlyArray<unknown>>
  }>
}

const require = createRequire(join(process.env['CLOISTER_DUCKDB'] ?? '/none', 'package.json'))
const { DuckDBInstance } = require('@duckdb/node-api') as DuckDB
const connection = await (await DuckDBInstance.create()).connect()
for (const statement of readFileSync(0, 'utf8').split(/;\s*$/m)) {
  if (statement.trim() === '') continue
  const result = await connection.runAndReadAll(statement)
  for (const row of [result.columnNames(), ...result.getRowsJson()]) console.log(row.join(','))
}
