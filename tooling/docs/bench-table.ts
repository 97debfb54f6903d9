// README quotes the table of `cloister bench --large`. Tests compare its rows and columns with bench, not the figures.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Parts of bench's output. */
export interface BenchTable {
  /** Headings of the columns. */
  readonly columns: ReadonlyArray<string>
  /** Trace, topology and policy of each row. */
  readonly cases: ReadonlyArray<string>
  /** Number of processes behind each median. */
  readonly runs: number
}

/** Place of the table in README: the line with the command, and bench's output. */
const QUOTED = /^\$ npm run cloister -- bench [^\n]*\n([\s\S]*?)(?=^```$)/m

/** Returns the table that README quotes. @throws Error if README quotes no table */
export function quotedTable(readme: string): string {
  const [, table] = QUOTED.exec(readme) ?? []
  if (table === undefined) throw new Error('README.md quotes no table of cloister bench')
  return table
}

/** Returns README with a new table and the command that printed it. */
export function withTable(readme: string, printed: string): string {
  const { runs } = tableOf(printed)
  quotedTable(readme)
  return readme.replace(QUOTED, () => `$ npm run cloister -- bench --large --runs ${runs}\n${printed.trimEnd()}\n`)
}

/**
 * Reads the parts of bench's output.
 * @throws Error if the text is no table of bench with the line on runs and machine
 */
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
 * Returns the cases of `bench --large`, row by row: all cases, and the cases without the real job logs, which are not
 * part of the repository.
 *
 * @param root folder of the repository
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

/** Reads README. @param root folder of the repository */
export function readReadme(root: string): string {
  return readFileSync(join(root, 'README.md'), 'utf8')
}
