/** JSON from a file or an argument is nested no deeper: as in the free JSON of a log. */
const MAX_DEPTH = 64

/** A JSON text that gives a key twice in one object, where `JSON.parse` would take the last value without a word. */
export class RepeatedKeyError extends SyntaxError {
  readonly _tag: 'RepeatedKeyError' = 'RepeatedKeyError'
  override readonly name: string = 'RepeatedKeyError'
  readonly key: string
  /** Line of the text that has the key for the second time, from 1. */
  readonly line: number

  constructor(key: string, line: number, isOnlyLine: boolean) {
    super(`${isOnlyLine ? '' : `line ${line}: `}the key ${JSON.stringify(key)} is given twice in one object`)
    this.key = key
    this.line = line
  }
}

/**
 * Returns the value of a JSON text that a user wrote.
 *
 * @throws RepeatedKeyError if an object has a key twice
 * @throws SyntaxError if the text is no JSON, or arrays and objects are nested too deep
 */
export function parseJsonText(text: string): unknown {
  const depth = depthOf(text)
  if (depth > MAX_DEPTH)
    throw new SyntaxError(`arrays and objects are ${depth} deep inside one another, at most ${MAX_DEPTH} are read`)
  const value: unknown = JSON.parse(text)
  checkKeys(text)
  return value
}

const [QUOTE, BACKSLASH, COLON, LF] = [0x22, 0x5c, 0x3a, 0x0a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** How deep brackets stand inside one another; those in strings are text. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_LIST || code === OPEN_OBJECT) deepest = Math.max(deepest, ++depth)
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--
  }
  return deepest
}

/** The place of the quote that ends the string which begins at a quote; the length of the text if none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
  return text.length
}

/**
 * Looks for a key that its object has already. The text alone decides: V8 13.6 mistakes keys of one escaped character for each other.
 *
 * @param text valid JSON
 * @throws RepeatedKeyError
 */
function checkKeys(text: string): void {
  /** The keys of the objects that are open, innermost last; of an array none. */
  const open: Array<Set<string>> = []
  let line = 1
  /** The place of the string before, which is a key if a colon follows it. */
  let [start, end] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === LF) line++
    else if (code === OPEN_LIST || code === OPEN_OBJECT) open.push(new Set())
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) open.pop()
    else if (code === QUOTE) {
      start = at
      at = end = endOfString(text, at)
    } else if (code === COLON) {
      const raw = text.slice(start + 1, end)
      const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
      const keys = open[open.length - 1]
      if (keys.has(key)) throw new RepeatedKeyError(key, line, !text.trimEnd().includes('\n'))
      keys.add(key)
    }
  }
}
