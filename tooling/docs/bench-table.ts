// README quotes the table of `cloister bench --large`. Its shape is that of what bench prints; its figures are those of the day.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What bench prints, in parts. */
export interface BenchTable {
  /** Headings of the columns. */
  readonly columns: ReadonlyArray<string>
  /** Trace, topology and policy of each row. */
  readonly cases: ReadonlyArray<string>
  /** How many processes a figure is the median of. */
  readonly runs: number
}

/** Where README has it: the line with the command, and what bench printed. */
const QUOTED = /^\$ npm run cloister -- bench [^\n]*\n([\s\S]*?)(?=^```$)/m

/** What README quotes. @throws Error where it quotes nothing */
export function quotedTable(readme: string): string {
  const [, table] = QUOTED.exec(readme) ?? []
  if (table === undefined) throw new Error('README.md quotes no table of cloister bench')
  return table
}

/** README with another table, and the command that printed it. */
export function withTable(readme: string, printed: string): string {
  const { runs } = tableOf(printed)
  quotedTable(readme)
  return readme.replace(QUOTED, () => `$ npm run cloister -- bench --large --runs ${runs}\n${printed.trimEnd()}\n`)
}

/** @throws Error where a text is no such table with what was measured and where below it */
export function tableOf(printed: string): BenchTable {
  const [heading, rule, ...lines] = printed.trim().split('\n')
  const [, runs] = /^Median of (\d+) process.*; Node [\d.]+, .+\.$/.exec(lines.at(-1) ?? '') ?? []
  if (runs === undefined || !/^-[- ]*$/.test(rule)) throw new Error('no table of cloister bench')
  const rows = lines.slice(0, lines.indexOf(''))
  const ends = [...rule.matchAll(/-+/g)].map(({ index, 0: { length } }) => [index, index + length] as const)
  const cells = (row: string): ReadonlyArray<string> => ends.map(([from, to]) => row.slice(from, to).trim())
  return { columns: cells(heading), cases: rows.map((row) => cells(row).slice(0, 3).join(' ')), runs: Number(runs) }
}

/**
 * What bench times with `--large`, row by row: with the real job logs, which are not part of the repository, and without.
 *
 * @param root the repository's
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

/** README, as it is. @param root the repository's */
export function readReadme(root: string): string {
  return readFileSync(join(root, 'README.md'), 'utf8')
}
