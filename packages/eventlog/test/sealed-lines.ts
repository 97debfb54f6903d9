import { createHash } from 'node:crypto'

export const linesOf = (text: string): ReadonlyArray<string> => text.split('\n').slice(0, -1)
export const textOf = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join('')
export const isSeal = (line: string): boolean => line.includes('"type":"seal"')

/** Returns the lines of a log with right hashes in all seals. */
export function sealed(lines: ReadonlyArray<string>): ReadonlyArray<string> {
  let previous = ''
  let covered = ''
  return lines.map((line) => {
    if (!isSeal(line)) {
      covered += `${line}\n`
      return line
    }
    const before = line.slice(0, line.indexOf(',"hash"'))
    previous = createHash('sha256').update(`${previous}${covered}${before}`).digest('base64url')
    covered = ''
    return `${before},"hash":"${previous}"}`
  })
}
