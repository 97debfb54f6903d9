// Makes the papers' pages from their documents and from the stored outputs of commands: tables, charts, verdicts.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  casesOf,
  chartsOf,
  claimsOf,
  type Comparison,
  experimentOf,
  niceRange,
  readOutput,
  reproductions,
  type RowChart,
  type StoredChart,
  type StoredOutput,
  type Unit,
} from '@cloister/reproduce'
import type { Page } from './documents.ts'
import { HTML } from './links.ts'
import { chartFigure, escaped, rowFigure } from './paper-charts.ts'
import { comparisons, resultTable, verdicts } from './paper-tables.ts'

/** Folder of the stored outputs on the site. */
const OUTPUTS = 'papers/outputs'

/** A stored output with the name and the text of its file. */
interface Stored extends StoredOutput {
  readonly file: string
  readonly text: string
}

/** Reads the stored outputs of the commands on the papers' pages. @param root root of the repository */
export function storedOutputs(root: string): ReadonlyArray<Stored> {
  return globSync('apps/reproduce/experiments/outputs/*.txt', { cwd: root })
    .sort()
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      return { ...readOutput(text), file: basename(file), text }
    })
}

/** Returns the stored outputs as files of the site. */
export function outputFiles(outputs: ReadonlyArray<Stored>): ReadonlyArray<readonly [file: string, text: string]> {
  return outputs.map(({ file, text }) => [`${OUTPUTS}/${file}`, text])
}

/**
 * Returns a paper's page with tables and charts instead of the text of stored outputs, and with verdicts and the chart of
 * the main figure before the text. Other pages stay unchanged.
 *
 * @throws Error if a block of a page is no part of the stored output of its command
 */
export function withResults(path: string, markdown: string, outputs: ReadonlyArray<Stored>): string {
  if (!path.startsWith('papers/')) return markdown
  const quoted = quotedIn(markdown, outputs)
  const main = path === 'papers/index' ? undefined : quoted.flatMap(({ charts }) => charts)[0]
  let at = 0
  const firsts = firstOfEach(quoted)
  const results = markdown.replaceAll(BLOCK, (block) => {
    const each = quoted[at++]
    return resultOf(block, each, main, firsts.includes(each.output))
  })
  const [title, ...rest] = results.split('\n\n')
  const figures =
    path === 'papers/index'
      ? [
          '[Figures beside the papers](./figures.md) shows the values of the papers and of our runs in one picture for each figure.',
        ]
      : [opening(quoted, main)]
  return [title, ...figures, ...rest].join('\n\n')
}

const BLOCK = /^```console\n\$ .*\n[^]*?^```$/gm

/** A block of a page with a part of a stored output. */
interface Quoted {
  readonly output: Stored
  readonly lines: ReadonlySet<number>
  readonly charts: ReadonlyArray<StoredChart>
}

function quotedIn(markdown: string, outputs: ReadonlyArray<Stored>): ReadonlyArray<Quoted> {
  return (markdown.match(BLOCK) ?? []).map((block) => {
    const [, command, ...lines] = block.split('\n').slice(0, -1)
    const output = outputs.find((each) => command === `$ ${each.command}`)
    if (output === undefined) throw new Error(`a paper's page has a block without a stored output: ${command}`)
    const shown = quotedLines(lines, output)
    const charts = chartsOf(output)
    const ofShown = charts.filter(({ table }) => isShown(table.at, table.rows.length, shown))
    return { output, lines: shown, charts: ofShown.length === 0 ? charts : ofShown }
  })
}

/** Returns the numbers of the quoted lines of an output, from 0. */
function quotedLines(lines: ReadonlyArray<string>, { command, text }: Stored): ReadonlySet<number> {
  const printed = text.split('\n').slice(1)
  const found = new Set<number>()
  let from = 0
  for (const line of lines.filter((each) => each !== '…')) {
    const at = printed.indexOf(line, from)
    if (at === -1) throw new Error(`a paper's page has a line that ${command} did not print: ${line}`)
    found.add(at)
    from = at + 1
  }
  return found
}

function isShown(at: number, rows: number, lines: ReadonlySet<number>): boolean {
  return Array.from({ length: rows }, (_, row) => at + row).some((line) => lines.has(line))
}

/** Returns the verdicts of a page and the chart of its main figure. */
function opening(quoted: ReadonlyArray<Quoted>, main: StoredChart | undefined): string {
  const outputs = firstOfEach(quoted)
  const claims = outputs.flatMap((each) => claimsOf(each.comparisons))
  const missing = outputs
    .flatMap(({ remarks }) => remarks)
    .map((remark) => Number(/^(\d+) more statements/.exec(remark)?.[1] ?? 0))
  const unknown = missing.reduce((sum, each) => sum + each, 0)
  const notes = [
    'A number holds if it is in the range of the paper, in the printed digits; the difference is the largest of all cases.',
    ...(unknown === 0
      ? []
      : [`${unknown} more statements of the paper are about traces or policies that are not at hand.`]),
  ]
  return html([
    ...(claims.length === 0 ? [] : [verdicts(claims)]),
    ...(main === undefined ? [] : [chartFigure(main)]),
    ...(claims.length === 0 ? [] : [`<p class="note">${notes.join(' ')}</p>`]),
  ])
}

