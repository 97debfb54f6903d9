import { seededDraws } from '@cloister/topology'

/**
 * Draws lines of code for Stryker to change: no comments, imports, exported types, `readonly` members or lone brackets.
 *
 * @param {ReadonlyArray<{ file: string, text: string }>} sources
 * @param {number} count most lines
 * @param {number} seed
 * @returns {Array<string>} `file:line-line`, the form of Stryker
 */
export function sampleLines(sources, count, seed) {
  const all = sources.flatMap(({ file, text }) => codeLines(text).map((line) => ({ file, line })))
  const draw = seededDraws(seed)
  for (let at = all.length - 1; at > 0; at--) {
    const other = draw(at + 1)
    ;[all[at], all[other]] = [all[other], all[at]]
  }
  const drawn = all.slice(0, count).sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
  return drawn.map(({ file, line }) => `${file}:${line}-${line}`)
}

function codeLines(text) {
  return text.split('\n').flatMap((line, at) => (holdsCode(line.trim()) ? [at + 1] : []))
}

function holdsCode(line) {
  return (
    line !== '' && !/^(\/\/|\/\*|\*|import |export \{|export type |export interface |readonly |[\]{}();,]+$)/.test(line)
  )
}
