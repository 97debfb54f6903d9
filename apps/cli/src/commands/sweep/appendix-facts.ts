import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { digestOf, type Placed, readPlaced, readTimes, type SweepFolder, timesIn, timesPath } from '@cloister/sweep'
import { Effect } from 'effect'
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { Problem } from '../../errors/errors.ts'
import { PolicyLookup } from '../../policy/policy-lookup.ts'
import { namedFiles } from '../../run/input-files.ts'
import { count, counted } from '../../terminal/quantities.ts'
import { refuseIf } from '../flags.ts'
import { type AppendixFacts, appendixOf } from './appendix.ts'
import { asLatex } from './appendix-latex.ts'
import { asMarkdown } from './appendix-text.ts'

/** First result of each cell of a sweep, and the source of the results. */
interface Merged {
  readonly placed: ReadonlyArray<Placed>
  /** Folder of the shards; undefined if the results are in the file `from`. */
  readonly folder: SweepFolder | undefined
  readonly from: string
}

/**
 * Returns the text of the appendix of a sweep, by the extension of the path: Markdown or LaTeX. Fails unless all cells
 * have a result of the same build, because the commands of the appendix then repeat the results.
 *
 * @param path path of the appendix, with the extension .md or .tex
 */
export const appendixText = Effect.fnUntraced(function* (
  path: string,
  given: Omit<AppendixFacts, 'results' | 'sha256' | 'inputs' | 'builtIn'>,
  { placed, folder, from }: Merged,
) {
  const extension = extname(path)
  yield* refuseIf(!['.md', '.tex'].includes(extension), `--appendix: found ${path}, expected a name with .md or .tex`)
  const { experiment, cells } = given
  yield* refuseIf(
    placed.length < cells,
    `--appendix: ${count(cells - placed.length)} of ${count(cells)} cells have no result; cloister sweep ${experiment} runs the missing cells`,
  )
  const { readText, exists } = yield* Files
  const { builtIn } = yield* PolicyLookup
  return yield* attempt(() => {
    const hash = createHash('sha256')
    const lines = placed.map((each) => readPlaced(each))
    for (const { line } of lines) hash.update(`${line}\n`)
    const builds = new Set(lines.map(({ result }) => result.build))
    if (builds.size > 1)
      throw new Problem(
        `--appendix: the results are of ${counted(builds.size, 'build')} of the program (${[...builds].join(', ')}); one build must run all cells: cloister sweep ${experiment} --force`,
      )
    const stored = timesPath(from)
    const times = folder === undefined ? timesIn(exists(stored) ? readText(stored) : '') : readTimes(folder)
    const unknown = { seconds: null, microsecondsPerJob: null }
    const blocks = appendixOf({
      ...given,
      results: lines.map(({ result }) => ({ ...result, ...(times.get(digestOf(result)) ?? unknown) })),
      sha256: hash.digest('hex'),
      inputs: checksumsOf([experiment, ...namedFiles(lines.map(({ result }) => result.cell))]),
      builtIn: new Set(builtIn.map(({ name }) => name)),
    })
    return extension === '.md' ? asMarkdown(blocks) : asLatex(blocks)
  })
})

/** Returns the SHA-256 of each path that is a file. */
function checksumsOf(paths: ReadonlyArray<string>): ReadonlyMap<string, string> {
  const files = paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
  return new Map(files.map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]))
}
