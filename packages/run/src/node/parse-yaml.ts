import type { ParsedYaml } from '@cloister/topology'
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  Parser,
  visit,
} from 'yaml'

/** Most parts that aliases may stand for. Without the limit, a few lines could stand for billions of parts. */
const MAX_ALIASES = 100
/** Deepest nesting of lists and maps, as in JSON. The package `yaml` would overflow the stack at some thousand levels. */
const MAX_DEPTH = 64

class YamlError extends Error {
  override readonly name = 'YamlError'
  /** Line of the error, from 1. */
  readonly line: number

  constructor(problem: string, line: number) {
    super(problem)
    this.line = line
  }
}

/**
 * Reads a YAML 1.2 document.
 *
 * @throws YamlError with the line, if the text is no YAML, if lists and maps are nested more than 64 deep, or if aliases
 *   stand for too many parts
 */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter()
  const lineAt = (offset: number): number => lines.linePos(offset).line
  checkDepth(text)
  // With `prettyErrors`, the messages of the package `yaml` would quote lines of the text.
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error', prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) throw new YamlError(error.message, lineAt(error.pos[0]))
  try {
    return {
      value: document.toJS({ maxAliasCount: MAX_ALIASES }),
      lineOf: (path) => {
        const offset = offsetOf(document, path)
        return offset === undefined ? undefined : lineAt(offset)
      },
    }
  } catch (cause) {
    throw new YamlError((cause as Error).message, lineAt(badAliasOffset(document)))
  }
}

function checkDepth(text: string): void {
  const lines = new LineCounter()
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme))
    // The first two tokens on the stack are the document and the token in work.
    if (parser.stack.length > MAX_DEPTH + 2)
      throw new YamlError(`lists and maps may be nested at most ${MAX_DEPTH} deep`, lines.linePos(parser.offset).line)
  }
}

/** Returns the offset of the first alias without an anchor, or else of the first alias. */
function badAliasOffset(document: Document.Parsed): number {
  const offsets: Array<{ readonly offset: number; readonly isUnresolved: boolean }> = []
  visit(document, {
    Alias: (_, alias) => {
      offsets.push({ offset: alias.range?.[0] ?? 0, isUnresolved: alias.resolve(document) === undefined })
    },
  })
  return (offsets.find(({ isUnresolved }) => isUnresolved) ?? offsets[0])?.offset ?? 0
}

/** Returns the offset of a part's key, or of a part without a key; for a missing part, of the nearest part around. */
function offsetOf(document: Document.Parsed, path: string): number | undefined {
  let node: unknown = document.contents
  let offset = document.contents?.range?.[0]
  for (const step of path.split(/[.[\]]+/).filter((each) => each !== '')) {
    if (isAlias(node)) node = node.resolve(document)
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step) : undefined
    const next = isSeq(node) ? (node.items[Number(step)] as Node | undefined) : pair?.value
    const begin = (pair?.key ?? next) as Node | undefined
    if (begin?.range == null) return offset
    offset = begin.range[0]
    node = next
  }
  return offset
}
