import { queries, queryDefects, type Query } from '@cloister/exports'
import { Effect } from 'effect'
import type { TaggedProblem } from '@cloister/run'
import { Problem } from '../errors/errors.ts'
import { nearest } from '../terminal/nearest.ts'
import { defaultExportOf, moduleFiles } from './import-module.ts'

/** Rule by which `cloister query` finds a query, for messages. */
const queryRule = `A query is, in this order:
  - the name of a built-in query (cloister query LOG lists them);
  - NAME, if @cloister/query-NAME or cloister-query-NAME is installed in the working directory;
  - the name of any package installed in the working directory;
  - the path of ${moduleFiles}.
The package or file exports the query by default.`

/** Finds a query by its name, in the order of `queryRule`. `origin` is the file or package of an own query. */
export const lookUpQuery = Effect.fnUntraced(function* (
  name: string,
): Effect.fn.Return<{ readonly query: Query; readonly origin: string | undefined }, TaggedProblem> {
  const builtIn = queries.find((query) => query.name === name)
  if (builtIn !== undefined) return { query: builtIn, origin: undefined }
  const { code, origin } = yield* defaultExportOf('query', name, 'query', queryDefects, () => {
    const close = nearest(
      name,
      queries.map((query) => query.name),
    )
    const meant = close === undefined ? '' : `; did you mean ${close}?`
    return new Problem(`there is no query ${JSON.stringify(name)}${meant}\n${queryRule}`)
  })
  return { query: code as Query, origin }
})
