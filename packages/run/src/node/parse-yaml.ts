import type { ParsedYaml } from '@cloister/topology'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml'

/** Most parts that aliases may stand for. Without the limit, a few lines could stand for billions of parts. */
const MAX_ALIASES = 100

class YamlError extends Error {
  override readonly name = 'YamlError'
  /** Line of the error, from 1. */
  readonly line: number

  constructor(problem: string, line: number) {
    super(problem)
    this.line = line
  }
}

/** Reads a YAML 1.2 document. @throws YamlError with the line, for no YAML or for aliases of too many parts */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter()
  const lineAt = (offset: number): number => lines.linePos(offset).line
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
