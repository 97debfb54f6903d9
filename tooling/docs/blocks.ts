// Reads the code blocks of a Markdown document. CONTRIBUTING.md ("Documents are run") lists the kinds of blocks.

export interface Block {
  readonly kind: 'program' | 'recipe' | 'excerpt' | 'session' | 'plain'
  readonly line: number
  readonly text: string
  /** Source file that an excerpt (`ts from FILE`) quotes; undefined for other blocks. */
  readonly file: string | undefined
  /** Program that a session needs (`console run with PROGRAM`); undefined for other blocks. */
  readonly program: string | undefined
  /** Language of a recipe (`r`, `sql` or `js`); undefined for other blocks. */
  readonly language: string | undefined
  /** Documented output of a program or recipe. */
  output?: string
}

/**
 * Words allowed after the opening ``` of a block. A block with an unknown word fails the tests, so that the tests run
 * every block.
 */
const kinds: ReadonlyArray<readonly [RegExp, Block['kind'] | 'output']> = [
  [/^ts$/, 'program'],
  [/^(?<language>r|sql|js)$/, 'recipe'],
  [/^ts from (?<file>\S+)$/, 'excerpt'],
  [/^console run( with (?<program>\S+))?$/, 'session'],
  [/^output$/, 'output'],
  [/^(sh|console|json|ndjson|md|text|diff|conf)$/, 'plain'],
]

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  const lines = markdown.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const words = /^```(.*)$/.exec(lines[i])?.[1]
    if (words === undefined) continue
    const line = i + 1
    const kind = kinds.find(([pattern]) => pattern.test(words))
    if (kind === undefined)
      throw new Error(`line ${line}: CONTRIBUTING.md has no row for blocks of ${JSON.stringify(words)}`)
    const end = lines.indexOf('```', line)
    if (end === -1) throw new Error(`line ${line}: the block is not closed`)
    const text = lines
      .slice(line, end)
      .map((each) => `${each}\n`)
      .join('')
    if (kind[1] !== 'output') {
      const groups = kind[0].exec(words)?.groups
      const named = { file: groups?.['file'], program: groups?.['program'], language: groups?.['language'] }
      blocks.push({ kind: kind[1], line, text, ...named })
    } else {
      const program = blocks.at(-1)
      if ((program?.kind !== 'program' && program?.kind !== 'recipe') || program.output !== undefined)
        throw new Error(`line ${line}: a block of output must follow a program or a recipe`)
      program.output = text
    }
    i = end
  }
  return blocks
}

export interface Step {
  command: string
  output: string
}

/** Returns the commands of a console session with their outputs: a command after `$ `, its further lines after `> `. */
export function stepsOf(session: string): Step[] {
  const steps: Step[] = []
  for (const line of session.split('\n').slice(0, -1)) {
    const step = steps.at(-1)
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), output: '' })
    // The formatter takes the space from an empty line of a command.
    else if (/^>( |$)/.test(line) && step?.output === '') step.command += `\n${line.slice(2)}`
    else if (step === undefined) throw new Error(`a session starts with a command, not with ${JSON.stringify(line)}`)
    else step.output += `${line}\n`
  }
  return steps
}

/**
 * Tests that an output fits a document's block: … stands for any text in a line, or alone for any lines. Versions after
 * `@`, and the measured times of the line `scheduling`, may differ.
 */
export function matches(expected: string, actual: string): boolean {
  const pattern = expected
    .replaceAll(/@\d+\.\d+\.\d+\b/g, '@…')
    .replaceAll(/^(scheduling +)[\d.,]+ m?s, [\d.,]+ µs a job$/gm, '$1…s, … µs a job')
    .split('\n')
    .slice(0, -1)
    .map((line) => (line.trim() === '…' ? '(.*\n)*?' : `${line.split('…').map(escape).join('.*')}\n`))
  return new RegExp(`^${pattern.join('')}$`).test(actual)
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
