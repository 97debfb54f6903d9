/** Most characters of a line of a command: in a small font the line fits in one of two columns of a paper. */
const WIDTH = 50
/** Fewest characters of a piece of a word at the end of a line. */
const PIECE = 12

/** Returns the characters of a text on paper: pdflatex prints a character beyond ASCII as its number, such as \\u65e5. */
const widthOf = (text: string): number => text.replaceAll(/[^\p{ASCII}]/gu, '123456').length

/**
 * Breaks long lines of commands for POSIX shells. A backslash at the end of a line continues the command, and the
 * commands keep their meaning. Quoted words are in single quotes, as `quoteWord` writes them.
 */
export function folded(commands: string): string {
  let text = ''
  for (const [word] of commands.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+|\n/g)) {
    const column = widthOf(text.slice(text.lastIndexOf('\n') + 1))
    const isFirst = column === 0 || word === '\n'
    const room = WIDTH - column - 1
    const width = widthOf(word)
    const fits = width <= room || (width > WIDTH && room >= PIECE)
    text += isFirst ? '' : fits ? ' ' : ' \\\n'
    text += piecesOf(word, isFirst || !fits ? WIDTH : room).join('\\\n')
  }
  return text
}

/** Divides a word into pieces, the first of at most `room` characters; a backslash and a line feed join the pieces. */
function piecesOf(word: string, room: number): ReadonlyArray<string> {
  const pieces: Array<string> = []
  let piece = ''
  let isQuoted = false
  // The end of a verbatim environment must not be in one piece.
  for (const part of word.match(/\\end(?=\{verbatim\})|\\'|[^]/gu) ?? []) {
    const most = pieces.length === 0 ? room : WIDTH
    const isFull = widthOf(word) > room && widthOf(piece + part) + 2 > most
    if (isFull || piece.endsWith('\\end')) {
      pieces.push(isQuoted ? `${piece}'` : piece)
      piece = isQuoted ? "'" : ''
    }
    piece += part
    if (part === "'") isQuoted = !isQuoted
  }
  return [...pieces, piece]
}
