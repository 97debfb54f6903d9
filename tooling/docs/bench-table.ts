// docs/speed.md quotes the table of `cloister bench --large`. Tests compare rows and columns with bench, not times.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Table that `cloister bench` prints, without the measured times. */
export interface BenchTable {
  readonly columns: ReadonlyArray<string>
  /** Trace, topology and policy of each row. */
  readonly cases: ReadonlyArray<string>
  /** Number of processes over which each figure of the table is the median. */
  readonly runs: number
}

/** Matches the table in docs/speed.md: the line with the command of bench, and bench's output. */
const QUOTED = /^\$ npm run cloister -- bench [^\n]*\n([\s\S]*?)(?=^```$)/m

/** Returns the table of `cloister bench` that a text of docs/speed.md quotes. @throws Error if the text has no table */
export function quotedTable(page: string): string {
  const [, table] = QUOTED.exec(page) ?? []
  if (table === undefined) throw new Error('docs/speed.md quotes no table of cloister bench')
  return table
}

/** Returns the text of docs/speed.md with a new table of `cloister bench`, and with the command that printed the table. */
export function withTable(page: string, printed: string): string {
  const { runs } = tableOf(printed)
  quotedTable(page)
  return page.replace(QUOTED, () => `$ npm run cloister -- bench --large --runs ${runs}\n${printed.trimEnd()}\n`)
}

/** Reads the output of `cloister bench`. @throws Error if the text is no table followed by the line on processes */
export function tableOf(printed: string): BenchTable {
  const [heading, rule, ...lines] = printed.trim().split('\n')
  const [, runs] = /^Each figure is the median of (\d+) process.*; Node [\d.]+, .+\.$/.exec(lines.at(-1) ?? '') ?? []
  if (runs === undefined || !/^-[- ]*$/.test(rule)) throw new Error('no table of cloister bench')
  const rows = lines.slice(0, lines.indexOf(''))
  const ends = [...rule.matchAll(/-+/g)].map(({ index, 0: { length } }) => [index, index + length] as const)
  const cells = (row: string): ReadonlyArray<string> => ends.map(([from, to]) => row.slice(from, to).trim())
  return { columns: cells(heading), cases: rows.map((row) => cells(row).slice(0, 3).join(' ')), runs: Number(runs) }
}

/**
 * Returns the cases (trace, topology, policy) of `bench --large` in the order of its rows: all cases, and the cases
 * without real job logs, which are not part of the repository. @param root folder of the repository
 */
export async function benchedCases(
  root: string,
): Promise<readonly [all: ReadonlyArray<string>, withoutRealLogs: ReadonlyArray<string>]> {
  const path = join(root, 'apps/cli/src/bench/cases.ts')
  const { benchCases } = (await import(pathToFileURL(path).href)) as {
    readonly benchCases: (quick: boolean, isLarge: boolean) => ReadonlyArray<Readonly<Record<string, string>>>
  }
  const cases = benchCases(false, true).map(({ trace, topology, policy }) => `${trace} ${topology} ${policy}`)
  return [cases, cases.filter((each) => each.startsWith('synth:'))]
}

/** Returns the text of docs/speed.md. @param root folder of the repository */
export function readSpeedPage(root: string): string {
  return readFileSync(join(root, 'docs/speed.md'), 'utf8')
}