/** Returns the first output of each experiment on a page. */
function firstOfEach(quoted: ReadonlyArray<Quoted>): ReadonlyArray<Stored> {
  const outputs = quoted.map(({ output }) => output)
  const key = ({ command }: Stored): string =>
    experimentOf(command) === 'interference' ? command : experimentOf(command)
  return outputs.filter((each, at) => outputs.findIndex((other) => key(other) === key(each)) === at)
}

/**
 * Returns the Markdown for a block of a page: the command, charts, tables, and a link to the stored text. Visible are the
 * first chart, or else the first table, and the comparisons with the paper. Readers open the rest, and the results of a
 * command that repeats an experiment with other options.
 */
function resultOf(
  block: string,
  { output, lines, charts }: Quoted,
  main: StoredChart | undefined,
  isFirst: boolean,
): string {
  const tables = output.tables.filter(({ at, rows }) => isShown(at, rows.length, lines))
  const isCompared = isShown(output.comparisonsAt, output.comparisons.length, lines)
  if (tables.length === 0 && !isCompared) return block
  const hidden = output.tables.length - tables.length
  const notes = [
    ...(hidden === 0 ? [] : [`${hidden} more ${hidden === 1 ? 'table is' : 'tables are'} in the stored text.`]),
    ...(main !== undefined && charts.includes(main) ? ['A chart of this output is at the top of the page.'] : []),
    ...(isCompared ? output.remarks.filter((remark) => remark.includes(' more statements ')) : []),
  ]
  const link = `<a href="./outputs/${output.file}" target="_self">The stored text of this command</a>.`
  const drawn = charts.filter((chart) => chart !== main).map(chartFigure)
  const visible = charts.length === 0 ? 1 : 0
  const results = [
    ...tables.slice(0, visible).map(resultTable),
    ...drawn.slice(0, 1),
    ...folded(counted(drawn.length - 1, 'more chart'), drawn.slice(1)),
    ...(isCompared ? [comparisons(output.comparisons)] : []),
    ...folded(
      counted(tables.length - visible, visible === 0 ? 'table' : 'more table'),
      tables.slice(visible).map(resultTable),
    ),
  ]
  return [
    `\`\`\`sh\n$ ${output.command}\n\`\`\``,
    html([
      ...(isFirst ? results : folded('Results with these options', results)),
      `<p class="note">${[link, ...notes.map(escaped)].join(' ')}</p>`,
    ]),
  ].join('\n\n')
}

