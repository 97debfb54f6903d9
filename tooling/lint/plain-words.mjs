// Counts relative words (`which`) and pronouns (`it`) in prose, because both point at a noun instead of naming it.

const RELATIVE = 'what which that where who whom whose whatever whichever whoever wherever'.split(' ')
const PRONOUNS =
  'it its they them their those these one ones such so other others another anew former latter said thereby therein thereof'.split(
    ' ',
  )

/** First words forbidden in docstrings. */
const VAGUE_STARTS = /^(what|of|whether|where|who|those|that|as|it|this|these|the same)\b/i

const words = (text) =>
  text
    .replace(/`[^`]*`/g, ' ')
    .toLowerCase()
    .match(/[a-z][a-z'-]*/g) ?? []

/** Counts the words, relative words and pronouns of a text, without words in backticks. @param {string} text */
export function countWords(text) {
  const all = words(text)
  const among = (list) => all.filter((word) => list.includes(word)).length
  return { words: all.length, relative: among(RELATIVE), pronouns: among(PRONOUNS) }
}

/** Returns the numbers and texts of a document's lines outside of code blocks, tables and HTML. */
function documentLines(lines) {
  let fenced = false
  return lines.flatMap((line, at) => {
    if (/^\s*```/.test(line)) fenced = !fenced
    return fenced || /^\s*(```|\||<)/.test(line) ? [] : [[at + 1, line]]
  })
}

/** Returns the numbers and texts of the lines with comments, without the marks of comments. */
function commentLines(lines) {
  let inBlock = false
  return lines.flatMap((line, at) => {
    const opens = /^\s*\/\*/.test(line)
    const trailing = /\S \/\/ (.*)$/.exec(line)
    if (!inBlock && !opens && trailing) return [[at + 1, trailing[1]]]
    const isComment = inBlock || opens || /^\s*\/\//.test(line)
    if (opens) inBlock = true
    if (line.includes('*/')) inBlock = false
    return isComment ? [[at + 1, line.replace(/^\s*(\/\/+|\/?\*+)/, '').replace(/\*\/\s*$/, '')]] : []
  })
}

/**
 * Returns the sentences of a file's comments, or of a document's prose, each with the number of its first line.
 * @param {string} path
 * @param {string} text
 * @returns {{ line: number, text: string }[]}
 */
export function sentencesOf(path, text) {
  const lines = text.split('\n')
  const found = []
  let sentence = ''
  let start = 0
  let last = -1
  const flush = () => {
    if (sentence.trim() !== '') found.push({ line: start, text: sentence.trim() })
    sentence = ''
  }
  for (const [line, part] of path.endsWith('.md') ? documentLines(lines) : commentLines(lines)) {
    if (line !== last + 1 || part.trim() === '') flush()
    last = line
    for (const piece of part.split(/(?<=[.;:!?])\s+/)) {
      if (sentence === '') start = line
      sentence += `${sentence === '' ? '' : ' '}${piece.trim()}`
      if (/[.;!?]$/.test(piece)) flush()
    }
  }
  flush()
  return found
}

/**
 * Returns the first lines of docstrings that begin with a vague word, each with its line number.
 * @param {string} text
 * @returns {{ line: number, text: string }[]}
 */
export function vagueDocstrings(text) {
  return [...text.matchAll(/\/\*\*[\s*]*([^\n*]+)/g)]
    .filter(([, first]) => VAGUE_STARTS.test(first))
    .map(({ index, 1: first }) => ({ line: text.slice(0, index).split('\n').length, text: first.trim() }))
}
