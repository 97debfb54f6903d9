/** JSON from a file or an argument is nested no deeper: as in the free JSON of a log. */
const MAX_DEPTH = 64

/** The value of a JSON text. @throws SyntaxError, for arrays and objects nested too deep as well */
export function parseJsonText(text: string): unknown {
  const depth = depthOf(text)
  if (depth > MAX_DEPTH)
    throw new SyntaxError(`arrays and objects are ${depth} deep inside one another, at most ${MAX_DEPTH} are read`)
  return JSON.parse(text)
}

/** How deep brackets stand inside one another; those in strings are text. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (inString && character === '\\') at++
    else if (character === '"') inString = !inString
    else if (inString) continue
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth)
    else if (character === ']' || character === '}') depth--
  }
  return deepest
}