/** Returns parts of a page in a block that readers open, or nothing if there are no parts. */
function folded(summary: string, parts: ReadonlyArray<string>): ReadonlyArray<string> {
  return parts.length === 0 ? [] : [`<details><summary>${summary}</summary>${parts.join('')}</details>`]
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Returns the block of Markdown for HTML. As a text of `v-html`, the HTML is nothing that Vue compiles. */
export function html(parts: ReadonlyArray<string>): string {
  const text = escaped(JSON.stringify(parts.join('')))
  return `\`\`\`${HTML}\n<div class="result" v-html="${text}"></div>\n\`\`\``
}

/**
 * Returns the page with the table of the most important numbers, and with a picture and statements for each experiment
 * whose values or results a paper states.
 */
export function figuresPage(pages: ReadonlyArray<Page>, outputs: ReadonlyArray<Stored>): Page {
  const sections = pages.map(({ path, name, markdown }) => {
    const compared = firstOfEach(quotedIn(markdown, outputs)).filter(({ comparisons: all }) => all.length > 0)
    const first = compared.find(({ comparisons: all }) => all.some(hasNumber))
    const drawn = compared.flatMap((output) => pictureOf(output, path, output === first))
    return drawn.length === 0 ? '' : `## ${name}\n\n${drawn.join('\n\n')}`
  })
  const about =
    'Each picture has the values that a paper states, and the values of our runs, in one encoding: the bar is the value or the range of the paper, the mark is our value. The first picture of a paper is open unless it is long. The number of the section, table or figure of the paper is before each statement. Statements without numbers are in tables below the pictures. Values that only a figure of a paper shows are left out, because the papers do not print these values; the page of each paper has our values.'
  return {
    path: 'papers/figures',
    name: 'Figures beside the papers',
    markdown: `# Figures beside the papers\n\n${importantNumbers(outputs)}\n\n${about}\n\n${sections.filter((text) => text !== '').join('\n\n')}\n`,
  }
}

function importantNumbers(outputs: ReadonlyArray<Stored>): string {
  const { command, tables } = outputs.find((each) => each.command === 'cloister reproduce numbers')!
  return `\`\`\`sh\n$ ${command}\n\`\`\`\n\n${html(tables.map(resultTable))}`
}

const hasNumber = ({ unit }: Comparison): boolean => unit !== 'statement'

/** Most rows of a picture that is open when a reader comes to the page. */
const MOST_OPEN_ROWS = 20

/** Returns the heading, the picture and the statements of an experiment. Readers open the picture unless it is open. */
function pictureOf(output: Stored, page: string, isOpen: boolean): ReadonlyArray<string> {
  const known = reproductions.find(({ name }) => name === experimentOf(output.command))
  const title = known?.title ?? `Slowdown by other jobs: ${output.command.replace(/.*--study (\S+).*/, '$1')}`
  const numbers = output.comparisons.filter(hasNumber)
  const statements = output.comparisons.filter((each) => !hasNumber(each))
  const units = [...new Set(numbers.map(({ unit }) => unit))]
  const source = known?.source ?? 'Pollard et al., section V-B'
  const charts = units.flatMap((unit) =>
    apart(numbers, unit).map((near) => rowFigure(unitNames[unit], besidePaper(near, unit))),
  )
  const isShort = isOpen && numbers.length <= MOST_OPEN_ROWS
  const hidden = [...(isShort ? [] : charts), ...(statements.length === 0 ? [] : [comparisons(statements)])]
  const names = [
    ...(isShort || charts.length === 0 ? [] : [counted(charts.length, 'chart')]),
    ...(statements.length === 0 ? [] : [counted(statements.length, 'statement')]),
  ]
  return [
    `### ${title}`,
    `${source[0].toUpperCase()}${source.slice(1)}. [Tables and explanations](./${basename(page)}.md).`,
    html([...(isShort ? charts : []), ...folded(names.join(', '), hidden)]),
  ]
}

const unitNames: Readonly<Record<Unit, string>> = {
  share: 'Shares',
  points: 'Percentage points',
  ratio: 'Ratios',
  count: 'Numbers',
  hours: 'Hours',
  seconds: 'Microseconds',
  statement: 'Statements',
}

const factors: Readonly<Partial<Record<Unit, number>>> = { points: 100, seconds: 1e6 }

const valuesOf = (all: ReadonlyArray<Comparison>): ReadonlyArray<number> =>
  all.flatMap(({ paper, ours }) => [paper!.low, paper!.high, Number(ours)])

/** Returns the comparisons with a unit in groups of similar values, for separate axes: utilization, and small shares. */
function apart(all: ReadonlyArray<Comparison>, unit: Unit): ReadonlyArray<ReadonlyArray<Comparison>> {
  const statements = casesOf(all.filter((each) => each.unit === unit)).map(({ cases }) => cases)
  const rising = statements.toSorted((a, b) => Math.min(...valuesOf(a)) - Math.min(...valuesOf(b)))
  const whole = valuesOf(statements.flat())
  const far = (Math.max(...whole) - Math.min(...whole)) / 2
  const groups: Array<Array<ReadonlyArray<Comparison>>> = []
  let top = -Infinity
  for (const cases of rising) {
    if (Math.min(...valuesOf(cases)) - top > far) groups.push([])
    groups.at(-1)!.push(cases)
    top = Math.max(top, ...valuesOf(cases))
  }
  const inOrder = groups.map((group) => statements.filter((cases) => group.includes(cases)))
  return inOrder.toSorted(([a], [b]) => statements.indexOf(a) - statements.indexOf(b)).map((group) => group.flat())
}

/** Returns the chart of comparisons with a unit: a row for each comparison, below a heading for each statement. */
function besidePaper(own: ReadonlyArray<Comparison>, unit: Unit): RowChart & { readonly isLog: boolean } {
  const factor = factors[unit] ?? 1
  const values = valuesOf(own).map((value) => value * factor)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  // A ratio "under 1" has a range from 0, which no value of ours is near.
  const isLog = low > 0 && ['count', 'hours', 'seconds'].includes(unit)
  const decade = (value: number, round: (value: number) => number): number => 10 ** round(Math.log10(value))
  const range = isLog
    ? { from: decade(low, Math.floor), to: decade(high, Math.ceil), step: 1, digits: 0 }
    : niceRange(low, high === low ? low + 1 : high)
  const rows = casesOf(own).flatMap(({ section, claim, cases }) => [
    { label: `${section === '' ? '' : `${section}: `}${claim}`, values: [] },
    ...cases.map(({ what, paper, ours }) => ({
      label: cases.length === 1 ? '' : what.slice(claim.length).replace(/^[:;,] /, ''),
      range: { low: paper!.low * factor, high: paper!.high * factor },
      values: [Number(ours) * factor],
    })),
  ])
  return {
    series: [{ name: 'here', color: '#332288' }],
    axis: { ...range, label: unitNames[unit], unit: unit === 'share' ? 'share' : 'ratio' },
    rows,
    note: 'paper',
    isLog,
  }
}
