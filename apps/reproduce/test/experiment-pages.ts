// Reads the pages of experiments and the stored outputs of commands, and checks the numbers of pages against outputs.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Effect } from 'effect'
import { readOutput, type StoredOutputs } from '../src/index.ts'

/** Folder of the pages of experiments; its folder `outputs` has a file for each command. */
export const folder = resolve(import.meta.dirname, '../experiments')

export interface Output {
  /** The command in a user's spelling: `cloister reproduce jigsaw-fig6`. */
  readonly command: string
  readonly text: string
}

interface Block {
  readonly kind: string
  readonly lines: ReadonlyArray<string>
}

/** Reads a file of outputs: its first line is the command, after `$ `. */
export function parseOutput(text: string): Output {
  const end = text.indexOf('\n')
  if (!text.startsWith('$ ') || end === -1) throw new Error(`expected "$ command" first, found ${text.slice(0, 40)}`)
  return { command: text.slice(2, end), text: text.slice(end + 1) }
}

export function storedOutputs(): ReadonlyArray<Output> {
  const files = readdirSync(join(folder, 'outputs')).sort()
  return files.map((file) => parseOutput(readFileSync(join(folder, 'outputs', file), 'utf8')))
}

/** Service of the stored outputs in the folder of experiments. */
export const stored: StoredOutputs['Service'] = {
  all: Effect.sync(() => storedOutputs().map(({ command, text }) => readOutput(`$ ${command}\n${text}`))),
}

export function pages(): ReadonlyArray<{ readonly name: string; readonly text: string }> {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ name: file.slice(0, -'.md'.length), text: readFileSync(join(folder, file), 'utf8') }))
}

/** Returns the text of paper.ts, which states the values of a page's paper; empty for a page without a paper. */
export function paperOf(page: string): string {
  const path = resolve(folder, `../src/${page}/paper.ts`)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Returns the faults of a page: blocks that are no command's output, and numbers that no output of the page has. */
export function complaintsOf(page: string, outputs: ReadonlyArray<Output>, paper: string): ReadonlyArray<string> {
  const { blocks, prose } = parts(page)
  const shown = blocks.filter(({ kind }) => kind === 'console').map(({ lines }) => lines)
  const wrong = shown.flatMap(([first = '', ...lines]) => {
    const output = outputs.find(({ command }) => first === `$ ${command}`)
    if (output === undefined) return [`no stored output of ${JSON.stringify(first)}`]
    return isExcerpt(lines, output.text) ? [] : [`not what the command printed: ${first}`]
  })
  const sources = outputs.filter(({ command }) => page.includes(command)).map(({ text }) => text)
  const made = new Set([...sources.flatMap(numbersIn), ...statedIn(paper)])
  const unmade = numbersIn(prose).filter((number) => !made.has(number))
  const kinds = blocks.map(({ kind }) => kind).filter((kind) => kind !== 'console' && kind !== 'sh')
  return [
    ...wrong,
    ...kinds.map((kind) => `a block of kind ${JSON.stringify(kind)}: only sh and console`),
    ...unmade.map((number) => `no command that the page names prints ${number}`),
  ]
}

/** Tests that an output has results of only a part of a job log: its first or last jobs, or a stretch. */
export function isOfPart({ command, text }: Output): boolean {
  return (
    command.includes('--first-jobs') || /a taste, not a result|\bstretch|\bthe (first|last) [\d,]+ jobs\b/.test(text)
  )
}

/** Tests that the lines are lines of an output, in order; a line of `…` stands for omitted lines. */
function isExcerpt(lines: ReadonlyArray<string>, output: string): boolean {
  const printed = output.split('\n')
  let from = 0
  let maySkip = true
  for (const line of lines) {
    if (line === '…') {
      maySkip = true
      continue
    }
    const at = maySkip ? printed.indexOf(line, from) : printed[from] === line ? from : -1
    if (at === -1) return false
    from = at + 1
    maySkip = false
  }
  return true
}

function parts(page: string): { readonly blocks: ReadonlyArray<Block>; readonly prose: string } {
  const blocks: Array<Block> = []
  const outside = page.replaceAll(/^```(.*)\n([^]*?)^```$/gm, (_, kind: string, text: string) => {
    blocks.push({ kind, lines: text.split('\n').slice(0, -1) })
    return ''
  })
  const [, ...paragraphs] = outside.split('\n\n')
  const prose = textOf(
    paragraphs
      // The paragraph that links to paper.ts names authors, years and numbers of reports, which are not results.
      .filter((paragraph) => !paragraph.includes('/paper.ts)'))
      .join('\n\n'),
  )
  return { blocks, prose }
}

/** Removes code, targets of links, and references such as `Figure 12`, whose numbers are not results. */
function textOf(markdown: string): string {
  return markdown
    .replaceAll(/`[^`]*`/g, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/\b(Figures?|Tables?|[Ss]ections?|equations?|Algorithms?|lines?) \d[\d.]*((,| and| to) \d[\d.]*)*/g, '')
}

function numbersIn(text: string): ReadonlyArray<string> {
  return [...text.matchAll(/(?<![\w.]|[A-Za-z]-)\d(?:[\d,]*\d)?(?:\.\d+)?(?![A-Za-z\d])/g)].map(([number]) =>
    number.replaceAll(',', ''),
  )
}

/** Returns the numbers in a paper.ts, and each of the numbers times 100, because pages write shares in percent. */
function statedIn(paper: string): ReadonlyArray<string> {
  const found = [...paper.matchAll(/\d[\d_]*(?:\.\d+)?/g)].map(([number]) => number.replaceAll('_', ''))
  return found.flatMap((number) => [number, String(Number((100 * Number(number)).toPrecision(12)))])
}
