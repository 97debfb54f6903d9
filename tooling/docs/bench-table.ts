// docs/speed.md quotes the tables of `cloister bench`. Tests compare rows and columns with bench, not times.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Table of one group of `cloister bench`, without the measured times. */
export interface BenchTable {
  readonly group: string
  readonly columns: ReadonlyArray<string>
  /** Columns before the column `jobs` of each row: trace, topology, policy and, in some groups, options. */
  readonly cases: ReadonlyArray<string>
}

/** Output of `cloister bench`, without the measured times. */
export interface BenchOutput {
  readonly tables: ReadonlyArray<BenchTable>
  /** Number of processes over which each figure is the median. */
  readonly runs: number
  /** Options of all cases: the last line without the number of processes, the version of Node and the processor. */
  readonly settings: string
}

/** Output in docs/speed.md before the first measurement. */
export const UNMEASURED = '…'

/** Matches the quote in docs/speed.md: the line with the command of bench, and bench's output. */
const QUOTED = /^\$ npm run cloister -- bench [^\n]*\n([\s\S]*?)(?=^```$)/m

/** Returns the output of `cloister bench` in a text of docs/speed.md. @throws Error if the text has no output */
export function quotedOutput(page: string): string {
  const [, printed] = QUOTED.exec(page) ?? []
  if (printed === undefined) throw new Error('docs/speed.md quotes no output of cloister bench')
  return printed.trimEnd()
}

/** Returns the text of docs/speed.md with a new output of `cloister bench`, and with the command that printed it. */
export function withOutput(page: string, printed: string): string {
  const { runs, tables } = readOutput(printed)
  const groups = tables.map(({ group }) => group).join(',')
  quotedOutput(page)
  const command = `$ npm run cloister -- bench --group ${groups} --runs ${runs}`
  return page.replace(QUOTED, () => `${command}\n${printed.trimEnd()}\n`)
}

/** Reads the output of `cloister bench`. @throws Error if the text is no tables followed by the line on processes */
export function readOutput(printed: string): BenchOutput {
  const sections = printed.trim().split('\n\n')
  const [, runs, settings] =
    /^Each figure is the median of (\d+) process[^.]*\. ([^;]+); Node [\d.]+, .+\.$/.exec(sections.at(-1)!) ?? []
  const tables = sections.slice(0, -1).map(tableOf)
  if (runs === undefined || tables.length === 0) throw new Error('no output of cloister bench')
  return { tables, runs: Number(runs), settings }
}

function tableOf(section: string): BenchTable {
  const [group, heading = '', rule = '', ...lines] = section.split('\n')
  if (!/^-[- ]*$/.test(rule)) throw new Error('no table of cloister bench')
  const ends = [...rule.matchAll(/-+/g)].map(({ index, 0: { length } }) => [index, index + length] as const)
  const cells = (row: string): ReadonlyArray<string> => ends.map(([from, to]) => row.slice(from, to).trim())
  const columns = cells(heading)
  // A sentence may follow the rows.
  const rows = lines.filter((line) => !line.endsWith('.'))
  const caseOf = (row: string): string => cells(row).slice(0, columns.indexOf('jobs')).join(' ').trim()
  return { group, columns, cases: rows.map(caseOf) }
}

/**
 * Returns the cases (trace, topology, policy) of each group of `cloister bench` in the order of the rows: all cases,
 * and the cases without real job logs, which are not part of the repository. @param root folder of the repository
 */
export async function benchedCases(
  root: string,
): Promise<Readonly<Record<string, Readonly<Record<'all' | 'synthetic', ReadonlyArray<string>>>>>> {
  const path = join(root, 'apps/cli/src/bench/cases.ts')
  type Cases = ReadonlyArray<Readonly<Record<'trace' | 'topology' | 'policy', string>>>
  const { benchGroups } = (await import(pathToFileURL(path).href)) as {
    readonly benchGroups: Readonly<Record<string, { readonly cases: Cases }>>
  }
  return Object.fromEntries(
    Object.entries(benchGroups).map(([group, { cases }]) => {
      const all = cases.map(({ trace, topology, policy }) => `${trace} ${topology} ${policy}`)
      return [group, { all, synthetic: all.filter((each) => each.startsWith('synth:')) }]
    }),
  )
}

/** Returns the text of docs/speed.md. @param root folder of the repository */
export function readSpeedPage(root: string): string {
  return readFileSync(join(root, 'docs/speed.md'), 'utf8')
}
