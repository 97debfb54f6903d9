/** Deepest nesting of arrays and objects in JSON from a file or an argument; the same as for JSON in event logs. */
const MAX_DEPTH = 64

/** Error for a JSON text with the same key twice in an object, because `JSON.parse` silently takes the last value. */
export class RepeatedKeyError extends SyntaxError {
  readonly _tag: 'RepeatedKeyError' = 'RepeatedKeyError'
  override readonly name: string = 'RepeatedKeyError'
  readonly key: string
  /** Line of the second occurrence of the key in the text, from 1. */
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
 * @throws SyntaxError if the text is no JSON, or if arrays and objects are nested more than 64 deep
 */
export function parseJsonText(text: string): unknown {
  const depth = depthOf(text)
  if (depth > MAX_DEPTH)
    throw new SyntaxError(`arrays and objects are nested ${depth} deep; at most ${MAX_DEPTH} levels are allowed`)
  const value: unknown = JSON.parse(text)
  checkKeys(text)
  return value
}

const [QUOTE, BACKSLASH, COLON, LF] = [0x22, 0x5c, 0x3a, 0x0a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

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

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
  return text.length
}

/**
 * Throws a RepeatedKeyError for a repeated key. The function reads the text itself, without a reviver of `JSON.parse`,
 * because V8 13.6 confuses keys of a single escaped character. `text` must be valid JSON.
 */
function checkKeys(text: string): void {
  /** Keys of each open object, innermost last; an empty set for an open array. */
  const open: Array<Set<string>> = []
  let line = 1
  /** Indices of the opening and closing quote of the last string read. A string before a colon is a key. */
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
