import { CliOutput } from 'effect/cli'
import { visibleOnOneLine } from './output.ts'

export type Cell = string | number

/** Formats rows under a heading with aligned columns: numbers to the right, text to the left. */
export function table(heading: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Cell>>): string {
  const lines = [heading, ...rows].map((row) => row.map((cell) => visibleOnOneLine(String(cell))))
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column]))))
  const isNumeric = heading.map((_, column) =>
    rows.every((row) => /^[-+]?[\d.,]+ ?[%a-zµ]*$|^-$/.test(String(row[column]))),
  )
  const format = (line: ReadonlyArray<string>): string =>
    line
      .map((text, column) => {
        const padding = ' '.repeat(widths[column] - widthOf(text))
        return isNumeric[column] ? padding + text : text + padding
      })
      .join('  ')
      .trimEnd()
  return [format(lines[0]), widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1).map(format)].join(
    '\n',
  )
}

/** Formats names and values, one pair per line. Leaves out the pairs without a value. */
export function fields(pairs: ReadonlyArray<readonly [name: string, value: Cell | undefined]>): string {
  const shown = pairs.filter(([, value]) => value !== undefined)
  const width = Math.max(...shown.map(([name]) => widthOf(name)))
  return shown
    .map(([name, value]) => `${name}${' '.repeat(width - widthOf(name))}  ${visibleOnOneLine(String(value))}`)
    .join('\n')
}

/** Joins the parts of a text by blank lines. Leaves out undefined parts. */
export function paragraphs(parts: ReadonlyArray<string | undefined>): string {
  return parts.filter((part) => part !== undefined).join('\n\n')
}

/** Returns the number of terminal columns of a text. The segmenter of Unicode costs 7 ms, and few texts need it. */
function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : CliOutput.displayWidth(text)
}
